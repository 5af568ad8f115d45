"""The policy that every script here trains, its file, and the agent that plays it.

    BELOTE_POLICY=runs/cleanrl_ppo/policy.safetensors belote eval scripts.integrations.policy:agent easy --rules coinche

A plain network of linear layers with tanh between them, whichever library trained it: so one file format, and one
agent, which computes in numpy.
"""

from __future__ import annotations

import hashlib
import itertools
import os
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load, save_file
from torch import nn

from belote_env.engine.layout import NUM_ACTIONS
from belote_env.observation import OBSERVATION_SIZE, SCALE
from belote_env.rules import Rules
from belote_env.view import View

MODEL = "BELOTE_POLICY"
"""Environment variable that names the file which :func:`agent` plays."""

HIDDEN = (256, 256)
"""Widths of the hidden layers."""


def mlp(outputs: int = NUM_ACTIONS) -> nn.Sequential:
    """Return a new network from observations in 0..1, ``float32`` (batch, OBSERVATION_SIZE), to (batch, outputs).

    It begins as PPO likes it: orthogonal layers, and a last one so small that all actions are about as likely.
    """
    sizes = (OBSERVATION_SIZE, *HIDDEN, outputs)
    layers: list[nn.Module] = []
    for inputs, width in itertools.pairwise(sizes):
        linear = nn.Linear(inputs, width)
        nn.init.orthogonal_(linear.weight, 2**0.5 if width in HIDDEN else 0.01)
        nn.init.zeros_(linear.bias)
        layers += [linear, nn.Tanh()]
    return nn.Sequential(*layers[:-1])


def mask_logits(logits: torch.Tensor, action_masks: torch.Tensor) -> torch.Tensor:
    """Return the logits with those of illegal actions so low that their probability is exactly 0."""
    return logits.masked_fill(action_masks == 0, torch.finfo(logits.dtype).min)


def save(network: nn.Module, path: str | os.PathLike[str]) -> None:
    """Write the linear layers of a network, in the order in which they are found, as safetensors."""
    tensors = {}
    for i, linear in enumerate(module for module in network.modules() if isinstance(module, nn.Linear)):
        tensors[f"{i}.weight"] = linear.weight.detach().cpu().numpy().copy()
        tensors[f"{i}.bias"] = linear.bias.detach().cpu().numpy().copy()
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    save_file(tensors, path)


class PolicyAgent:
    """Plays the likeliest legal action.

    Attributes:
        fingerprint: of the weights, so that stored results of other weights are not taken for these.
    """

    def __init__(self, data: bytes) -> None:
        tensors = load(data)
        self._layers = [(tensors[f"{i}.weight"].T.copy(), tensors[f"{i}.bias"]) for i in range(len(tensors) // 2)]
        self.fingerprint = hashlib.sha256(data).hexdigest()

    def act(self, view: View) -> int:
        """Return one of ``view.legal``."""
        values = view.observation / SCALE
        for weight, bias in self._layers[:-1]:
            values = np.tanh(values @ weight + bias)
        weight, bias = self._layers[-1]
        logits = values @ weight + bias
        return view.legal[int(logits[view.legal].argmax())]


@lru_cache(maxsize=4)
def _load(path: str, changed: int) -> PolicyAgent:
    return PolicyAgent(Path(path).read_bytes())


def agent(rules: Rules, seed: object) -> PolicyAgent:
    """Return the agent of the file that the environment variable ``BELOTE_POLICY`` names, for ``belote eval``.

    Raises:
        ValueError: if there is no such file.
    """
    path = os.environ.get(MODEL, "")
    if not os.path.isfile(path):
        raise ValueError(f"{MODEL} is {path!r}, expected the policy.safetensors that a script here wrote")
    return _load(path, os.stat(path).st_mtime_ns)  # an agent remembers nothing, so all seats may share it
