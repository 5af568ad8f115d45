"""What an agent is: one method, from the view of a seat to an action."""

from __future__ import annotations

from belote_env.single import Player as Agent

__all__ = ["Agent"]
