"""The spaces of every environment form: observation with action mask, action, privileged state."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces

from belote_env.engine.layout import NUM_ACTIONS
from belote_env.observation import OBSERVATION_SIZE, PRIVILEGED_SIZE, SCALE

_HIGH = SCALE.astype(np.uint8)


def observation_space() -> spaces.Dict:
    """Return the space of ``{"observation": uint8 (OBSERVATION_SIZE,), "action_mask": int8 (NUM_ACTIONS,)}``."""
    return spaces.Dict(
        {
            "observation": spaces.Box(np.zeros_like(_HIGH), _HIGH, dtype=np.uint8),
            "action_mask": spaces.Box(0, 1, (NUM_ACTIONS,), dtype=np.int8),
        }
    )


def action_space() -> spaces.Discrete:
    """Return the one action space of all rule sets, ``Discrete(NUM_ACTIONS)``."""
    return spaces.Discrete(NUM_ACTIONS)


def state_space() -> spaces.Box:
    """Return the space of the privileged state: an observation and what is hidden from it, ``uint8``."""
    high = np.concatenate([_HIGH, np.ones(PRIVILEGED_SIZE, dtype=np.uint8)])
    assert high.shape == (OBSERVATION_SIZE + PRIVILEGED_SIZE,)
    return spaces.Box(np.zeros_like(high), high, dtype=np.uint8)
