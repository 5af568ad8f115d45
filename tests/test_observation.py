"""Observations: the table of features, what they say of a known position, words, packing, the docs page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from belote_env import Game, Rules
from belote_env.cards import CARDS
from belote_env.observation import (
    FEATURES,
    OBSERVATION_SIZE,
    PACKED_SIZE,
    SCALE,
    block,
    explain,
    feature_table,
    number,
    pack_observation,
    unpack_observation,
)

RECORD = {
    "format": "belote-deal/1",
    "rules": {"preset": "belote", "options": {}},
    "dealer": 3,
    "hands": ["7S 8S 9S JH 9H", "AS TS KS 7H 8H", "QS JS AD TD KD", "QD JD AC TC KC"],
    "turned": "TH",
    "stock": "KH QH AH 7D 8D 9D 7C 8C 9C QC JC",
    "scores": [120, 30],
    "pot": 81,
    "actions": ["take H", "play 7S", "play AS", "play QS"],
}


def cards(flags: np.ndarray) -> set[str]:
    return {CARDS[i] for i in np.flatnonzero(flags)}


def observe(record: dict, seat: int) -> np.ndarray:
    return Game.from_record(record).observation(seat)


def test_features_fill_the_vector_without_a_gap():
    assert sum(feature.size for feature in FEATURES) == OBSERVATION_SIZE == len(SCALE)
    assert len({feature.name for feature in FEATURES}) == len(FEATURES)


def test_what_the_next_player_sees():
    # Seat 0 took hearts and announced a tierce in spades and a cent in hearts with 7S; seat 3 is to play.
    seen = observe(RECORD, 3)
    assert cards(block(seen, "hand")) == {"QD", "JD", "AC", "TC", "KC", "9C", "QC", "JC"}
    assert [cards(row) for row in block(seen, "trick")] == [set(), {"7S"}, {"AS"}, {"QS"}]
    assert cards(block(seen, "known")[1]) == {"TH"}
    assert block(seen, "announced_kind")[1].tolist() == [1, 0, 1, 0]
    assert cards(block(seen, "turned")) == {"TH"}
    assert block(seen, "trump").tolist() == [0, 1, 0, 0]
    assert block(seen, "lead").tolist() == [1, 0, 0, 0]
    assert block(seen, "taker").tolist() == [0, 1, 0, 0]
    assert number(seen, "scores").tolist() == [30, 120]
    assert number(seen, "pot") == 81
    assert number(seen, "target") == 501
    assert block(seen, "to_act").tolist() == [1, 0, 0, 0]
    # My own six clubs are mine to know before I play.
    assert block(seen, "own_kind").tolist() == [0, 0, 1, 0]
    assert block(seen, "announced_kind")[0].tolist() == [0, 0, 0, 0]


def test_after_the_first_trick_the_winners_cards_lie_open_and_the_losers_do_not():
    record = {**RECORD, "actions": [*RECORD["actions"], "play QD"]}
    seen = observe(record, 0)
    assert block(seen, "contest").tolist() == [0, 1]
    assert cards(block(seen, "shown")[3]) == {"9C", "TC", "JC", "QC", "KC", "AC"}
    assert cards(block(seen, "known")[3]) == {"9C", "TC", "JC", "QC", "KC", "AC"}
    assert cards(block(observe(record, 1), "shown")[3]) == set()
    assert number(seen, "declared").tolist() == [0, 100]
    # His partner was winning, so a diamond proves no spades and says nothing of trumps.
    assert cards(block(seen, "excluded")[3]) == {"7S", "8S", "9S", "TS", "JS", "QS", "KS", "AS"}
    assert block(seen, "void")[3].tolist() == [1, 0, 0, 0]


def test_belote_makes_the_other_card_known():
    actions = [*RECORD["actions"], "play QD", "play 7H", "play 7C", "play JC", "play KH"]
    seen = observe({**RECORD, "actions": actions}, 1)
    assert block(seen, "belote")[3].tolist() == [0, 1, 0, 0]
    assert cards(block(seen, "known")[3]) == {"TH", "QH"}
    assert block(seen, "belote_points").tolist() == [0, 20]
    assert block(seen, "tricks").tolist() == [1, 1]


@pytest.mark.parametrize("preset", Rules.presets())
def test_observations_stay_within_the_table_and_survive_packing(preset):
    game = Game(preset, seed=1)
    rng = np.random.default_rng(0)
    packed = np.zeros(PACKED_SIZE, dtype=np.uint8)
    for _ in range(5):
        while not game.deal_over:
            game.step(int(rng.choice(game.legal_ids())))
            for seat in range(4):
                observation = game.observation(seat)
                assert (observation <= SCALE).all()
                pack_observation(observation, packed)
                assert np.array_equal(unpack_observation(packed), observation)
        game.new_match()


@pytest.mark.parametrize("preset", Rules.presets())
def test_every_seat_sees_the_table_from_its_own_place(preset):
    """The same deal, turned by a seat: what a seat sees depends on where the others sit, not on its number."""
    rng = np.random.default_rng(1)
    for seed in range(3):
        game = Game(preset, seed=seed)
        record = game.to_record()
        hands = record["hands"]
        turned = {**record, "dealer": (record["dealer"] + 1) % 4, "hands": hands[-1:] + hands[:-1]}
        other = Game.from_record(turned)
        while True:
            for seat in range(4):
                assert np.array_equal(game.observation(seat), other.observation((seat + 1) % 4))
            if game.deal_over:
                break
            action = int(rng.choice(game.legal_ids()))
            game.step(action)
            other.step(action)


def test_explain_names_what_it_shows():
    words = explain(observe(RECORD, 3))
    assert "JD QD" in words
    assert "next: TH" in words
    assert "mine 30, theirs 120" in words
    with pytest.raises(ValueError, match="shape"):
        explain(np.zeros(3, dtype=np.uint8))


def test_the_docs_page_is_the_table():
    page = (Path(__file__).parent.parent / "docs" / "observation.md").read_text(encoding="utf-8")
    assert feature_table() in page
