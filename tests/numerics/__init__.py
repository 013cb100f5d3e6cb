"""The numerical core against closed forms, brute force, finite differences and extreme ranges."""
