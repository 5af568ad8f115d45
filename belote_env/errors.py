"""The errors that bad input raises; each message is one line that says what was wrong and what would be right."""

from __future__ import annotations


class IllegalActionError(ValueError):
    """An action that the rules do not allow now. The game it was given to is unchanged."""


class RecordError(ValueError):
    """A deal record, or a saved match, that is malformed or breaks a rule."""
