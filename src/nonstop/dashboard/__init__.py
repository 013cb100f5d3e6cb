"""A live page over any storage: studies, figures, trials. It only reads."""
