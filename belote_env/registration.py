"""Registers the environments with Gymnasium and PettingZoo; importing ``belote_env`` does it."""

from __future__ import annotations

import gymnasium
import pettingzoo

FAMILIES = {
    "Belote-v0": "belote",
    "Coinche-v0": "coinche",
    "Encheres-v0": "encheres",
    "Decouverte-v0": "decouverte",
}
"""One Gymnasium id for each kind of auction, with the rule set it stands for; ``rules=`` gives any other."""


def register_environments() -> None:
    """Register every id that is not registered yet."""
    for name, preset in FAMILIES.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point="belote_env.single:BeloteEnv",
                vector_entry_point="belote_env.single_vector:BeloteSingleVectorEnv",
                kwargs={"rules": preset},
            )
    # PettingZoo has a registry since 1.27.
    if hasattr(pettingzoo, "register") and "belote-v0" not in pettingzoo.aec_registry:
        pettingzoo.register("aec", "belote_v0", "belote_env.aec:env")
