"""The names of agents. One line adds one's own: ``register("mine", lambda rules, seed, argument: Mine(seed))``.

A name may carry an argument after a colon (``net:PATH``); ``module:object`` names a factory ``(rules, seed) -> agent``
in any importable module.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from agents.base import Agent
from agents.easy import EasyAgent
from agents.random_agent import RandomAgent
from belote_env.rules import Rules
from belote_env.suggest import unknown

Seed: TypeAlias = int | np.random.Generator | np.random.SeedSequence | None
Factory: TypeAlias = Callable[[Rules, Seed, str], Agent]

_FACTORIES: dict[str, Factory] = {}


def register(name: str, factory: Factory) -> None:
    """Make ``factory(rules, seed, argument)`` known as ``name``; ``argument`` is what stands after a colon, or ''.

    Raises:
        ValueError: if the name is taken, or has a colon itself.
    """
    if name in _FACTORIES or ":" in name:
        raise ValueError(f"agent name {name!r} is taken or has a colon: choose another")
    _FACTORIES[name] = factory


def names() -> tuple[str, ...]:
    """Return the registered names."""
    return tuple(_FACTORIES)


def make(spec: str, rules: Rules, seed: Seed = None) -> Agent:
    """Return a new agent.

    Args:
        spec: ``NAME``, ``NAME:ARGUMENT``, or ``module:object``.
        rules: the rule set that it will play.
        seed: for its own random choices; agents with the same seed make the same ones.

    Raises:
        ValueError: if there is no such agent, or it takes no argument.
    """
    name, colon, argument = spec.partition(":")
    if name in _FACTORIES:
        return _FACTORIES[name](rules, seed, argument)
    if not colon:
        raise ValueError(unknown("agent", spec, names()) + ", or module:object")
    try:
        factory = getattr(importlib.import_module(name), argument)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"unknown agent {spec!r}: {error}") from None
    agent: Agent = factory(rules, seed)
    return agent


def _plain(name: str, agent: Callable[[Seed], Agent]) -> None:
    def factory(rules: Rules, seed: Seed, argument: str) -> Agent:
        if argument:
            raise ValueError(f"agent {name!r} takes no argument, but got {argument!r}")
        return agent(seed)

    register(name, factory)


_plain("random", RandomAgent)
_plain("easy", EasyAgent)
