"""Policies on disk: a folder with the weights (safetensors, which cannot run code) and JSON that says whose."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch

from agents.network import PolicyNetwork, Sizes
from agents.neural import check_plays
from belote_env.features import observation_layout
from belote_env.files import write_atomically
from belote_env.rules import Rules

FORMAT = "belote-policy/2"
WEIGHTS, DESCRIPTION = "policy.safetensors", "policy.json"
SHIPPED = Path(__file__).resolve().parents[1] / "checkpoints"
"""Where the checkpoints that come with the project lie."""


@dataclass(frozen=True)
class Checkpoint:
    """A policy and what it was trained for.

    Attributes:
        network: the player.
        rules: the rule sets that it was trained on.
        notes: whatever the training says of itself: decisions seen, commands, results.
        fingerprint: of the weights, known once they lie on disk.
    """

    network: PolicyNetwork
    rules: tuple[Rules, ...]
    notes: dict[str, Any] = field(default_factory=dict)
    fingerprint: str = ""

    def check_plays(self, rules: Rules, name: str) -> None:
        """Refuse a game that the policy was not trained for, as :func:`agents.neural.check_plays`."""
        check_plays(self.rules, rules, name)


def save(
    folder: Path,
    network: PolicyNetwork,
    rules: Iterable[Rules],
    notes: dict[str, Any] | None = None,
    precision: torch.dtype = torch.float32,
) -> None:
    """Write a policy into ``folder``, which is made if it is not there; a kill leaves the old one or the new one.

    Args:
        folder: where.
        network: the player.
        rules: the rule sets that it was trained on.
        notes: whatever the training says of itself.
        precision: of the weights on disk.
    """
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: tensor.detach().cpu().contiguous().to(precision) for name, tensor in network.state_dict().items()}
    data = safetensors.torch.save(weights)
    description = {
        "format": FORMAT,
        "sha256": hashlib.sha256(data).hexdigest(),
        "observation": observation_layout(),
        "sizes": network.sizes.to_dict(),
        "rules": [one.to_dict() for one in rules],
        "notes": notes or {},
    }
    write_atomically(folder / WEIGHTS, data)
    write_atomically(folder / DESCRIPTION, json.dumps(description, indent=1) + "\n")


def find(name: str) -> Path:
    """Return the folder of a checkpoint, given by the name of a shipped one or by its path.

    Raises:
        ValueError: if there is none.
    """
    for folder in (SHIPPED / name, Path(name), Path(name) / "policy"):
        if name and (folder / DESCRIPTION).is_file():
            return folder
    shipped = sorted(path.parent.name for path in SHIPPED.glob(f"*/{DESCRIPTION}"))
    raise ValueError(
        f"there is no checkpoint {name!r}: give one of {', '.join(shipped) or 'none shipped'}, or a folder with "
        f"{DESCRIPTION}"
    )


def load(name: str) -> Checkpoint:
    """Return the policy of a shipped checkpoint, or of a folder.

    Raises:
        ValueError: if there is none, or if it is damaged, or made by another version.
    """
    folder = find(name)
    try:
        description = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
        data = (folder / WEIGHTS).read_bytes()
    except (OSError, ValueError) as error:
        raise ValueError(f"checkpoint {folder}: cannot be read: {error}") from None
    if not isinstance(description, dict) or description.get("format") != FORMAT:
        raise ValueError(f"checkpoint {folder}: {DESCRIPTION} is not a description of the format {FORMAT}")
    if description.get("observation") != observation_layout():
        raise ValueError(f"checkpoint {folder}: made for another version of the observation; train it anew")
    fingerprint = hashlib.sha256(data).hexdigest()
    if fingerprint != description.get("sha256"):
        raise ValueError(f"checkpoint {folder}: {WEIGHTS} is truncated or not the one that {DESCRIPTION} describes")
    try:
        network = PolicyNetwork(Sizes(**description["sizes"]))
        network.load_state_dict(safetensors.torch.load(data))
        rules = tuple(Rules.from_dict(one) for one in description["rules"])
    except (KeyError, TypeError, ValueError, RuntimeError, safetensors.SafetensorError) as error:
        raise ValueError(f"checkpoint {folder}: {str(error).splitlines()[0]}") from None
    if not all(bool(tensor.isfinite().all()) for tensor in network.parameters()):
        raise ValueError(f"checkpoint {folder}: {WEIGHTS} holds weights that are no numbers")
    network.eval().requires_grad_(False)
    return Checkpoint(network, rules, description.get("notes", {}), fingerprint)
