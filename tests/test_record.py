"""Deal records: round trips, and everything that can be wrong with one."""

from __future__ import annotations

import copy
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from referee import PRESETS, deal_record
from strategies import rules_specs, seeds
from test_referee import play_at_random

from belote_env import Game
from belote_env.errors import RecordError
from belote_env.record import read_records
from belote_env.replay import trace, walk


def played(preset: str, seed: int = 1) -> dict:
    """A finished deal with a contract."""
    rng = random.Random(seed)
    while True:
        record = deal_record({"preset": preset, "options": {}}, rng)
        if play_at_random(record, rng).tricks:
            return record


@settings(max_examples=40, deadline=None)
@given(rules_specs(), seeds)
def test_every_prefix_goes_round(spec, seed):
    rng = random.Random(seed)
    record = deal_record(spec, rng, scores=(30, 40), pot=7)
    play_at_random(record, rng)
    whole = trace(record)
    game = Game.from_record({**record, "actions": []}, seed=1)
    for length, action in enumerate([*record["actions"], None]):
        prefix = {**record, "actions": record["actions"][:length]}
        written = game.to_record()
        assert written == prefix | {"rules": written["rules"]}
        assert json.loads(json.dumps(written)) == written
        again = Game.from_record(written, seed=1)
        assert (again.rules, again.state.tobytes()) == (game.rules, game.state.tobytes())
        if action is not None:
            assert trace(prefix)["steps"][:-1] == whole["steps"][:length]
            game.step(action)
    assert trace(record) == whole


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_the_seed_decides_the_deals_after_a_record(seed):
    record = played("coinche")
    games = [Game.from_record(record, seed=s) for s in (seed, seed, seed + 1)]
    for game in games:
        if game.winner is None:
            game.next_deal()
    assert games[0].state.tobytes() == games[1].state.tobytes()
    assert games[0].state.tobytes() != games[2].state.tobytes()


TURNED, FULL, RANDOM = played("belote"), played("coinche"), played("decouverte")


def hands_with(record: dict, seat: int, hand: object) -> list:
    return [*record["hands"][:seat], hand, *record["hands"][seat + 1 :]]


MALFORMED = {
    "not an object": [],
    "a text": "belote",
    "nothing": None,
    "no format": {k: v for k, v in FULL.items() if k != "format"},
    "other format": FULL | {"format": "belote-deal/2"},
    "no rules": {k: v for k, v in FULL.items() if k != "rules"},
    "no hands": {k: v for k, v in FULL.items() if k != "hands"},
    "no dealer": {k: v for k, v in FULL.items() if k != "dealer"},
    "no turned": {k: v for k, v in TURNED.items() if k != "turned"},
    "no stock": {k: v for k, v in TURNED.items() if k != "stock"},
    "no trump": {k: v for k, v in RANDOM.items() if k != "trump"},
    "a trump where there is none": FULL | {"trump": "H"},
    "a stock where there is none": FULL | {"stock": ""},
    "unknown key": FULL | {"comment": "x"},
    "unknown preset": FULL | {"rules": {"preset": "bridge"}},
    "rules as text": FULL | {"rules": "coinche"},
    "option of the preset's parameter": FULL | {"rules": {"preset": "coinche", "options": {"name": 1}}},
    "senseless rules": FULL | {"rules": {"preset": "coinche", "options": {"deal": "turned"}}},
    "nested denominations": FULL | {"rules": {"preset": "coinche", "options": {"denominations": [[], {}]}}},
    "dealer 4": FULL | {"dealer": 4},
    "dealer true": FULL | {"dealer": True},
    "dealer 1.0": FULL | {"dealer": 1.0},
    "three hands": FULL | {"hands": FULL["hands"][:3]},
    "hands as text": FULL | {"hands": " ".join(FULL["hands"])},
    "hand as list": FULL | {"hands": hands_with(FULL, 1, FULL["hands"][1].split())},
    "hand null": FULL | {"hands": hands_with(FULL, 1, None)},
    "seven cards": FULL | {"hands": hands_with(FULL, 2, FULL["hands"][2][3:])},
    "nine cards": FULL | {"hands": hands_with(FULL, 2, FULL["hands"][2] + " 7S")},
    "no card": FULL | {"hands": hands_with(FULL, 0, "1S" + FULL["hands"][0][2:])},
    "twice the same": FULL | {"hands": hands_with(FULL, 0, FULL["hands"][1])},
    "turned twice": TURNED | {"turned": TURNED["hands"][0][:2]},
    "turned no card": TURNED | {"turned": "H"},
    "turned null": TURNED | {"turned": None},
    "short stock": TURNED | {"stock": TURNED["stock"][3:]},
    "trump NT": RANDOM | {"trump": "NT"},
    "trump list": RANDOM | {"trump": ["S"]},
    "one score": FULL | {"scores": [0]},
    "score text": FULL | {"scores": ["0", "0"]},
    "score negative": FULL | {"scores": [0, -10]},
    "score huge": FULL | {"scores": [0, 10**30]},
    "score infinite": FULL | {"scores": [0, float("inf")]},
    "pot null": FULL | {"pot": None},
    "actions null": FULL | {"actions": None},
    "actions text": FULL | {"actions": "pass"},
    "action id": FULL | {"actions": [32]},
    "no action": FULL | {"actions": ["fold"]},
    "one too many": FULL | {"actions": [*FULL["actions"], "pass"]},
    "illegal": FULL | {"actions": ["surcoinche"]},
    "line break": FULL | {"actions": ["pass\npass"]},
}


@pytest.mark.parametrize("record", MALFORMED.values(), ids=MALFORMED)
def test_malformed_records(record):
    before = copy.deepcopy(record)
    for read in (Game.from_record, trace, lambda one: next(walk(one))):
        with pytest.raises(RecordError) as caught:
            read(record)
        assert str(caught.value) and "\n" not in str(caught.value)
    assert record == before


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_an_illegal_action_is_told_with_its_number_its_seat_and_what_was_legal(preset):
    record = played(preset)
    steps = trace(record)["steps"]
    number = len(steps) - 20
    cards = {f"play {card}" for hand in record["hands"] for card in hand.split()}
    wrong = min(cards - set(steps[number]["legal"]))
    record["actions"][number] = wrong
    with pytest.raises(RecordError) as caught:
        trace(record)
    message = str(caught.value)
    seat, phase = steps[number]["seat"], steps[number]["phase"]
    assert message.startswith(f"action {number + 1}: {wrong!r} is illegal for seat {seat} in the {phase}: legal are ")
    assert sorted(message.split("legal are ")[1].split(", ")) == steps[number]["legal"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from([TURNED, FULL, RANDOM]), st.data(), json_values)
def test_whatever_stands_at_a_key_is_read_or_refused(record, data, value):
    key = data.draw(st.sampled_from([*sorted(record), "preset", "options", "option"]))
    if key in record:
        record = record | {key: value}
    elif key == "option":
        name = data.draw(st.sampled_from(["deal", "denominations", "target", "announce", "max_bid"]))
        record = record | {"rules": {**record["rules"], "options": {name: value}}}
    else:
        record = record | {"rules": {**record["rules"], key: value}}
    try:
        trace(record)
    except RecordError as error:
        assert "\n" not in str(error)


def test_files(tmp_path):
    one, many = tmp_path / "deal.json", tmp_path / "deals.jsonl"
    one.write_text(json.dumps(TURNED, indent=1))
    many.write_text(json.dumps(TURNED) + "\n\n" + json.dumps(FULL) + "\n")
    assert list(read_records(one)) == [(str(one), TURNED)]
    assert list(read_records(many)) == [(f"{many}:1", TURNED), (f"{many}:3", FULL)]


@pytest.mark.parametrize(
    "text", [b"", b"{", b"\xff\xfe\xff", b"[" * 100_000, b"9" * 5000, json.dumps(FULL).encode()[:-1]]
)
def test_files_that_are_not_json(tmp_path, text):
    for name in ("deal.json", "deals.jsonl"):
        path = tmp_path / name
        path.write_bytes(text)
        with pytest.raises(RecordError, match=r"not JSON, or truncated|no record in it") as caught:
            list(read_records(path))
        assert str(caught.value).startswith(str(path)) and "\n" not in str(caught.value)
