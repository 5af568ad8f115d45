"""The networks: all suits are alike to them, and a batch is answered as its views would be one by one."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from decisions import SMALL, random_game, small_network, some_views
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import seeds

from agents.net_agent import mind_of
from agents.network import VALUE_BINS, Critic, PolicyNetwork, belief_loss, masked, mean_value, stage_of, value_loss
from belote_env import Game, Rules
from belote_env.actions import ACTIONS
from belote_env.cards import CARDS
from belote_env.observation import OBSERVATION_SIZE, PRIVILEGED_SIZE, write_privileged

NETWORK = small_network()
CRITIC = Critic(16, 1).requires_grad_(False)


def with_suits(text: str, suits: dict[str, str]) -> str:
    """Return a card, cards, or an action with other suits."""
    verb, _, what = text.rpartition(" ")
    if verb and verb not in ("play", "take", "bid"):
        return " ".join(with_suits(card, suits) for card in text.split())
    if what in ("pass", "belote", "silent", "announce", "coinche", "surcoinche") or what.endswith(("NT", "AT")):
        return text
    return f"{verb} {what[:-1]}{suits[what[-1]]}".strip()


def permuted(game: Game, suits: dict[str, str]) -> Game:
    record = game.to_record()
    record["hands"] = [with_suits(hand, suits) for hand in record["hands"]]
    for key in ("turned", "stock", "trump"):
        if key in record:
            record[key] = with_suits(record[key], suits)
    record["actions"] = [with_suits(action, suits) for action in record["actions"]]
    return Game.from_record(record)


def observed(game: Game):
    """Return what the seat to act sees, and what it does not, as a batch of one."""
    hidden = np.empty(PRIVILEGED_SIZE, dtype=np.uint8)
    write_privileged(game.state, game.seat, hidden)
    return torch.from_numpy(game.observation(game.seat))[None], torch.from_numpy(hidden)[None]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(Rules.presets()), seeds, st.integers(0, 40), st.permutations("SHDC"))
def test_permuting_suits_permutes_the_policy(preset, seed, steps, order):
    suits = dict(zip("SHDC", order, strict=True))
    game = random_game(preset, seed, steps)
    other = permuted(game, suits)
    assert sorted(with_suits(action, suits) for action in game.legal_actions()) == sorted(other.legal_actions())

    (here, hidden), (there, hidden_there) = observed(game), observed(other)
    mine, its = NETWORK(here), NETWORK(there)
    actions = [ACTIONS.index(with_suits(action, suits)) for action in ACTIONS]
    cards = [CARDS.index(with_suits(card, suits)) for card in CARDS]
    close = {"atol": 1e-5, "rtol": 1e-4}
    torch.testing.assert_close(mine.scores, its.scores[:, actions], **close)
    torch.testing.assert_close(mine.belief, its.belief[:, cards], **close)
    torch.testing.assert_close(mine.value, its.value, **close)
    prospects = torch.tensor([[0.3, -0.5, 1.2, -7.0]])
    torch.testing.assert_close(CRITIC(here, hidden, prospects), CRITIC(there, hidden_there, prospects), **close)


def test_suits_are_told_apart():
    """The property above is not empty: other cards get other scores."""
    scores = NETWORK(observed(random_game("coinche", 1, 0))[0]).scores[0]
    assert len(set(scores[[ACTIONS.index(f"bid 80{suit}") for suit in "SHDC"]].tolist())) == 4


def test_a_batch_is_answered_as_its_views_alone():
    views = some_views("coinche_plus", 60)
    observations = torch.from_numpy(np.stack([view.observation for view in views]))
    stages = stage_of(observations)
    assert stages.tolist() == [0 if view.phase == "auction" else 1 + (len(view.hand) <= 5) for view in views]
    assert min(torch.bincount(stages, minlength=3)) >= 10
    together = NETWORK(observations)
    assert together.scores.shape == (60, 174) and together.belief.shape == (60, 32, 3)
    assert together.value.shape == (60, len(VALUE_BINS))
    for i in range(60):
        for mine, its in zip(NETWORK(observations[i : i + 1]), together, strict=True):
            torch.testing.assert_close(mine[0], its[i], atol=1e-5, rtol=1e-4)
    # Calls have no scores of cards, and cards none of calls.
    calls = stages == 0
    assert not together.scores[calls, :32].any() and not together.scores[~calls, 32:].any()


def test_the_mind_takes_the_best_legal_action():
    views = some_views("belote", 80)
    mind = mind_of(NETWORK)
    logits = mind.logits(views)
    for view, action, row in zip(views, mind.choose(views), logits, strict=True):
        illegal = np.setdiff1d(np.arange(174), view.legal)
        assert (row[illegal] == -1e9).all() and (row[view.legal] > -1e9).all()
        if view.phase in ("announce", "belote"):
            assert ACTIONS[action] == view.phase
        else:
            assert action == view.legal[int(row[view.legal].argmax())]


def test_masked():
    logits = masked(torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([[1, 0, 1]], dtype=torch.int8))
    assert logits.tolist() == [[1.0, -1e9, 3.0]]


@given(st.lists(st.floats(-40, 40, width=32), min_size=1, max_size=5))
def test_the_target_of_the_value_loss_has_the_right_mean(values):
    """Its gradient is the softmax less the target, which is read off it."""
    logits = torch.randn(len(values), len(VALUE_BINS), generator=torch.Generator().manual_seed(1), requires_grad=True)
    value_loss(logits, torch.tensor(values)).sum().backward()
    target = torch.softmax(logits.detach(), 1) - logits.grad
    assert (target > -1e-5).all() and ((target > 1e-4).sum(1) <= 2).all()
    torch.testing.assert_close(target.sum(1), torch.ones(len(values)), atol=1e-4, rtol=0)
    inside = torch.tensor(values).clamp(VALUE_BINS[0], VALUE_BINS[-1])
    torch.testing.assert_close(target @ VALUE_BINS, inside, atol=1e-3, rtol=1e-4)


def test_mean_value():
    logits = torch.full((2, len(VALUE_BINS)), -1e9)
    logits[0, 3] = logits[0, 5] = 0.0
    logits[1, -1] = 7.0
    expected = [float(VALUE_BINS[3] + VALUE_BINS[5]) / 2, float(VALUE_BINS[-1])]
    assert mean_value(logits).tolist() == pytest.approx(expected)


def test_belief_loss_counts_hidden_cards_only():
    hidden = torch.zeros(1, PRIVILEGED_SIZE, dtype=torch.uint8)
    hidden[0, 4] = hidden[0, 32 + 9] = 1  # card 4 lies with the next player, card 9 with the partner
    logits = torch.zeros(1, 32, 3)
    logits[0, 4] = torch.tensor([2.0, 0.0, 0.0])
    logits[0, 20] = torch.tensor([99.0, 0.0, 0.0])  # nobody's
    expected = (-(2 - np.log(np.exp(2) + 2)) + np.log(3)) / 2
    assert float(belief_loss(logits, hidden)) == pytest.approx(expected, rel=1e-5)


def test_sizes():
    network = PolicyNetwork()
    assert sum(weights.numel() for weights in network.parameters()) < 3_000_000
    assert PolicyNetwork(SMALL)(torch.zeros(3, OBSERVATION_SIZE, dtype=torch.uint8)).scores.shape == (3, 174)
