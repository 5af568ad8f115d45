"""Game: stepping, refusing, cloning, undoing, saving."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import rules_specs, seeds

from belote_env import Game, Rules
from belote_env.actions import ACTIONS
from belote_env.errors import IllegalActionError, RecordError


def play(game: Game, actions: int, rng: random.Random) -> list[bytes]:
    """Play on at random, also into the next deals; return the state before each action."""
    states = []
    while len(states) < actions:
        if not game.deal_over:
            states.append(game.state.tobytes())
            game.step(rng.choice(game.legal_ids()))
        elif game.winner is None:
            game.next_deal()
        else:
            break
    return states


def digest(seed: int) -> str:
    """A fingerprint of everything a match went through."""
    game = Game("coinche_plus", seed=seed)
    return hashlib.sha256(b"".join(play(game, 300, random.Random(seed))) + game.state.tobytes()).hexdigest()


def test_actions_by_id_and_by_text_are_the_same():
    by_id, by_text, rng = Game("contree", seed=1), Game("contree", seed=1), random.Random(1)
    while not by_id.deal_over:
        assert [ACTIONS[i] for i in by_id.legal_ids()] == by_text.legal_actions()
        assert np.flatnonzero(by_id.action_mask(by_id.seat)).tolist() == by_id.legal_ids()
        assert not by_id.action_mask((by_id.seat + 1) % 4).any()
        action = rng.choice(by_id.legal_ids())
        by_id.step(np.int64(action))
        by_text.step(ACTIONS[action])
    assert by_id.state.tobytes() == by_text.state.tobytes()
    assert by_id.actions == by_text.actions


@settings(max_examples=30, deadline=None)
@given(rules_specs(), seeds)
def test_illegal_actions_change_nothing(spec, seed):
    game, rng = Game(Rules.from_dict(spec), seed), random.Random(seed)
    play(game, rng.randrange(60), rng)
    before, actions = game.state.tobytes(), game.actions
    legal = game.legal_ids()
    for action in [*(i for i in range(len(ACTIONS)) if i not in legal), -1, 174, "play XX", None]:
        with pytest.raises(IllegalActionError):
            game.step(action)
    assert (game.state.tobytes(), game.actions) == (before, actions)


def test_the_message_says_what_is_legal():
    game = Game("belote", seed=3)
    with pytest.raises(IllegalActionError) as caught:
        game.step("play JH")
    legal = ", ".join(game.legal_actions())
    assert str(caught.value) == f"'play JH' is illegal for seat {game.seat} in the auction: legal are {legal}"
    for _ in range(8):
        game.step("pass")
    with pytest.raises(IllegalActionError, match="'pass' is illegal: the deal is over"):
        game.step("pass")


def test_the_state_is_a_copy():
    game = Game("belote", seed=3)
    game.state[:] = 0
    assert game.state.any()
    with pytest.raises(ValueError, match="deal is not over"):
        game.next_deal()
    assert np.frombuffer(game.state.tobytes(), dtype=np.int64).tolist() == game.state.tolist()


@settings(max_examples=30, deadline=None)
@given(rules_specs(), seeds)
def test_a_clone_is_independent_and_has_the_same_future(spec, seed):
    game = Game(Rules.from_dict(spec), seed)
    play(game, seed % 70, random.Random(seed))
    clone = game.clone()
    before = clone.state.tobytes(), clone.actions, clone.to_dict()
    ahead = play(game, 80, random.Random(5))
    assert (clone.state.tobytes(), clone.actions, clone.to_dict()) == before
    assert play(clone, 80, random.Random(5)) == ahead
    assert clone.state.tobytes() == game.state.tobytes()


@settings(max_examples=30, deadline=None)
@given(rules_specs(), seeds)
def test_undo_restores_every_byte_across_deals(spec, seed):
    game = Game(Rules.from_dict(spec), seed)
    states = play(game, 100, random.Random(seed))
    if game.deal_over and game.winner is None:
        game.next_deal()
    for state in reversed(states):
        game.undo()
        assert game.state.tobytes() == state
    with pytest.raises(ValueError, match="nothing to undo"):
        game.undo()
    assert play(game, 100, random.Random(seed)) == states


@settings(max_examples=30, deadline=None)
@given(rules_specs(), seeds)
def test_a_saved_match_has_the_same_future_and_past(spec, seed):
    game = Game(Rules.from_dict(spec), seed)
    play(game, seed % 150, random.Random(seed))
    again = Game.from_dict(json.loads(json.dumps(game.to_dict())))
    assert (again.rules, again.state.tobytes(), again.actions) == (game.rules, game.state.tobytes(), game.actions)
    past = again.clone()
    assert play(again, 80, random.Random(5)) == play(game, 80, random.Random(5))
    while any(past.to_dict()["deals"]):
        past.undo()
    assert past.state.tobytes() == Game(Rules.from_dict(spec), seed).state.tobytes()


def test_files(tmp_path):
    path = tmp_path / "match.json"
    game = Game("coinche", seed=8)
    play(game, 150, random.Random(8))
    game.save(path)
    assert os.listdir(tmp_path) == ["match.json"]
    assert Game.load(path).state.tobytes() == game.state.tobytes()
    text = path.read_bytes()
    for length in range(0, len(text) - 2, 29):
        path.write_bytes(text[:length])
        with pytest.raises(RecordError, match=r"match\.json: not JSON, or truncated") as caught:
            Game.load(path)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "change",
    [
        {"format": "belote-match/9"},
        {"more": 1},
        {"random": 1 << 63},
        {"random": True},
        {"random": 0.5},
        {"deals": []},
        {"deals": {}},
        {"deals": [[], []]},
        {"deals": ["pass"]},
        {"deals": [[1]]},
        {"deals": [[None]]},
        {"deals": [["pass"] * 9]},
        {"deals": [["play JH"]]},
        {"first_deal": {}},
        {"first_deal": None},
    ],
)
def test_malformed_matches(change):
    data = Game("belote", seed=1).to_dict() | change
    with pytest.raises(RecordError) as caught:
        Game.from_dict(data)
    assert "\n" not in str(caught.value)
    for other in (None, [], "x", {"format": "belote-match/1"}):
        with pytest.raises(RecordError, match="not a saved match"):
            Game.from_dict(other)


def test_seeds():
    assert digest(1) == digest(1) != digest(2)
    generators = [np.random.default_rng(7) for _ in range(2)]
    first = [Game("belote", seed=generator).state.tobytes() for generator in generators]
    assert first[0] == first[1] != Game("belote", seed=generators[0]).state.tobytes()
    assert Game("belote").state.tobytes() != Game("belote").state.tobytes()
    assert Game("belote", seed=np.int64(4)).state.tobytes() == Game("belote", seed=4).state.tobytes()
    for seed in (-1, True, 1.0, "1"):
        with pytest.raises(ValueError, match="a seed is a whole number from 0 up"):
            Game("belote", seed=seed)


def test_interleaved_games_do_not_disturb_each_other():
    one, other = Game("coinche_plus", seed=1), Game("belote", seed=2)
    rng, other_rng = random.Random(1), random.Random(2)
    states = []
    for _ in range(150):
        states += play(one, 1, rng)
        play(other, 1, other_rng)
    alone = Game("coinche_plus", seed=1)
    assert play(alone, 150, random.Random(1)) == states


def test_another_process_sees_the_same_bytes():
    code = "import test_game; print(test_game.digest(11))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "77"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == digest(11)


@pytest.mark.parametrize("preset", ["belote", "coinche", "decouverte"])
def test_without_reshuffling_the_pack_is_conserved(preset):
    game, rng = Game(Rules.preset(preset, reshuffle=False, target=25_000), seed=5), random.Random(5)
    for _ in range(6):
        record = game.to_record()
        words = [*record["hands"], record.get("turned", ""), record.get("stock", "")]
        cards = " ".join(words).split()
        assert len(cards) == len(set(cards)) == 32
        while not game.deal_over:
            game.step(rng.choice(game.legal_ids()))
        game.next_deal()


def test_a_new_match_goes_on_with_the_random_numbers():
    game = Game("belote", seed=1)
    first = game.to_record()
    game.step("pass")
    game.new_match()
    assert (game.scores, game.actions, game.pot) == ((0, 0), [], 0)
    assert game.to_record() != first
    with pytest.raises(ValueError, match="nothing to undo"):
        game.undo()
