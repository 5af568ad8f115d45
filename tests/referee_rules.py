"""The referee's own table of options and presets, typed from the rules, §7, and the mixtures that make no sense."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

FOUR_SUITS = ["S", "H", "D", "C"]
EVERY_DENOMINATION = [*FOUR_SUITS, "NT", "AT"]

DEFAULTS: dict[str, Any] = {
    "direction": "anticlockwise",
    "deal": "full",
    "auction": "points",
    "reshuffle": True,
    "denominations": FOUR_SUITS,
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
    "declarations": False,
    "announce": "auto",
    "announce_detail": "kind",
    "declaration_order": "value",
    "carre_order": "strength",
    "capot_points": 252,
    "capot_declarations": "lost",
    "made": "bid_and_more",
    "scoring": "coinche",
    "rounding": "none",
    "failed_capot_defence": False,
    "litige": "none",
    "litige_belote": "kept",
    "match_end": "higher",
    "validate_target": False,
    "target": 1000,
}

_TURNED = {"deal": "turned", "auction": "turned", "made": "more", "scoring": "each_own", "failed_capot_defence": True}
_COINCHE = {
    "declarations": True,
    "capot_bid": True,
    "generale_bid": True,
    "surcoinche": "both",
    "capot_declarations": "taken",
    "rounding": "ten",
}
_ANNOUNCED = {
    "direction": "clockwise",
    "partner_winning": "beat_if_trumping",
    "max_bid": 180,
    "capot_bid": True,
    "capot_points": 250,
    "made": "bid",
}

PRESETS: dict[str, dict[str, Any]] = {
    name: {**DEFAULTS, **options}
    for name, options in {
        "belote": {**_TURNED, "declarations": True, "litige": "next_winner", "target": 501},
        "coinche": _COINCHE,
        "coinche_plus": {**_COINCHE, "denominations": EVERY_DENOMINATION},
        "belote_classique": {
            **_TURNED,
            "made": "at_least",
            "declarations": True,
            "declaration_order": "carre_first",
            "capot_declarations": "stay",
            "announce_detail": "kind_top",
            "match_end": "draw",
        },
        "contree": {
            "denominations": EVERY_DENOMINATION,
            "capot_bid": True,
            "surcoinche": "both",
            "at_values": "14",
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
        },
        "decouverte": {
            "direction": "clockwise",
            "deal": "random_trump",
            "auction": "none",
            "partner_winning": "must_trump",
            "made": "none",
            "scoring": "more_tricks",
            "target": 5,
        },
        "encheres": {
            "direction": "clockwise",
            "auction": "tricks",
            "denominations": EVERY_DENOMINATION,
            "capot_bid": True,
            "partner_winning": "must_trump",
            "made": "tricks",
            "scoring": "encheres",
            "target": 8,
        },
        "belote_82": {
            **_TURNED,
            "direction": "clockwise",
            "partner_winning": "beat_if_trumping",
            "capot_points": 250,
            "made": "cards_82",
            "match_end": "last_takers",
        },
        "coinche_announced": {**_ANNOUNCED, "capot_points": 162, "scoring": "announced"},
        "coinche_made": {**_ANNOUNCED, "scoring": "made", "match_end": "last_takers"},
        "coinche_made_announced": {
            **_ANNOUNCED,
            "scoring": "made_announced",
            "match_end": "last_takers",
            "target": 1500,
        },
        "belote_sans_annonces": {**_TURNED, "direction": "clockwise", "litige": "next_winner"},
        "coinche_sans_annonces": {
            "direction": "clockwise",
            "undertrump": "free",
            "capot_bid": True,
            "surcoinche": "bidder",
            "rounding": "ten",
            "failed_capot_defence": True,
            "validate_target": True,
            "target": 2000,
        },
        "coinche_scaled": {
            **_COINCHE,
            "denominations": EVERY_DENOMINATION,
            "nt_values": "doubled",
            "at_values": "full",
        },
    }.items()
}


def rules_of(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Every option's value for a record's `rules`: {"preset": name, "options": {...}}."""
    return {**PRESETS[spec["preset"]], **spec.get("options", {})}


def senseless(options: Mapping[str, Any]) -> tuple[str, str] | None:
    """The two options of a full mixture that make no sense together (the rules, end of §7), or None."""
    deal, auction, made, scoring = (options[name] for name in ("deal", "auction", "made", "scoring"))
    if (deal, auction) not in {("turned", "turned"), ("full", "points"), ("full", "tricks"), ("random_trump", "none")}:
        return "deal", "auction"
    mades = {
        "turned": {"more", "at_least", "cards_82"},
        "points": {"bid", "bid_and_more", "bid_and_82"},
        "tricks": {"tricks"},
        "none": {"none"},
    }
    if made not in mades[auction]:
        return "made", "auction"
    if auction != {"each_own": "turned", "encheres": "tricks", "more_tricks": "none"}.get(scoring, "points"):
        return "scoring", "auction"
    if {"NT", "AT"} & set(options["denominations"]) and deal != "full":
        return "denominations", "deal"
    if options["generale_bid"] and not options["capot_bid"]:
        return "generale_bid", "capot_bid"
    if options["declarations"] and scoring in {"announced", "made", "made_announced", "encheres", "more_tricks"}:
        return "declarations", "scoring"
    if options["litige"] != "none" and auction != "turned":
        return "litige", "auction"
    if options["litige"] != "none" and made == "cards_82":
        return "litige", "made"
    return None
