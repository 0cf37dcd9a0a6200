"""Handlers: a module for each kind of user handler, today `command`. May import policy, settings and system."""
