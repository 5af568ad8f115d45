"""The names of agents. One line adds one's own: ``register("mine", lambda rules, seed: Mine(seed))``.

``module:object`` names a factory ``(rules, seed) -> agent`` in any importable module without registering it. An
installed package gives its factory a name by an entry point of the group ``belote.agents``; it cannot take one of ours.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, TypeAlias, TypeVar

import numpy as np

from agents.base import Agent
from agents.easy import EasyAgent
from agents.levels import CRAZY, HARD, NORMAL, level, pimc, rollouts
from agents.random_agent import RandomAgent
from agents.split_agent import split
from agents.subprocess_agent import subprocess_agent
from belote_env.checks import unknown
from belote_env.rules import Rules

Seed: TypeAlias = int | np.random.Generator | np.random.SeedSequence | None
Factory: TypeAlias = Callable[..., Agent]
_Made = TypeVar("_Made", bound=Factory)

_FACTORIES: dict[str, tuple[Factory, bool]] = {}

GROUP = "belote.agents"
"""The entry-point group by which installed packages offer agents."""


@cache
def _offered() -> dict[str, importlib.metadata.EntryPoint]:
    """Return the agents of installed packages."""
    return {entry.name: entry for entry in importlib.metadata.entry_points(group=GROUP)}


def register(name: str, factory: Factory | None = None, *, takes_argument: bool = False) -> Any:
    """Make an agent known as ``name``; without ``factory``, a decorator for one.

    Args:
        name: what users write, without a colon.
        factory: ``(rules, seed) -> agent``, called once a seat; what :func:`make` says of ``seed`` holds.
        takes_argument: whether users write ``name:argument``; the factory is then ``(rules, seed, argument) -> agent``,
            with '' for the argument of the name alone, and raises ValueError for one that it cannot use.

    Raises:
        ValueError: if the name is taken, empty, or has a colon.
    """
    if not name or name in _FACTORIES or ":" in name:
        raise ValueError(f"agent name {name!r} is empty, taken or has a colon: choose another")

    def add(factory: _Made) -> _Made:
        _FACTORIES[name] = factory, takes_argument
        return factory

    return add if factory is None else add(factory)


@contextlib.contextmanager
def registered(name: str, factory: Factory) -> Iterator[None]:
    """Make an agent known for a while, as one that lies in memory only; see :func:`register`."""
    register(name, factory)
    try:
        yield
    finally:
        del _FACTORIES[name]


def names() -> tuple[str, ...]:
    """Return the registered names."""
    return tuple(_FACTORIES)


def module_of(spec: str) -> str | None:
    """Return the name of the module that an agent comes from, if it is ``module:object`` or an installed package's."""
    name = spec.partition(":")[0]
    if name in _FACTORIES:
        return None
    return _offered()[spec].module if spec in _offered() else name


def make(spec: str, rules: Rules, seed: Seed = None) -> Agent:
    """Return a new agent.

    Args:
        spec: ``NAME``, ``NAME:ARGUMENT``, ``module:object``, or the name of an installed package's agent.
        rules: the rule set that it will play.
        seed: for its own random choices; agents with the same seed make the same ones.

    Raises:
        ValueError: if there is no such agent, or its argument is wrong.
    """
    name, colon, argument = spec.partition(":")
    if name not in _FACTORIES:
        return _foreign(spec, rules, seed)
    factory, takes_argument = _FACTORIES[name]
    if takes_argument:
        return factory(rules, seed, argument)
    if colon:
        raise ValueError(f"agent {name!r} takes no argument, but got {argument!r}")
    return factory(rules, seed)


def _foreign(spec: str, rules: Rules, seed: Seed) -> Agent:
    """Return an agent from outside; whatever its code raises is told in one line."""
    try:
        return _checked(spec, _imported(spec)(rules, seed))
    except ValueError:
        raise
    except Exception as error:
        raise ValueError(
            f"agent {spec!r}: its factory (rules, seed) -> agent failed: {type(error).__name__}: {error}"
        ) from error


def _imported(spec: str) -> Factory:
    """Return the factory of an installed package, or ``module:object``."""
    factory = _offered()[spec].load() if spec in _offered() else _of_module(spec)
    if not callable(factory):
        raise ValueError(f"agent {spec!r} is not a factory (rules, seed) -> agent")
    return factory


def _of_module(spec: str) -> Any:
    """Return what ``module:object`` names."""
    module, _, path = spec.partition(":")
    if not path or not all(part.isidentifier() for part in module.split(".")):
        raise ValueError(_unknown(spec))
    try:
        return getattr(importlib.import_module(module), path)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise  # the module is there, and lacks something itself
        raise ValueError(_unknown(spec)) from None
    except AttributeError:
        raise ValueError(f"agent {spec!r}: module {module} has no {path}") from None


def _unknown(spec: str) -> str:
    return f"{unknown('agent', spec, (*names(), *_offered()))}, or module:object"


def _checked(spec: str, agent: Agent) -> Agent:
    if not callable(getattr(agent, "act", None)):
        raise ValueError(f"agent {spec!r} is not a factory (rules, seed) -> agent: what it made has no act(view)")
    return agent


def _register_optional(name: str, module: str, extra: str) -> None:
    """Make the agent known that the function ``name`` of a module makes; only who asks for it needs the extra."""

    def factory(rules: Rules, seed: Seed, argument: str) -> Agent:
        try:
            make_agent: Factory = getattr(importlib.import_module(module), name)
        except ImportError as error:
            raise ValueError(f'{name}:{argument} needs {error.name}: pip install "belote-env[{extra}]"') from None
        return make_agent(rules, seed, argument)

    register(name, factory, takes_argument=True)


register("random", lambda rules, seed: RandomAgent(seed))
register("easy", lambda rules, seed: EasyAgent(seed))
for _name, _style in (("normal", NORMAL), ("hard", HARD), ("crazy", CRAZY)):
    register(_name, partial(level, _style), takes_argument=True)
register("rollouts", rollouts, takes_argument=True)
register("pimc", pimc, takes_argument=True)
_register_optional("net", "agents.net_agent", "train")
_register_optional("onnx", "agents.onnx_agent", "onnx")
_register_optional("search", "agents.search", "train")
register(
    "bid", lambda rules, seed, argument: split(argument, lambda spec: make(spec, rules, seed)), takes_argument=True
)
register("exec", lambda rules, seed, argument: subprocess_agent(argument, seed), takes_argument=True)
_register_optional("openspiel", "agents.openspiel_agent", "integrations")
