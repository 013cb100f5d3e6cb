"""The paper's figures, drawn from result files or from small simulations; catalogue.py lists them."""
