"""Spoiled: why a call is not approved without a question."""


class Spoiled(Exception):  # noqa: N818 - not an error: the reason why a call is not approved
    """Raised at the first part of a call that is not known to be harmless."""
