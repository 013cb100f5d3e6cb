"""What is wanted of the outcomes of an evaluation: objectives and constraints."""
