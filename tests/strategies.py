"""Hypothesis strategies for random rules: presets with sensible mixtures of the options of the rules, §7."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from referee import PRESETS, rules_of, senseless

OPTION_VALUES: dict[str, list[Any]] = {
    "direction": ["anticlockwise", "clockwise"],
    "reshuffle": [True, False],
    "denominations": [["S", "H", "D", "C", *more] for more in ([], ["NT"], ["AT"], ["NT", "AT"])],
    "max_bid": [160, 180],
    "capot_bid": [True, False],
    "generale_bid": [True, False],
    "surcoinche": ["both", "bidder", "none"],
    "overtake_partner": [True, False],
    "undertrump": ["forced", "free"],
    "partner_winning": ["free", "beat_if_trumping", "must_trump"],
    "nt_values": ["ace19", "doubled"],
    "at_values": ["13", "14", "full"],
    "nt_carres": ["plain", "literal"],
    "declarations": [True, False],
    "announce": ["auto", "choose"],
    "announce_detail": ["kind", "kind_top"],
    "declaration_order": ["value", "value_length", "carre_first"],
    "carre_order": ["strength", "natural"],
    "capot_points": [162, 250, 252],
    "capot_declarations": ["lost", "taken", "stay"],
    "made": ["more", "at_least", "cards_82", "bid", "bid_and_more", "bid_and_82"],
    "scoring": ["coinche", "contree", "announced", "made", "made_announced"],
    "rounding": ["none", "ten"],
    "failed_capot_defence": [True, False],
    "litige": ["none", "next_winner", "next_made"],
    "litige_belote": ["kept", "pot"],
    "match_end": ["higher", "draw", "higher_last_winner", "last_takers"],
    "validate_target": [True, False],
    "target": [5, 120, 501, 1000],
}

seeds = st.integers(0, 2**32 - 1)


@st.composite
def rules_specs(draw: st.DrawFn) -> dict[str, Any]:
    """{"preset": name, "options": {...}} that makes sense: options that clash with another are taken out again."""
    preset = draw(st.sampled_from(sorted(PRESETS)))
    names = draw(st.lists(st.sampled_from(sorted(OPTION_VALUES)), unique=True, max_size=len(OPTION_VALUES)))
    options = {name: draw(st.sampled_from(OPTION_VALUES[name])) for name in names}
    while clash := senseless(rules_of({"preset": preset, "options": options})):
        del options[next(name for name in clash if name in options)]
    return {"preset": preset, "options": options}
