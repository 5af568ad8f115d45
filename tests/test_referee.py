"""The referee against the vectors, and against itself in random mixtures of options."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from referee import PRESETS, Referee, deal_record, gather, rules_of, senseless, trace
from referee_cards import PACK, declarations_of
from strategies import OPTION_VALUES, rules_specs, seeds

VECTORS = sorted((Path(__file__).parent / "vectors").glob("*.jsonl.gz"))
COUNTS = {"options": 204, **dict.fromkeys(PRESETS, 40)}


def read_vectors(path: Path) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def play_at_random(record: dict, rng: random.Random) -> Referee:
    """Play a fresh record to its end; its actions are filled in."""
    referee = Referee(record)
    while referee.phase != "over":
        texts = referee.legal()
        if referee.phase == "auction" and rng.random() < 0.7:
            texts = ["pass"]
        record["actions"].append(rng.choice(texts))
        referee.step(record["actions"][-1])
    return referee


def test_every_vector_file_is_here():
    assert [path.name.removesuffix(".jsonl.gz") for path in VECTORS] == sorted(COUNTS)


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.name.removesuffix(".jsonl.gz"))
def test_vectors(path):
    vectors = read_vectors(path)
    assert len(vectors) == COUNTS[path.name.removesuffix(".jsonl.gz")]
    for number, vector in enumerate(vectors):
        # As text: 1 is not True in JSON.
        assert json.dumps(trace(vector["record"])) == json.dumps(vector["trace"]), f"{path.name}, deal {number}"


def test_a_deal_in_progress_ends_with_what_is_asked():
    vector = read_vectors(VECTORS[0])[0]
    record = vector["record"] | {"actions": vector["record"]["actions"][:-1]}
    cut = trace(record)
    assert cut == {"steps": [*vector["trace"]["steps"][:-1], vector["trace"]["steps"][-1] | {"action": None}]}


def test_illegal_actions_are_refused():
    referee = Referee(deal_record({"preset": "belote", "options": {}}, random.Random(1)))
    with pytest.raises(ValueError, match="take"):
        referee.step("bid 80H")


def test_every_preset_is_complete_and_makes_sense():
    for options in PRESETS.values():
        assert set(options) == {*OPTION_VALUES, "deal", "auction"}
        assert senseless(options) is None


@pytest.mark.parametrize(
    ("preset", "options", "clash"),
    [
        ("belote", {"auction": "points"}, {"deal", "auction"}),
        ("coinche", {"made": "more"}, {"made", "auction"}),
        ("belote", {"scoring": "coinche"}, {"scoring", "auction"}),
        ("coinche", {"scoring": "each_own"}, {"scoring", "auction"}),
        ("belote", {"denominations": ["S", "H", "D", "C", "NT"]}, {"denominations", "deal"}),
        ("coinche", {"capot_bid": False}, {"generale_bid", "capot_bid"}),
        ("coinche_made", {"declarations": True}, {"declarations", "scoring"}),
        ("contree", {"litige": "next_made"}, {"litige", "auction"}),
        ("belote_82", {"litige": "next_winner"}, {"litige", "made"}),
    ],
)
def test_senseless_mixtures(preset, options, clash):
    assert set(senseless(rules_of({"preset": preset, "options": options}))) == clash


@settings(deadline=None)
@given(rules_specs(), seeds)
def test_random_deals_add_up(spec, seed):
    rng = random.Random(seed)
    record = deal_record(spec, rng, scores=(2, 3), pot=0)
    referee = play_at_random(record, rng)
    result, rules = referee.result, referee.rules
    assert trace(record)["result"] == result
    played = bool(referee.tricks)
    assert sum(result["tricks"]) == 8 * played
    assert any(referee.hands) != played
    if played and rules["scoring"] not in ("encheres", "more_tricks"):
        full = sum(result["card_points"])
        assert full == (rules["capot_points"] if 8 in result["tricks"] else 162)
        assert not all(result["declarations"])
    if rules["rounding"] == "none" and result["made"] is None and result["contract"]:  # a litige
        assert sum(result["scores"]) + result["pot"] == sum(
            sum(result[field]) for field in ("card_points", "declarations", "belote")
        )
    if played:
        assert sorted(gather(referee.tricks)) == sorted(PACK)
    else:
        hands = [hand.split() for hand in record["hands"]]
        rest = [record["turned"], *record["stock"].split()] if "turned" in record else []
        assert sorted(gather(hands=hands, rest=rest)) == sorted(PACK)


def test_gathering_puts_team_0_first():
    tricks = [(1, ["7S", "8S"]), (2, ["9S", "TS"]), (3, ["JS", "QS"]), (0, ["KS", "AS"])]
    assert gather(tricks) == ["9S", "TS", "KS", "AS", "7S", "8S", "JS", "QS"]


@pytest.mark.parametrize(
    ("hand", "kinds", "points"),
    [
        ("JS JH JD JC 8S 9S TS AH", ["carre", "tierce"], 220),  # the run is shortened to free the jack
        ("TS TH TD TC 8S 9S JS QS", ["carre"], 100),  # 100 either way: the carré is the better declaration
        ("7S 8S 9S TS JS QS KS AS", ["cent"], 100),  # one run, one declaration
        ("7S 8S 9S JS QS KS AS 7H", ["tierce", "cinquante"], 70),
        ("9S 9H 9D 9C JS JH JD JC", ["carre", "carre"], 350),
        ("7S 8S 7H 8H 7D 8D 7C 8C", [], 0),
    ],
)
def test_the_best_disjoint_declarations(hand, kinds, points):
    found = declarations_of(set(hand.split()), "H", PRESETS["belote"])
    assert sorted(declaration.kind for declaration in found) == sorted(kinds)
    assert sum(declaration.points for declaration in found) == points
