"""Belote and Coinche as a PettingZoo AEC environment, version 0: ``env(rules=…, episode=…, reward=…)``."""

from belote_env.aec import env, raw_env

__all__ = ["env", "raw_env"]
