"""What is read off an observation, against the state of the game that it was made of."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch
from decisions import random_game
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import seeds

from agents.reading import PLANES, RANKS, STEPS, Reading
from belote_env import Game, Rules
from belote_env.engine import layout as at
from belote_env.engine.tables import BEATS, CARD_POINTS, HIGHER, STRENGTH

READING = Reading()


def read(game: Game) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
    """Return the planes by name, each of 32 cards, and what is told of the deal."""
    suits, rest = READING(torch.from_numpy(game.observation(game.seat)).float()[None])
    assert suits.shape == (1, 4, READING.suit_size) and rest.shape == (1, READING.other_size)
    planes = suits[0, :, : RANKS * len(PLANES)].view(4, len(PLANES), RANKS).unbind(1)
    return {name: plane.flatten() for name, plane in zip(PLANES, planes, strict=True)}, rest[0]


def amounts(rest: torch.Tensor) -> list[float]:
    """Return the amounts of points that are told, which are between the ends of ``STEPS``."""
    told = rest[: 5 * len(STEPS)].view(5, -1)
    assert told.sum(1).tolist() == pytest.approx([1] * 5, abs=1e-4)
    return (told @ torch.from_numpy(STEPS)).tolist()


def playing(preset: str, seed: int, steps: int) -> Game:
    game = random_game(preset, seed, steps)
    assume(game.phase == "play")
    return game


def mask(plane: torch.Tensor) -> int:
    return sum(1 << card for card in plane.nonzero().flatten().tolist())


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(Rules.presets()), seeds, st.integers(4, 44))
def test_the_cards(preset, seed, steps):
    game = playing(preset, seed, steps)
    s, planes = game.state, read(game)[0]
    denomination, seat, best = int(s[at.DENOMINATION]), game.seat, int(s[at.BEST])
    hand = int(s[at.HANDS + seat])
    others = [int(s[at.HANDS + (seat + i) % 4]) for i in (1, 2, 3)]
    unseen = others[0] | others[1] | others[2]
    for card in range(32):
        higher = int(HIGHER[denomination, card])
        assert planes["above"][card] == (higher & unseen).bit_count() / 4
        points = CARD_POINTS[s[at.VALUES], card] * READING.scale[s[at.VALUES]] / 10
        assert planes["points"][card] == pytest.approx(points * (hand >> card & 1))
        assert planes["wins"][card] == (best == at.NONE or card == best or bool(BEATS[denomination, best] >> card & 1))
        place = (card & ~7) + 7 - int(STRENGTH[denomination, card])
        assert planes["strongest"][place] == hand >> card & 1
    assert mask(planes["winning"]) == (0 if best == at.NONE else 1 << best)
    on_table = int(s[at.PLAYED]) % 4
    for i, (name, held) in enumerate(zip(("next", "partner", "previous"), others, strict=True)):
        may = mask(planes[f"{name}_may"])
        assert held & ~may == 0 and may & ~unseen == 0
        beats = {card for card in range(32) if hand >> card & 1 and int(HIGHER[denomination, card]) & may}
        assert mask(planes[f"{name}_beats"]) == sum(1 << card for card in beats if on_table < 3 - i)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(("belote", "coinche", "coinche_plus", "contree")), seeds, st.integers(4, 44))
def test_what_a_side_is_short_of(preset, seed, steps):
    game = playing(preset, seed, steps)
    s, rest = game.state, read(game)[1]
    scale = float(READING.scale[s[at.VALUES]])
    won = [int(s[at.POINTS + team]) * scale for team in (0, 1)]
    on_table = [int(s[at.SEQUENCE + i]) for i in range(int(s[at.PLAYED]) // 4 * 4, int(s[at.PLAYED]))]
    pot = sum(int(CARD_POINTS[s[at.VALUES], card]) for card in on_table) * scale
    left = 162 - sum(won)
    # Belotes are said, and declarations shown, in sight of all.
    seen = game.view()
    side = [won[i] + int(seen.state[at.DECLARED + i]) + int(seen.state[at.BELOTE_POINTS + i]) for i in (0, 1)]
    taker = int(s[at.TAKER]) & 1
    bid = 80.0 + 10 * int(s[at.RUNG]) if s[at.RUNG] < at.CAPOT else 162.0
    wanted = (sum(side) + left) / 2 if preset == "belote" else bid
    takers = wanted - side[taker]
    short = [takers, left - takers] if taker == game.seat & 1 else [left - takers, takers]
    expected = [*short, *(points - pot for points in short), left]
    bounded = [min(max(points, float(STEPS[0])), float(STEPS[-1])) for points in expected]
    assert amounts(rest) == pytest.approx(bounded, abs=0.01)
