"""Deal records, ``belote-deal/1`` (rules §10): write, read and check. Replaying them: replay.py."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from belote_env.actions import format_action
from belote_env.cards import CARDS, SUITS, format_cards, parse_card, parse_cards
from belote_env.checks import unknown
from belote_env.engine import kernel
from belote_env.engine.deal import TURNED_AT, seat_dealt
from belote_env.engine.layout import DEALER, DENOMINATION, NONE, PACK, POT, SCORES, STATE_SIZE, TURNED, WINNER
from belote_env.errors import RecordError
from belote_env.rules import Rules

FORMAT = "belote-deal/1"
_KEYS = ("format", "rules", "dealer", "hands", "turned", "stock", "trump", "scores", "pot", "actions")


def write_record(rules: Rules, start: np.ndarray, actions: list[int]) -> dict[str, Any]:
    """Return the deal that begins in state ``start`` and goes on with ``actions`` as a record."""
    pack, dealer = start[PACK : PACK + 32].tolist(), int(start[DEALER])
    hands: list[list[int]] = [[], [], [], []]
    for position, card in enumerate(pack):
        seat = seat_dealt(rules.vector, dealer, position)
        if seat != NONE:
            hands[seat].append(card)
    record: dict[str, Any] = {
        "format": FORMAT,
        "rules": rules.to_dict(),
        "dealer": dealer,
        "hands": [format_cards(hand) for hand in hands],
    }
    if rules.deal == "turned":
        record["turned"] = CARDS[start[TURNED]]
        record["stock"] = format_cards(pack[TURNED_AT + 1 :])
    if rules.deal == "random_trump":
        record["trump"] = SUITS[start[DENOMINATION]]
    record["scores"] = start[SCORES : SCORES + 2].tolist()
    record["pot"] = int(start[POT])
    record["actions"] = [format_action(action) for action in actions]
    return record


def read_start(record: Any) -> tuple[Rules, np.ndarray]:
    """Return the rule set of a record and the state at the start of its deal.

    Raises:
        RecordError: if the record is malformed; its actions are not looked at beyond being a list of texts.
    """
    if not isinstance(record, dict):
        raise RecordError(f"a deal record is a JSON object, not {type(record).__name__}")
    for key in record:
        if key not in _KEYS:
            raise RecordError(unknown("key", key, _KEYS))
    if record.get("format") != FORMAT:
        raise RecordError(f"format is {record.get('format')!r}, expected {FORMAT!r}")
    actions = record.get("actions", [])
    if not is_list_of_texts(actions):
        raise RecordError("actions must be a list of texts, as ['pass', 'take H']")
    try:
        rules = Rules.from_dict(record.get("rules"))
    except ValueError as error:
        raise RecordError(f"rules: {error}") from None
    dealer = _whole(record.get("dealer"), "dealer", 3)
    for key, deal in (("turned", "turned"), ("stock", "turned"), ("trump", "random_trump")):
        if (key in record) != (rules.deal == deal):
            verb = "needs" if rules.deal == deal else "does not take"
            raise RecordError(f"a record with deal={rules.deal} {verb} the key {key!r}")
    state = np.zeros(STATE_SIZE, dtype=np.int64)
    state[DEALER] = dealer
    state[WINNER] = NONE
    state[PACK : PACK + 32] = _pack(record, rules, dealer)
    state[SCORES : SCORES + 2] = _scores(record.get("scores", [0, 0]))
    state[POT] = _whole(record.get("pot", 0), "pot", 1_000_000)
    trump = NONE
    if rules.deal == "random_trump":
        if record["trump"] not in tuple(SUITS):
            raise RecordError(f"trump is {record['trump']!r}, expected one of S H D C")
        trump = SUITS.index(record["trump"])
    kernel.begin_deal(state, rules.vector, trump)
    return rules, state


def is_list_of_texts(value: Any) -> bool:
    """Return whether ``value`` can be the actions of a deal."""
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _whole(value: Any, name: str, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise RecordError(f"{name} is {value!r}, expected a whole number from 0 to {most}")
    return value


def _scores(value: Any) -> list[int]:
    if not isinstance(value, list) or len(value) != 2:
        raise RecordError(f"scores is {value!r}, expected two whole numbers")
    return [_whole(score, "a score", 1_000_000) for score in value]


def _cards(value: Any, name: str, count: int) -> list[int]:
    try:
        cards = parse_cards(value)
    except ValueError as error:
        raise RecordError(f"{name}: {error}") from None
    if len(cards) != count:
        raise RecordError(f"{name} has {len(cards)} cards, expected {count}")
    return cards


def _pack(record: dict[str, Any], rules: Rules, dealer: int) -> list[int]:
    """Return the 32 cards in the order in which they were dealt, checked to be all different."""
    hands = record.get("hands")
    if not isinstance(hands, list) or len(hands) != 4:
        raise RecordError("hands must be a list of four texts, seat 0 first")
    size = 5 if rules.deal == "turned" else 8
    left = [_cards(hand, f"the hand of seat {seat}", size) for seat, hand in enumerate(hands)]
    rest: list[int] = []
    if rules.deal == "turned":
        try:
            rest.append(parse_card(record["turned"]))
        except ValueError as error:
            raise RecordError(f"turned: {error}") from None
        rest += _cards(record["stock"], "the stock", 11)
    dealt = [card for hand in left for card in hand] + rest
    for card in dealt:
        if dealt.count(card) > 1:
            raise RecordError(f"{CARDS[card]} stands in the deal twice: every card must be there once")
    pack = []
    for position in range(32):
        seat = seat_dealt(rules.vector, dealer, position)
        pack.append(rest.pop(0) if seat == NONE else left[seat].pop(0))
    return pack


def read_records(path: str | os.PathLike[str]) -> Iterator[tuple[str, Any]]:
    """Yield ``(place, object)`` for a file with one record, or for each line of a ``.jsonl`` file.

    Either may be compressed: ``.json.gz``, ``.jsonl.gz``.

    Raises:
        RecordError: if the file, or a line, is not JSON, or if there is no record in it.
    """
    name = str(path).removesuffix(".gz")
    found = False
    try:
        with open(path, "rb") if name == str(path) else gzip.open(path, "rb") as file:
            if not name.endswith(".jsonl"):
                yield str(path), parse_json(file.read(), str(path))
                return
            for number, line in enumerate(file, start=1):
                if line.strip():
                    found = True
                    yield f"{path}:{number}", parse_json(line, f"{path}:{number}")
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise RecordError(f"{path}: not gzip, or truncated: {error}") from None
    if not found:
        raise RecordError(f"{path}: no record in it")


def parse_json(text: bytes, place: str) -> Any:
    """Return the value that JSON text stands for; ``place`` is where it was found.

    Raises:
        RecordError: if it is not JSON.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:  # also: not UTF-8, absurdly long numbers, absurdly deep lists
        raise RecordError(f"{place}: not JSON, or truncated: {error}") from None
