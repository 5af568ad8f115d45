"""Rule sets: a frozen dataclass of options, the table of presets, and which mixtures make no sense (rules §7)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal

import numpy as np

from belote_env.cards import DENOMINATIONS, SUITS
from belote_env.checks import unknown
from belote_env.engine.options import NUMERIC, OPTION_NAMES, OPTIONS
from belote_env.features import blank_observation

COMMON: dict[str, Any] = {
    "reshuffle": True,
    "denominations": tuple(SUITS),
    "max_bid": 160,
    "capot_bid": False,
    "generale_bid": False,
    "surcoinche": "none",
    "overtake_partner": True,
    "undertrump": "forced",
    "partner_winning": "free",
    "nt_values": "ace19",
    "at_values": "13",
    "nt_carres": "plain",
    "announce": "auto",
    "announce_detail": "kind",
    "declaration_order": "value",
    "carre_order": "strength",
    "capot_points": 252,
    "capot_declarations": "lost",
    "rounding": "none",
    "failed_capot_defence": False,
    "litige": "none",
    "litige_belote": "kept",
    "match_end": "higher",
    "validate_target": False,
}
"""What an option is where a preset does not name it."""

_TURNED = {"deal": "turned", "auction": "turned", "scoring": "each_own", "failed_capot_defence": True}
_POINTS = {"deal": "full", "auction": "points", "capot_bid": True}
_COINCHE = {
    **_POINTS,
    "direction": "anticlockwise",
    "generale_bid": True,
    "surcoinche": "both",
    "declarations": True,
    "capot_declarations": "taken",
    "made": "bid_and_more",
    "scoring": "coinche",
    "rounding": "ten",
    "target": 1000,
}
_WITHOUT_DECLARATIONS = {"direction": "clockwise", "declarations": False}
_COINCHE_180 = {
    **_POINTS,
    **_WITHOUT_DECLARATIONS,
    "max_bid": 180,
    "partner_winning": "beat_if_trumping",
    "made": "bid",
    "capot_points": 250,
}

_PRESETS: dict[str, dict[str, Any]] = {
    "belote": {
        **_TURNED,
        "direction": "anticlockwise",
        "declarations": True,
        "made": "more",
        "litige": "next_winner",
        "target": 501,
    },
    "coinche": _COINCHE,
    "coinche_plus": {**_COINCHE, "denominations": DENOMINATIONS},
    "belote_classique": {
        **_TURNED,
        "direction": "anticlockwise",
        "declarations": True,
        "declaration_order": "carre_first",
        "announce_detail": "kind_top",
        "capot_declarations": "stay",
        "made": "at_least",
        "match_end": "draw",
        "target": 1000,
    },
    "contree": {
        **_POINTS,
        "direction": "anticlockwise",
        "denominations": DENOMINATIONS,
        "at_values": "14",
        "surcoinche": "both",
        "partner_winning": "beat_if_trumping",
        "declarations": True,
        "declaration_order": "value_length",
        "capot_points": 250,
        "capot_declarations": "stay",
        "made": "bid_and_82",
        "scoring": "contree",
        "rounding": "ten",
        "failed_capot_defence": True,
        "match_end": "higher_last_winner",
        "target": 1000,
    },
    "decouverte": {
        **_WITHOUT_DECLARATIONS,
        "deal": "random_trump",
        "auction": "none",
        "partner_winning": "must_trump",
        "made": "none",
        "scoring": "more_tricks",
        "target": 5,
    },
    "encheres": {
        **_WITHOUT_DECLARATIONS,
        "deal": "full",
        "auction": "tricks",
        "denominations": DENOMINATIONS,
        "capot_bid": True,
        "partner_winning": "must_trump",
        "made": "tricks",
        "scoring": "encheres",
        "target": 8,
    },
    "belote_82": {
        **_TURNED,
        **_WITHOUT_DECLARATIONS,
        "partner_winning": "beat_if_trumping",
        "capot_points": 250,
        "made": "cards_82",
        "match_end": "last_takers",
        "target": 1000,
    },
    "coinche_announced": {**_COINCHE_180, "capot_points": 162, "scoring": "announced", "target": 1000},
    "coinche_made": {**_COINCHE_180, "scoring": "made", "match_end": "last_takers", "target": 1000},
    "coinche_made_announced": {
        **_COINCHE_180,
        "scoring": "made_announced",
        "match_end": "last_takers",
        "target": 1500,
    },
    "belote_sans_annonces": {
        **_TURNED,
        **_WITHOUT_DECLARATIONS,
        "made": "more",
        "litige": "next_winner",
        "target": 1000,
    },
    "coinche_sans_annonces": {
        **_POINTS,
        **_WITHOUT_DECLARATIONS,
        "surcoinche": "bidder",
        "undertrump": "free",
        "made": "bid_and_more",
        "scoring": "coinche",
        "rounding": "ten",
        "failed_capot_defence": True,
        "validate_target": True,
        "target": 2000,
    },
    "coinche_scaled": {**_COINCHE, "denominations": DENOMINATIONS, "nt_values": "doubled", "at_values": "full"},
}

# (option, its values, other option, the values of the other that go with them).
_NEEDS: tuple[tuple[str, tuple, str, tuple], ...] = (
    ("deal", ("turned",), "auction", ("turned",)),
    ("deal", ("full",), "auction", ("points", "tricks")),
    ("deal", ("random_trump",), "auction", ("none",)),
    ("made", ("more", "at_least", "cards_82"), "auction", ("turned",)),
    ("made", ("bid", "bid_and_more", "bid_and_82"), "auction", ("points",)),
    ("made", ("tricks",), "auction", ("tricks",)),
    ("made", ("none",), "auction", ("none",)),
    ("scoring", ("each_own",), "auction", ("turned",)),
    ("scoring", ("encheres",), "auction", ("tricks",)),
    ("scoring", ("more_tricks",), "auction", ("none",)),
    ("scoring", ("coinche", "contree", "announced", "made", "made_announced"), "auction", ("points",)),
    ("declarations", (True,), "scoring", ("each_own", "coinche", "contree")),
    ("generale_bid", (True,), "capot_bid", (True,)),
    ("litige", ("next_winner", "next_made"), "auction", ("turned",)),
    ("litige", ("next_winner", "next_made"), "made", ("more", "at_least")),
)


@dataclass(frozen=True)
class Rules:
    """Every option of a game, by keyword; build one with :meth:`preset`. Values and meanings: rules §7."""

    direction: Literal["anticlockwise", "clockwise"]
    deal: Literal["turned", "full", "random_trump"]
    auction: Literal["turned", "points", "tricks", "none"]
    reshuffle: bool
    denominations: tuple[str, ...]
    max_bid: int
    capot_bid: bool
    generale_bid: bool
    surcoinche: Literal["none", "bidder", "both"]
    overtake_partner: bool
    undertrump: Literal["forced", "free"]
    partner_winning: Literal["free", "beat_if_trumping", "must_trump"]
    nt_values: Literal["ace19", "doubled"]
    at_values: Literal["13", "14", "full"]
    nt_carres: Literal["plain", "literal"]
    declarations: bool
    announce: Literal["auto", "choose"]
    announce_detail: Literal["kind", "kind_top"]
    declaration_order: Literal["value", "value_length", "carre_first"]
    carre_order: Literal["strength", "natural"]
    capot_points: int
    capot_declarations: Literal["lost", "taken", "stay"]
    made: Literal["more", "at_least", "cards_82", "bid", "bid_and_more", "bid_and_82", "tricks", "none"]
    scoring: Literal["each_own", "coinche", "contree", "announced", "made", "made_announced", "encheres", "more_tricks"]
    rounding: Literal["none", "ten"]
    failed_capot_defence: bool
    litige: Literal["none", "next_winner", "next_made"]
    litige_belote: Literal["kept", "pot"]
    match_end: Literal["higher", "draw", "higher_last_winner", "last_takers"]
    validate_target: bool
    target: int
    base: str
    """Name of the preset that this rule set was built from."""

    def __post_init__(self) -> None:
        _preset_options(self.base)
        for name in OPTION_NAMES:
            object.__setattr__(self, name, _checked(name, getattr(self, name)))
        _refuse_senseless(self)

    @classmethod
    def preset(cls, name: str, /, **options: Any) -> Rules:
        """Return the preset ``name``, with any of its options replaced.

        Raises:
            ValueError: for an unknown preset, option or value, or for a mixture that makes no sense.
        """
        return cls._changed(name, options)

    @classmethod
    def _changed(cls, name: str, options: Mapping[Any, Any]) -> Rules:
        values = {**COMMON, **_preset_options(name)}
        for option in options:
            if option not in OPTIONS:
                raise ValueError(unknown("option", option, OPTION_NAMES))
        return cls(**{**values, **options}, base=name)

    @classmethod
    def parse(cls, preset: str, assignments: Iterable[str]) -> Rules:
        """Return a preset changed by texts as ``target=2000``, values written as :meth:`describe` shows them.

        Raises:
            ValueError: as :meth:`preset` does, and for a text that is no assignment.
        """
        options = {}
        for assignment in assignments:
            name, equals, text = assignment.partition("=")
            if not equals:
                raise ValueError(f"{assignment!r} is not of the form option=value")
            if name in options:
                raise ValueError(f"option {name} is given twice")
            options[name] = _value(name, text)
        return cls.preset(preset, **options)

    @staticmethod
    def presets() -> tuple[str, ...]:
        """Return the names of all presets."""
        return tuple(_PRESETS)

    @classmethod
    def of(cls, rules: Rules | str) -> Rules:
        """Return ``rules`` itself, or the preset of that name."""
        return rules if isinstance(rules, Rules) else cls.preset(rules)

    @property
    def difference(self) -> dict[str, Any]:
        """The options in which this rule set differs from its preset."""
        base = {**COMMON, **_preset_options(self.base)}
        return {name: getattr(self, name) for name in OPTION_NAMES if getattr(self, name) != base[name]}

    def __str__(self) -> str:
        words = ", ".join(f"{name}={_text(value)}" for name, value in self.difference.items())
        return f"{self.base} ({words})" if words else self.base

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"preset": name, "options": {…}}`` as in a deal record, the options being the difference."""
        options = {k: list(v) if isinstance(v, tuple) else v for k, v in self.difference.items()}
        return {"preset": self.base, "options": options}

    @classmethod
    def from_dict(cls, data: Any) -> Rules:
        """Return the rule set written by :meth:`to_dict`.

        Raises:
            ValueError: if ``data`` is not one.
        """
        if not isinstance(data, dict) or not isinstance(data.get("preset"), str):
            raise ValueError('rules must be an object as {"preset": "belote", "options": {}}')
        options = data.get("options", {})
        if not isinstance(options, dict):
            raise ValueError(f"the options of rules must be an object, not {options!r}")
        for key in data:
            if key not in ("preset", "options"):
                raise ValueError(unknown("key of rules", key, ("preset", "options")))
        return cls._changed(data["preset"], options)

    def to_json(self) -> str:
        """Return :meth:`to_dict` as JSON text."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> Rules:
        """Return the rule set written by :meth:`to_json`."""
        return cls.from_dict(json.loads(text))

    @cached_property
    def vector(self) -> np.ndarray:
        """The rule set as the kernel reads it: ``int64``, shape ``(RULES_SIZE,)``, read-only."""
        codes = {name: _code(name, getattr(self, name)) for name in OPTION_NAMES}
        if self.auction == "tricks":
            # Its ladder ends with capot, and a coinche is final (rules §3).
            codes["generale_bid"] = codes["surcoinche"] = 0
        vector = np.array(list(codes.values()), dtype=np.int64)
        vector.flags.writeable = False
        return vector

    @cached_property
    def blank_observation(self) -> np.ndarray:
        """What an observation says of the rules alone: ``uint8``, shape ``(OBSERVATION_SIZE,)``, read-only."""
        blank = blank_observation(self.vector)
        blank.flags.writeable = False
        return blank

    def describe(self) -> str:
        """Return a table of every option and its value, those that differ from the preset marked."""
        changed = self.difference
        rows = [str(self)]
        for name in OPTION_NAMES:
            mark = "  (changed)" if name in changed else ""
            rows.append(f"  {name:<22} {_text(getattr(self, name))}{mark}")
        return "\n".join(rows)


assert tuple(field.name for field in fields(Rules))[:-1] == OPTION_NAMES


def _preset_options(name: str) -> dict[str, Any]:
    if not isinstance(name, str) or name not in _PRESETS:
        raise ValueError(unknown("preset", name, tuple(_PRESETS)))
    return _PRESETS[name]


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return " ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _value(name: str, text: str) -> Any:
    """Return the value that :func:`_text` writes so; the text itself if there is none."""
    if name == "denominations":
        return text.replace(",", " ").split()
    if name == "target":
        return int(text) if text.isdecimal() else text
    return next((value for value in OPTIONS.get(name, ()) if _text(value) == text), text)


def _code(name: str, value: Any) -> int:
    if name in NUMERIC:
        return int(value)
    if name == "denominations":
        return sum(1 << OPTIONS[name].index(denomination) for denomination in value)
    return OPTIONS[name].index(value)


def _checked(name: str, value: Any) -> Any:
    """Return the value of an option in its normal form, or raise ValueError."""
    if isinstance(value, np.generic):
        value = value.item()
    if name == "target":
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 25_000:
            raise ValueError(f"option target must be a whole number from 1 to 25000, not {value!r}")
        return value
    allowed = OPTIONS[name]
    if name == "denominations":
        listed = isinstance(value, list | tuple) and all(one in allowed for one in value)
        if not listed or not set(SUITS) <= set(value):
            raise ValueError(f"option denominations must list S H D C, and NT or AT if wanted, not {value!r}")
        return tuple(denomination for denomination in allowed if denomination in value)
    # True == 1, so the type must agree too.
    if not any(value == one and type(value) is type(one) for one in allowed):
        raise ValueError(f"option {name} must be one of {', '.join(map(_text, allowed))}, not {value!r}")
    return value


def _refuse_senseless(rules: Rules) -> None:
    if len(rules.denominations) > 4 and rules.deal != "full":
        raise ValueError(
            f"denominations={_text(rules.denominations)} does not go with deal={rules.deal}: NT and AT need deal=full"
        )
    for name, values, other, needed in _NEEDS:
        value, found = getattr(rules, name), getattr(rules, other)
        if value in values and found not in needed:
            wanted = " or ".join(map(_text, needed))
            raise ValueError(
                f"{name}={_text(value)} does not go with {other}={_text(found)}: it needs {other}={wanted}"
            )
