"""Configurations of trainings as options of the command line: fields of a dataclass, its docstring as their help."""

from __future__ import annotations

import argparse
import re
from dataclasses import MISSING, Field, asdict, fields, is_dataclass
from typing import Any, TypeVar

Config = TypeVar("Config")


def _explanations(kind: type) -> dict[str, str]:
    """Return what the section ``Attributes`` of a docstring says of each field."""
    text = (kind.__doc__ or "").partition("Attributes:")[2]
    parts = re.findall(r"^ {8}(\w+): (.+(?:\n {12}.+)*)", text, re.MULTILINE)
    return {name: " ".join(line.strip() for line in words.splitlines()) for name, words in parts}


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def add_options(parser: argparse.ArgumentParser, kind: type) -> None:
    """Add an option for each field of a dataclass, and of the dataclasses in it; what is not given stays None."""
    help_of = _explanations(kind)
    for field in fields(kind):
        default = _default(field)
        if is_dataclass(default):
            add_options(parser, type(default))
            continue
        many = isinstance(default, tuple)
        shown = " ".join(map(str, default)) if many else default
        suffix = "" if shown in ("", ()) else f" (default {shown})"
        parser.add_argument(
            f"--{field.name.replace('_', '-')}",
            nargs="+" if many else None,
            type=str if many else type(default),
            metavar="X",
            help=(help_of.get(field.name, "") + suffix).replace("%", "%%"),
        )


def from_options(kind: type[Config], args: argparse.Namespace, base: dict[str, Any] | None = None) -> Config:
    """Return the dataclass that options describe; what was not given is taken from ``base``, or else its default.

    Raises:
        ValueError: if something in ``base``, which JSON gave, is of a wrong type.
    """
    base = base or {}
    values: dict[str, Any] = {}
    for field in fields(kind):  # type: ignore[arg-type]
        default = _default(field)
        if field.name in base:
            _check_type(field.name, base[field.name], default)
        if is_dataclass(default):
            values[field.name] = from_options(type(default), args, base.get(field.name))
            continue
        given = getattr(args, field.name)
        value = base.get(field.name, default) if given is None else given
        values[field.name] = tuple(value) if isinstance(default, tuple) else value
    return kind(**values)


def _check_type(name: str, value: Any, default: Any) -> None:
    """Refuse what JSON gave for a field if it is not of the type of the field's default."""
    example = default
    if isinstance(default, tuple):
        good, example = isinstance(value, list) and all(isinstance(one, str) for one in value), list(default)
    elif is_dataclass(default) and not isinstance(default, type):
        good, example = isinstance(value, dict), asdict(default)
    elif isinstance(default, float):
        good = isinstance(value, int | float) and not isinstance(value, bool)
    else:
        good = type(value) is type(default)
    if not good:
        raise ValueError(f"{name} is {value!r} in the configuration of the run, expected something like {example!r}")


def between(config: Any, low: float, high: float, *names: str) -> None:
    """Refuse a configuration in which one of these numbers is not within bounds; nan never is.

    Raises:
        ValueError: which names it.
    """
    for name in names:
        if not low <= (value := getattr(config, name)) <= high:
            raise ValueError(f"{name} is {value}, expected {low:g} to {high:g}")


def at_least(config: Any, least: int, *names: str) -> None:
    """Refuse a configuration in which one of these numbers is below ``least``.

    Raises:
        ValueError: which names it.
    """
    for name in names:
        if getattr(config, name) < least:
            raise ValueError(f"{name} is {getattr(config, name)}, expected {least} or more")
