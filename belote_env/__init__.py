"""Belote and Coinche for reinforcement learning: rules engine, environments, records, solver."""

from __future__ import annotations

from belote_env.game import Game
from belote_env.registration import register_environments
from belote_env.rules import Rules

__version__ = "0.1.0"
__all__ = ["Game", "Rules", "__version__"]

register_environments()
