from nonstop.integrations.optuna import NonstopSampler

__all__ = ["NonstopSampler"]
