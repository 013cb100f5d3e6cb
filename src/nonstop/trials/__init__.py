"""What happened, and what is to happen next: trials, their transitions, the spec of a study, and suggestions."""
