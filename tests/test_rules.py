"""Rule sets: the presets, mixtures that make no sense, names and values, round trips."""

from __future__ import annotations

import json
import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from referee import PRESETS, rules_of, senseless
from strategies import OPTION_VALUES, rules_specs

from belote_env import Rules

# Every option, and values that the game of another auction would need.
ALL_VALUES = {
    **OPTION_VALUES,
    "deal": ["turned", "full", "random_trump"],
    "auction": ["turned", "points", "tricks", "none"],
    "made": [*OPTION_VALUES["made"], "tricks", "none"],
    "scoring": [*OPTION_VALUES["scoring"], "each_own", "encheres", "more_tricks"],
}


def plain(rules: Rules) -> dict:
    return {name: list(v) if isinstance(v := getattr(rules, name), tuple) else v for name in ALL_VALUES}


def test_the_presets_are_the_table_of_the_rules():
    assert set(Rules.presets()) == set(PRESETS)
    for name, options in PRESETS.items():
        assert plain(Rules.preset(name)) == options
        assert Rules.preset(name).difference == {}


@st.composite
def any_mixtures(draw):
    names = draw(st.lists(st.sampled_from(sorted(ALL_VALUES)), unique=True, max_size=8))
    options = {name: draw(st.sampled_from(ALL_VALUES[name])) for name in names}
    return {"preset": draw(st.sampled_from(sorted(PRESETS))), "options": options}


@settings(max_examples=1000, deadline=None)
@given(any_mixtures())
def test_exactly_the_senseless_mixtures_are_refused(spec):
    full = rules_of(spec)
    if senseless(full) is None:
        assert plain(Rules.from_dict(spec)) == full
        return
    with pytest.raises(ValueError, match="does not go with") as caught:
        Rules.from_dict(spec)
    one, other = re.match(r"(\w+)=.* does not go with (\w+)=", str(caught.value)).groups()
    # The two that are named do clash: also when the rest of the mixture is mended.
    assert {one, other} in [{*clash} for clash in clashes(full)]


def clashes(full: dict) -> list[tuple[str, str]]:
    """All pairs that clash in a mixture, found by giving the referee ever more sensible ones."""
    found = []
    for preset in PRESETS.values():
        for one in ("deal", "made", "scoring", "denominations", "generale_bid", "declarations", "litige"):
            for other in ("auction", "deal", "capot_bid", "scoring", "made"):
                if one != other:
                    mixed = {**preset, one: full[one], other: full[other]}
                    found += [clash for clash in [senseless(mixed)] if clash == (one, other)]
    return found


@given(rules_specs())
def test_round_trips(spec):
    rules = Rules.from_dict(spec)
    assert Rules.from_json(rules.to_json()) == rules
    assert Rules.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules
    copy = pickle.loads(pickle.dumps(rules))
    assert copy == rules and hash(copy) == hash(rules) and copy.vector.tolist() == rules.vector.tolist()
    table = dict(line.removesuffix("  (changed)").split(None, 1) for line in rules.describe().splitlines()[1:])
    assert set(table) == set(ALL_VALUES)
    # The table's own words build the same rule set.
    assert Rules.parse(rules.base, [f"{name}={value}" for name, value in table.items()]) == rules


def test_different_rules_have_different_vectors():
    vectors = {
        tuple(Rules.from_dict({"preset": "coinche_plus", "options": {name: value}}).vector)
        for name in ("surcoinche", "undertrump", "partner_winning", "nt_values", "at_values", "capot_points")
        for value in OPTION_VALUES[name]
    }
    assert len(vectors) == 1 + 2 + 1 + 2 + 1 + 2 + 2


def test_rules_cannot_be_changed():
    rules = Rules.preset("belote")
    with pytest.raises(AttributeError):
        rules.target = 5
    with pytest.raises(ValueError, match="read-only"):
        rules.vector[0] = 1


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"preset": "coinch"}, "unknown preset 'coinch': did you mean 'coinche'"),
        ({"preset": "belote", "options": {"targt": 5}}, "unknown option 'targt': did you mean 'target'"),
        ({"preset": "belote", "options": {"name": 1}}, "unknown option 'name'"),
        ({"preset": "belote", "options": {"base": "coinche"}}, "unknown option 'base'"),
        ({"preset": "belote", "options": {"litige": "always"}}, "option litige must be one of none, next_winner"),
        ({"preset": "belote", "options": {"declarations": 1}}, "option declarations must be one of false, true"),
        ({"preset": "belote", "options": {"capot_points": 252.0}}, "option capot_points must be one of 162, 250, 252"),
        ({"preset": "belote", "options": {"deal": []}}, "option deal must be one of"),
        ({"preset": "belote", "options": {"target": 0}}, "option target must be a whole number from 1"),
        ({"preset": "belote", "options": {"target": True}}, "option target must be a whole number"),
        ({"preset": "coinche", "options": {"denominations": ["S", "H", "D"]}}, "must list S H D C"),
        ({"preset": "coinche", "options": {"denominations": [["S"]]}}, "must list S H D C"),
        ({"preset": "coinche", "options": {"denominations": "SHDC"}}, "must list S H D C"),
        ({"preset": "belote", "option": {}}, "unknown key of rules 'option': did you mean 'options'"),
        ({"preset": "belote", "options": []}, "must be an object"),
        ({"preset": "belote", "options": {1: 2}}, "unknown option 1"),
        ({"preset": "belote", 1: {}}, "unknown key of rules 1"),
        ({"preset": []}, "rules must be an object"),
        ("belote", "rules must be an object"),
    ],
)
def test_what_is_wrong_is_named(spec, message):
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        Rules.from_dict(spec)
    assert "\n" not in str(caught.value)


def test_numpy_values_are_values():
    rules = Rules.preset("coinche", target=np.int32(700), max_bid=np.int64(180), capot_points=np.uint8(250))
    rules = Rules.preset("coinche", **rules.difference, generale_bid=np.bool_(False))
    assert rules == Rules.preset("coinche", target=700, max_bid=180, capot_points=250, generale_bid=False)
    assert type(rules.target) is int and json.loads(rules.to_json()) == rules.to_dict()
    with pytest.raises(ValueError, match="whole number"):
        Rules.preset("coinche", target=np.float64(700))


def test_texts():
    assert Rules.parse("coinche", ["target=2000", "denominations=S,H,D,C,AT", "declarations=false"]) == Rules.preset(
        "coinche", target=2000, denominations=["AT", "S", "H", "D", "C"], declarations=False
    )
    assert str(Rules.parse("coinche", ["target=2000"])) == "coinche (target=2000)"
    for text, message in [
        ("target", "not of the form option=value"),
        ("target=many", "whole number"),
        ("x=1", "unknown"),
    ]:
        with pytest.raises(ValueError, match=message):
            Rules.parse("coinche", [text])
