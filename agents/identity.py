"""What an agent is, down to its code and data: results of agents with the same identity belong together."""

from __future__ import annotations

import hashlib
import importlib
from functools import cache
from pathlib import Path

import agents
import belote_env
from agents.registry import make, module_of
from belote_env.rules import Rules

_SUFFIXES = (".py", ".npy")


@cache
def _shipped() -> bytes:
    """Return a hash of everything that shipped agents depend on: the agents, and the game as they see it."""
    digest = hashlib.sha256()
    game = Path(belote_env.__path__[0])
    own = [game / f"{name}.py" for name in ("actions", "cards", "observation", "rules", "view")]
    for folder in (Path(agents.__path__[0]), game / "engine", game / "solver"):
        own += [path for path in folder.rglob("*") if path.suffix in _SUFFIXES]
    for path in sorted(own):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.digest()


def identity(spec: str, rules: Rules) -> str:
    """Return ``SPEC@FINGERPRINT``: another one as soon as the agent's code or data, or the game's, change.

    The fingerprint covers the shipped agents and the engine; for ``module:object``, and for an agent of an installed
    package, the source of that module; and an agent's attribute ``fingerprint`` (a text), if it has one, which must
    tell apart what it loads from elsewhere, as the weights of a network; and the agents that it names in an attribute
    ``parts``, if it is made of others.

    Args:
        spec: what :func:`agents.registry.make` takes.
        rules: the rule set that it will play.

    Raises:
        ValueError: if there is no such agent.
    """
    agent = make(spec, rules, 0)
    digest = hashlib.sha256(_shipped())
    module = module_of(spec)
    if module is not None:
        source = importlib.import_module(module).__file__
        digest.update(Path(source).read_bytes() if source else b"")
    for part in getattr(agent, "parts", ()):
        digest.update(identity(part, rules).encode())
    digest.update(getattr(agent, "fingerprint", "").encode())
    return f"{spec}@{digest.hexdigest()[:16]}"
