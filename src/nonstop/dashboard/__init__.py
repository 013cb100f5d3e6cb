"""A live web page of any storage: studies, figures, trials. It only reads."""
