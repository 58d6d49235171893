"""A truthful gate for agent skills."""

__version__ = "0.1.0"
