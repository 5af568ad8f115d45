"""Duplicate deals: both tables the same cards, independence of order and chunks, and the interval by hand."""

from __future__ import annotations

import json
import math
import statistics

import numpy as np
import pytest

from agents.random_agent import RandomAgent
from belote_env import Game, Rules
from belote_env.errors import IllegalActionError
from training import arena
from training.arena import Comparison, compare, play_deal, play_duplicate

PRESETS = Rules.presets()
BELOTE = Rules.preset("belote")
LOWEST, HIGHEST = "test_arena:Lowest", "test_arena:Highest"


class Lowest:
    """Takes the first legal action, which is to pass where it may."""

    def __init__(self, rules, seed):
        pass

    def act(self, view):
        return view.legal[0]


class Highest(Lowest):
    def act(self, view):
        return view.legal[-1]


class Cheat(Lowest):
    def act(self, view):
        view.legal.append(173)
        return 173


class Speechless(Lowest):
    def act(self, view):
        return "pass"


def sheet(scores, seat=None, made=True, doubled=1):
    contract = None if seat is None else {"seat": seat, "value": 80, "denomination": "S", "doubled": doubled}
    return {"contract": contract, "made": None if seat is None else made, "scores": scores}


def figures(result):
    data = result.to_dict()
    return {key: data[key] for key in data if not key.startswith(("seconds", "deals_per"))}


@pytest.mark.parametrize("preset", PRESETS)
def test_both_tables_have_the_same_cards(preset, monkeypatch):
    rules = Rules.preset(preset)
    starts = []
    monkeypatch.setattr(arena, "play_deal", lambda rules, state, agents: starts.append(state.copy()))
    for deal in range(3):
        play_duplicate(("random", "easy"), rules, 5, deal)
    assert all(np.array_equal(starts[i], starts[i + 1]) for i in (0, 2, 4))
    assert not np.array_equal(starts[0], starts[2])


def test_seating_and_seeds(monkeypatch):
    seated, cards = [], []

    def make(spec, rules, seed):
        seated.append((spec, tuple(seed.generate_state(2))))
        return RandomAgent(seed)

    def deal_out(rules, seed):
        cards.append(tuple(seed.bit_generator.seed_seq.generate_state(2)))
        return Game(rules, seed=seed)

    monkeypatch.setattr(arena, "make", make)
    monkeypatch.setattr(arena, "Game", deal_out)
    monkeypatch.setattr(arena, "play_deal", lambda rules, state, agents: None)
    for seed in (0, 1):
        for deal in (0, 1):
            play_duplicate(("A", "B"), BELOTE, seed, deal)
    assert "".join(spec for spec, _ in seated) == "ABABBABA" * 4
    # Every agent at every table of every deal has its own random numbers, and none has those of the cards.
    assert len(cards) == 4 and len({seed for _, seed in seated} | set(cards)) == 32 + 4


@pytest.mark.parametrize("preset", PRESETS)
def test_an_agent_that_makes_no_random_choice_equals_itself(preset):
    rules = Rules.preset(preset)
    for agent in (LOWEST, HIGHEST):
        result = compare((agent, agent), rules, 10, 1)
        assert (result.mean_difference, result.ci95) == (0.0, (0.0, 0.0))
        assert result.contracts[0] == result.contracts[1]


@pytest.mark.parametrize("preset", PRESETS)
def test_exchanging_the_agents_turns_the_result_round(preset):
    rules = Rules.preset(preset)
    one, two = compare((LOWEST, HIGHEST), rules, 40, 1), compare((HIGHEST, LOWEST), rules, 40, 1)
    assert one.mean_difference == -two.mean_difference
    assert one.half_width == two.half_width
    assert one.contracts == two.contracts[::-1] and one.thrown_in == two.thrown_in


def test_same_seed_same_result():
    results = [figures(compare(("easy", "random"), BELOTE, 20, seed)) for seed in (1, 1, 2)]
    assert results[0] == results[1] != results[2]


@pytest.mark.parametrize("chunks", [(1,) * 12, (5, 7), (11, 1)])
def test_chunks_in_any_order(chunks):
    rules = Rules.preset("coinche")
    whole = compare(("easy", "random"), rules, 12, 3)
    ends = np.cumsum(chunks)
    parts = [compare(("easy", "random"), rules, n, 3, first=int(end) - n) for n, end in zip(chunks, ends, strict=True)]
    merged = parts.pop()
    for part in reversed(parts):
        merged.merge(part)
    assert figures(merged) == figures(whole)


def test_only_parts_of_one_run_merge():
    with pytest.raises(ValueError, match="parts of one run"):
        Comparison(("easy", "random"), BELOTE, 1).merge(Comparison(("easy", "random"), BELOTE, 2))


def test_a_deal_depends_on_its_number_alone():
    alone = play_duplicate(("easy", "easy"), BELOTE, 4, 7)
    for deal in (2, 9, 7):
        last = play_duplicate(("easy", "easy"), BELOTE, 4, deal)
    assert last == alone


def test_the_interval_by_hand():
    result = Comparison(("a", "b"), Rules.preset("coinche"), 0)
    # A sits on seats 0+2 at the first table and on 1+3 at the second.
    result.add((sheet([100, 60], 0), sheet([10, 30], 3, doubled=2)))  # (40 + 20) / 2
    result.add((sheet([0, 250], 2, made=False, doubled=4), sheet([162, 0], 2)))  # (-250 - 162) / 2
    result.add((sheet([0, 0]), sheet([0, 5], 1, made=None)))  # (0 + 5) / 2
    differences = [30, -206, 2.5]
    assert result.deals == 3
    assert result.mean_difference == pytest.approx(statistics.mean(differences))
    assert result.half_width == pytest.approx(1.959964 * statistics.stdev(differences) / math.sqrt(3))
    low, high = result.ci95
    assert (low + high) / 2 == pytest.approx(result.mean_difference) and high - low == 2 * result.half_width
    a, b = result.contracts
    assert (a.bid, a.made, a.doubled) == (4, 2, 2)
    assert (b.bid, b.made, b.doubled) == (1, 1, 0)
    assert result.thrown_in == 1


def test_one_deal_has_no_interval():
    result = compare(("easy", "random"), BELOTE, 1)
    assert result.ci95 is None and result.half_width is None
    assert Comparison(("a", "b"), BELOTE, 0).mean_difference == 0


def test_thrown_in_deals_count_zero():
    result = compare((LOWEST, LOWEST), Rules.preset("coinche"), 5)
    assert (result.thrown_in, result.mean_difference, result.ci95) == (10, 0.0, (0.0, 0.0))
    assert compare((LOWEST, LOWEST), Rules.preset("decouverte"), 5).thrown_in == 0


def test_json():
    result = compare(("easy", "random"), Rules.preset("belote", litige="none"), 5, 9)
    data = json.loads(json.dumps(result.to_dict()))
    assert data["agents"] == ["easy", "random"]
    assert Rules.from_dict(data["rules"]) == result.rules
    assert (data["deals"], data["seed"], data["interrupted"]) == (5, 9, False)
    low, high = data["ci95"]
    assert low < data["mean_difference"] < high
    assert sum(side["bid"] for side in data["contracts"]) + data["thrown_in"] == 10
    assert data["deals_per_second"] == pytest.approx(5 / data["seconds"])


def test_interrupt_keeps_what_was_played():
    def stop(result):
        if result.deals == 4:
            raise KeyboardInterrupt

    result = compare(("easy", "random"), BELOTE, 50, 2, report=stop)
    assert result.interrupted
    assert figures(result) == {**figures(compare(("easy", "random"), BELOTE, 4, 2)), "interrupted": True}


def test_a_deal_played_here_is_that_of_the_game():
    for preset in PRESETS:
        rules = Rules.preset(preset)
        game = Game(rules, seed=6)
        state = game.state
        agents = [[RandomAgent(seat) for seat in range(4)] for _ in range(2)]
        played = play_deal(rules, state, agents[0])
        while not game.deal_over:
            game.step(agents[1][game.seat].act(game.view()))
        assert played == game.result and np.array_equal(state, game.state)


@pytest.mark.parametrize("cheat", ["Cheat", "Speechless"])
def test_illegal_actions_are_refused(cheat):
    with pytest.raises(IllegalActionError, match=r"returned .*, expected the id of one of pass"):
        compare((f"test_arena:{cheat}", "easy"), Rules.preset("coinche"), 5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"deals": 0}, "deals is 0"),
        ({"deals": 1, "seed": -1}, "seed is -1"),
        ({"deals": 1, "first": -1}, "first is -1"),
        ({"deals": 1, "agents": ("easy", "hard")}, "unknown agent 'hard'"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        compare(**{"agents": ("easy", "random"), "rules": BELOTE, **arguments})
