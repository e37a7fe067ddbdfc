"""Errors that a person can act on."""


class NizkBenchError(Exception):
    """An expected failure; its message is one sentence for the person who can act on it."""
