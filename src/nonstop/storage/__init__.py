"""Where trials are kept: the contract, one transaction script over a small ledger, memory, SQLite and PostgreSQL."""

from nonstop.storage.schemes import SCHEMES, backend_of, open_storage

__all__ = ["SCHEMES", "backend_of", "open_storage"]
