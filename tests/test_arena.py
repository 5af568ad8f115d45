"""Duplicate deals: all tables the same cards, independence of order and workers, and the interval by hand."""

from __future__ import annotations

import json
import math
import statistics

import numpy as np
import pytest

from agents.random_agent import RandomAgent
from belote_env import Game, Rules
from belote_env.errors import IllegalActionError
from training import duplicate
from training.arena import compare
from training.comparison import Comparison
from training.duplicate import SEATINGS, Deal, Outcome, Pairing, play_deal
from training.latency import Latency
from training.lockstep import finish, play_together

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


def play(pairing, number):
    return play_together(pairing, [number])[0]


def outcome(*tables, winners=()):
    return Outcome(tables, winners, 1.0, (Latency(), Latency()), ({}, {}))


def figures(result):
    """Everything but time."""
    data = result.to_dict()
    for side in data["contracts"]:
        del side["decisions_per_second"], side["latency_ms"]
    return {key: data[key] for key in data if not key.startswith(("seconds", "deals_per"))}


@pytest.mark.parametrize("preset", PRESETS)
def test_all_tables_have_the_same_cards(preset, monkeypatch):
    rules = Rules.preset(preset)
    starts = []

    def record(rules, state, agents, clocks):
        starts.append(state.copy())
        return play_deal(rules, state, agents, clocks)

    monkeypatch.setattr(duplicate, "play_deal", record)
    for protocol, tables in (("team", 2), ("table", 4)):
        starts.clear()
        for deal in range(2):
            play(Pairing((LOWEST, HIGHEST), rules, 5, protocol), deal)
        first, second = starts[:tables], starts[tables:]
        assert all(np.array_equal(first[0], start) for start in first) and len(first) == len(second) == tables
        assert not np.array_equal(first[0], second[0])


def test_seating_and_seeds(monkeypatch):
    seated = []

    def make(spec, rules, seed):
        if isinstance(seed, np.random.SeedSequence):
            seated.append((spec, tuple(seed.generate_state(2))))
        return RandomAgent(seed)

    monkeypatch.setattr(duplicate, "make", make)
    cards = set()
    for seed in (0, 1):
        pairing = Pairing(("A", "B"), BELOTE, seed)
        for deal in (0, 1):
            play(pairing, deal)
            cards.add(tuple(np.random.SeedSequence(seed, spawn_key=(deal,)).generate_state(2)))
    assert "".join(spec for spec, _ in seated) == "ABABBABA" * 4
    # Every agent at every table of every deal has its own random numbers, and none has those of the cards.
    assert len(cards) == 4 and len({seed for _, seed in seated} | cards) == 32 + 4
    # At the table A sits everywhere, its partner plays the level but never below Hard.
    for level, partner in (("easy", "hard"), ("normal", "hard"), ("hard", "hard"), ("crazy", "crazy")):
        seated.clear()
        play(Pairing(("A", level), BELOTE, 0, "table"), 0)
        specs = [spec for spec, _ in seated]
        for seat in range(4):
            table = specs[4 * seat : 4 * seat + 4]
            assert table[seat] == "A" and table[seat ^ 2] == partner
            assert table[(seat + 1) % 4] == table[(seat + 3) % 4] == level


@pytest.mark.parametrize("protocol", ["team", "table"])
def test_matches_are_those_of_the_game(protocol):
    rules = Rules.preset("belote")
    result = play(Pairing((LOWEST, HIGHEST), rules, 3, protocol, match=True), 4)
    for seating, deals, winner in zip(SEATINGS[protocol], result.tables, result.winners, strict=True):
        game = Game(rules, seed=np.random.default_rng(np.random.SeedSequence(3, spawn_key=(4,))))
        side = seating.index(0) & 1
        players = [Lowest, Highest, None]
        for number, deal in enumerate(deals):
            if number:
                game.next_deal()
            while not game.deal_over:
                player = players[seating[game.seat]]
                # The partner of "table" is B itself here: it is no shipped level.
                game.step((player or Highest)(rules, 0).act(game.view()))
            assert deal.scores == (game.result["scores"][side], game.result["scores"][1 - side])
        assert game.winner == winner ^ side


def test_outcomes_as_text():
    for pairing in (
        Pairing(("easy", "normal"), Rules.preset("coinche"), 3),
        Pairing(("easy", "random"), BELOTE, 1, match=True),
    ):
        one = play(pairing, 2)
        assert Outcome.from_json(one.to_json()) == one
        assert one.turned().turned() == one


@pytest.mark.parametrize("preset", PRESETS)
def test_an_agent_that_makes_no_random_choice_equals_itself(preset):
    rules = Rules.preset(preset)
    for agent in (LOWEST, HIGHEST):
        result = compare((agent, agent), rules, 10, 1)
        assert (result.mean_difference, result.ci95) == (0.0, (0.0, 0.0))
        assert result.sides[0].contracts == result.sides[1].contracts


@pytest.mark.parametrize("preset", PRESETS)
def test_exchanging_the_agents_turns_the_result_round(preset):
    rules = Rules.preset(preset)
    one, two = compare((LOWEST, HIGHEST), rules, 40, 1), compare((HIGHEST, LOWEST), rules, 40, 1)
    assert one.mean_difference == -two.mean_difference
    assert one.half_width == two.half_width
    assert one.sides[0].contracts == two.sides[1].contracts and one.thrown_in == two.thrown_in


def test_same_seed_same_result():
    results = [figures(compare(("easy", "random"), BELOTE, 20, seed)) for seed in (1, 1, 2)]
    assert results[0] == results[1] != results[2]


@pytest.mark.parametrize("more", [{}, {"match": True}, {"protocol": "table"}])
def test_one_worker_or_two(more):
    rules = Rules.preset("coinche")
    agents = ("easy", LOWEST) if more.get("protocol") == "table" else ("easy", "random")
    results = [figures(compare(agents, rules, 12, 3, workers=workers, **more)) for workers in (1, 2)]
    assert results[0] == results[1]


def test_the_order_of_playing_changes_nothing():
    pairing = Pairing(("easy", "random"), Rules.preset("coinche"), 3)
    results = [
        figures(Comparison(pairing).add_all(play(pairing, number) for number in numbers))
        for numbers in (range(12), reversed(range(12)), (5, 7, 0, 11, 2, 1, 3, 4, 6, 8, 9, 10))
    ]
    assert results[0] == results[1] == results[2] == figures(compare(("easy", "random"), pairing.rules, 12, 3))


def test_a_deal_depends_on_its_number_alone():
    pairing = Pairing(("easy", "easy"), BELOTE, 4)
    alone = play(pairing, 7)
    for deal in (2, 9, 7):
        last = play(pairing, deal)
    assert last.tables == alone.tables


def test_b_against_a_is_a_against_b_turned_round():
    for match in (False, True):
        one = play(Pairing(("easy", "random"), BELOTE, 4, match=match), 1)
        two = play(Pairing(("random", "easy"), BELOTE, 4, match=match), 1)
        assert one.turned().tables == two.tables and one.turned().winners == two.winners


def test_the_interval_by_hand():
    result = Comparison(Pairing(("easy", "random"), Rules.preset("coinche"), 0))
    result.add(
        outcome(
            [Deal((100, 60), (20, 0), 0, "80", "S", 1, True)],
            [Deal((30, 10), (0, 50), 0, "90", "S", 2, True)],
        )
    )  # (40 + 20) / 2
    result.add(
        outcome(
            [Deal((0, 250), (0, 0), 0, "80", "H", 4, False)],
            [Deal((0, 162), (0, 0), 1, "capot", "H", 1, True)],
        )
    )  # (-250 - 162) / 2
    result.add(outcome([Deal((0, 0), (0, 0))], [Deal((5, 0), (0, 0), 0, "80", "S", 1, None)]))  # 5 / 2
    differences = [30, -206, 2.5]
    assert result.deals == 3
    assert result.mean_difference == pytest.approx(statistics.mean(differences))
    assert result.half_width == pytest.approx(1.959964 * statistics.stdev(differences) / math.sqrt(3))
    low, high = result.ci95
    assert (low + high) / 2 == pytest.approx(result.mean_difference) and high - low == pytest.approx(
        2 * result.half_width
    )
    a, b = result.sides
    assert (a.bid, a.made, a.doubled) == (4, 2, 2)
    assert (b.bid, b.made, b.doubled) == (1, 1, 0)
    assert a.by("denomination") == {
        "H": {"bid": 1, "made": 0, "doubled": 1, "points": 0},
        "S": {"bid": 3, "made": 2, "doubled": 1, "points": 45},
    }
    assert list(a.by("value")) == ["80", "90"] and list(b.by("value")) == ["capot"]
    assert (a.as_taker, a.as_defender) == ((100 + 30 + 0 + 5) / 4, 0)
    assert (b.as_taker, b.as_defender) == (162, (60 + 10 + 250 + 0) / 4)
    assert (a.declared, a.declarations, b.declared, b.declarations) == (1, 20, 1, 50)
    assert result.thrown_in == 1


def test_matches_won():
    result = Comparison(Pairing(("easy", "random"), BELOTE, match=True))
    assert result.win_rate is None and result.win_rate_ci95 is None
    for winners in ((0, 1), (0, 0), (None, 0)):
        result.add(outcome([], [], winners=winners))
    assert result.won == (4, 1, 1) and result.win_rate == 0.75
    low, high = result.win_rate_ci95
    assert 0 < low < 0.75 < high < 1


def test_one_deal_has_no_interval():
    result = compare(("easy", "random"), BELOTE, 1)
    assert result.ci95 is None and result.half_width is None and result.bootstrap95 is None
    assert Comparison(result.pairing).mean_difference == 0


def test_thrown_in_deals_count_zero():
    result = compare((LOWEST, LOWEST), Rules.preset("coinche"), 5)
    assert (result.thrown_in, result.mean_difference, result.ci95) == (10, 0.0, (0.0, 0.0))
    assert compare((LOWEST, LOWEST), Rules.preset("decouverte"), 5).thrown_in == 0


def test_json():
    result = compare(("easy", "random"), Rules.preset("belote", litige="none"), 5, 9)
    data = json.loads(json.dumps(result.to_dict()))
    assert data["agents"] == ["easy", "random"]
    assert Rules.from_dict(data["rules"]) == result.pairing.rules
    assert (data["deals"], data["seed"], data["interrupted"]) == (5, 9, False)
    low, high = data["ci95"]
    assert low < data["mean_difference"] < high
    assert sum(side["bid"] for side in data["contracts"]) + data["thrown_in"] == 10
    for side in data["contracts"]:
        for key in ("by_denomination", "by_value"):
            assert sum(kind["made"] for kind in side[key].values()) == side["made"]
        assert side["latency_ms"]["p50"] <= side["latency_ms"]["p99"] and side["decisions"] > 30
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
        (played,) = finish([play_deal(rules, state, agents[0])])
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
        ({"deals": 1, "workers": 0}, "workers is 0"),
        ({"deals": 1, "protocol": "pairs"}, "protocol is 'pairs', expected one of team, table"),
        ({"deals": 1, "agents": ("easy", "hrad")}, "unknown agent 'hrad'"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        compare(**{"agents": ("easy", "random"), "rules": BELOTE, **arguments})
