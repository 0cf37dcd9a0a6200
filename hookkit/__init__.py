"""The hook layer for coding agents. Kept empty: every hook of every user pays for what is imported here."""

__version__ = "0.1.0"
