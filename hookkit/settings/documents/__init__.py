"""Readers of JSON, TOML and YAML with the line and column of every value, kinds of values, findings.

Knows no settings and no rules. May import errors and system.
"""
