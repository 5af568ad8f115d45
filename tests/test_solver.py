"""The double-dummy solver against a plain minimax over the referee's rules, and against itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from belote_env import Game
from belote_env.cards import CARDS, DENOMINATIONS, cards_of, mask_of, parse_card
from belote_env.engine.layout import LEADERS, PLAYED
from belote_env.rules import Rules
from belote_env.solver import Position, Solver, search, solve_batch, table_memory, working_memory
from belote_env.solver.state import state_card_values
from tests.referee_cards import card_value, playable, power

GOLDEN = Path(__file__).parent / "data" / "solved_deals.json"
PLAY_OPTIONS = [
    {"overtake_partner": overtake, "undertrump": undertrump, "partner_winning": partner}
    for overtake in (True, False)
    for undertrump in ("forced", "free")
    for partner in ("free", "beat_if_trumping", "must_trump")
]
VALUES = [
    {"nt_values": nt, "at_values": at, "capot_points": capot}
    for nt, at in (("ace19", "13"), ("doubled", "14"), ("doubled", "full"))
    for capot in (252, 250, 162)
]


def options_of(rules: Rules) -> dict:
    return {name: getattr(rules, name) for name in [*PLAY_OPTIONS[0], *VALUES[0]]}


class Minimax:
    """Searches everything: no memory, no bounds; cards are text and every rule is the referee's."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.denomination = DENOMINATIONS[position.denomination]
        self.rules = options_of(position.rules)
        self.doubled = self.denomination == "NT" and self.rules["nt_values"] == "doubled"
        full = self.denomination == "AT" and self.rules["at_values"] == "full"
        self.scale = 260 if self.doubled else 258 if full else 162
        self.counts_tricks = position.rules.scoring in ("encheres", "more_tricks")
        self.eight = sum(position.tricks) + position.owned[0].bit_count() == 8

    def card_values(self) -> dict[int, int]:
        position = self.position
        hands = tuple(frozenset(CARDS[card] for card in cards_of(hand)) for hand in position.hands)
        trick = tuple(((position.leader + turn) % 4, CARDS[card]) for turn, card in enumerate(position.trick))
        state = (hands, position.seat, trick, position.points, position.tricks)
        return {parse_card(card): self.after(*state, card) for card in self.legal(hands, position.seat, trick)}

    def legal(self, hands: tuple, seat: int, trick: tuple) -> set[str]:
        return playable(set(hands[seat]), seat, trick, self.denomination, self.rules)

    def after(self, hands: tuple, seat: int, trick: tuple, points: tuple, tricks: tuple, card: str) -> int:
        hands = tuple(hand - {card} for hand in hands)
        trick = (*trick, (seat, card))
        seat = (seat + 1) % 4
        if len(trick) == 4:
            led = trick[0][1][1]
            seat = max(trick, key=lambda played: power(played[1], led, self.denomination))[0]
            won = sum(card_value(played, self.denomination, self.rules) for _, played in trick)
            if not any(hands):
                won += 20 if self.doubled else 10
            points = tuple(old + won * (team == seat % 2) for team, old in enumerate(points))
            tricks = tuple(old + (team == seat % 2) for team, old in enumerate(tricks))
            trick = ()
            if not any(hands):
                return self.difference(points, tricks, seat % 2)
        values = [self.after(hands, seat, trick, points, tricks, card) for card in self.legal(hands, seat, trick)]
        return max(values) if seat % 2 == 0 else min(values)

    def difference(self, points: tuple, tricks: tuple, last: int) -> int:
        belote = self.position.belote
        if self.counts_tricks:
            return tricks[0] + (last == 0) + belote[0] - tricks[1] - (last == 1) - belote[1]
        cards = [round(one * 162 / self.scale) for one in points]
        for team in (0, 1):
            if self.eight and tricks[team] == 8:
                cards[team], cards[1 - team] = self.rules["capot_points"], 0
        return cards[0] + belote[0] - cards[1] - belote[1]


def random_rules(random: np.random.Generator) -> Rules:
    play, values = PLAY_OPTIONS[random.integers(len(PLAY_OPTIONS))], VALUES[random.integers(len(VALUES))]
    return Rules.preset("coinche_plus", **play, **values)


def random_position(
    random: np.random.Generator, length: int, denomination: int | None = None, rules: Rules | None = None
) -> Position:
    """A position of ``length`` cards a hand, of a shape that ruffs, runs of masters and capots are common in."""
    rules = rules or random_rules(random)
    denomination = int(random.integers(6)) if denomination is None else denomination
    shape = random.integers(4)
    # Cards of two suits only, or trumps (or hearts) gathered in few hands, or as they come.
    weight = {0: lambda c: c >> 3 not in (denomination, (denomination + 1) % 4), 1: lambda c: c >> 3 != denomination}
    spread = weight.get(int(shape), lambda c: 0)
    deck = sorted(range(32), key=lambda card: 0.7 * spread(card) + random.random())[: 4 * length]
    if shape != 1:
        deck = random.permutation(deck).tolist()
    turn = int(random.integers(4))
    hands = [mask_of(deck[(seat + turn) % 4 * length : ((seat + turn) % 4 + 1) * length]) for seat in range(4)]
    gone = 8 - length
    tricks = [(gone, 0), (0, gone), (0, 0), (gone // 2, gone - gone // 2)][random.integers(4)]
    position = Position(hands, int(random.integers(4)), denomination, rules, tricks=tricks)
    won = int(random.integers(position.full_points - position.rest + 1)) if all(tricks) else 0
    won -= won % 2 if position.last_trick == 20 else 0  # under doubled values all points are even
    lost = position.full_points - position.rest - won
    points = (won, lost) if all(tricks) else (lost, 0) if tricks[0] else (0, lost) if tricks[1] else (0, 0)
    position = Position(hands, position.leader, denomination, rules, points=points, tricks=tricks)
    for _ in range(random.integers(4)):
        position = play_random(random, position)
    return position


def play_random(random: np.random.Generator, position: Position) -> Position:
    legal = list(cards_of(int(search.root_cards(position.problem, position.rules.vector)[1])))
    return position.play(legal[random.integers(len(legal))])


def deal(random: np.random.Generator, denomination: int | None = None, rules: Rules | None = None) -> Position:
    hands = [mask_of(map(int, cards)) for cards in random.permutation(32).reshape(4, 8)]
    denomination = int(random.integers(6)) if denomination is None else denomination
    return Position(hands, int(random.integers(4)), denomination, rules or random_rules(random))


def check_against_minimax(solver: Solver, position: Position) -> None:
    expected = Minimax(position).card_values()
    assert solver.card_values(position) == expected, position
    best = (max, min)[position.seat % 2](expected.values())
    assert solver.value(position) == best, position


@pytest.mark.parametrize("denomination", range(6), ids=DENOMINATIONS)
def test_every_card_of_small_positions(denomination: int) -> None:
    random = np.random.default_rng(denomination)
    solver = Solver(10)
    for _ in range(60):
        check_against_minimax(solver, random_position(random, int(random.integers(1, 4)), denomination))


@pytest.mark.parametrize("options", PLAY_OPTIONS, ids=lambda options: "-".join(map(str, options.values())))
def test_every_play_option(options: dict) -> None:
    random = np.random.default_rng(99)
    solver = Solver(10)
    rules = Rules.preset("contree", **options)
    for number in range(16):
        check_against_minimax(solver, random_position(random, 3, number % 4, rules))


@pytest.mark.parametrize("preset", ["encheres", "decouverte"])
def test_games_that_count_tricks(preset: str) -> None:
    random = np.random.default_rng(7)
    solver = Solver(10)
    for number in range(60):
        denomination = number % (6 if preset == "encheres" else 4)
        check_against_minimax(solver, random_position(random, 1 + number % 3, denomination, Rules.preset(preset)))


def test_four_cards_a_hand() -> None:
    random = np.random.default_rng(4)
    solver = Solver(10)
    for _ in range(6):
        check_against_minimax(solver, random_position(random, 4))


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_ten_thousand_small_positions() -> None:
    random = np.random.default_rng(10_000)
    solver = Solver(10)
    for number in range(10_000):
        check_against_minimax(solver, random_position(random, 4 if number % 20 == 0 else int(random.integers(1, 4))))


def check_whole_deal(solver: Solver, position: Position) -> None:
    """The value, the value of each card, the yes/no answers and the line must tell the same story."""
    value = solver.value(position)
    cards = Solver(14).card_values(position)
    assert (max, min)[position.seat % 2](cards.values()) == value
    for card in list(cards)[:2]:
        child = position.play(card)
        assert child is not None
        assert Solver(14).value(child) == cards[card]
    mine, theirs = next(
        pair for rest in range(-1, position.rest + 2) if (pair := position.sides(rest)) and pair[0] - pair[1] == value
    )
    for team, points in ((0, mine), (1, theirs)):
        assert Solver(14).can_reach(position, team, points)
        assert not Solver(14).can_reach(position, team, points + 1)
    capot = position.rules.capot_points
    for team, own in ((0, value), (1, -value)):
        own -= (position.belote[0] - position.belote[1]) * (1 - 2 * team)
        if capot > 162:
            assert Solver(14).can_take_all(position, team) == (own == capot)
        elif Solver(14).can_take_all(position, team):
            assert own == 162
    current: Position | None = position
    for card in solver.line(position):
        assert current is not None
        assert solver.value(current) == value
        current = current.play(card)
    assert current is None


def test_whole_deals() -> None:
    random = np.random.default_rng(8)
    solver = Solver(16)
    for number in range(6):
        check_whole_deal(solver, deal(random, number))


@pytest.mark.slow
def test_many_whole_deals() -> None:
    random = np.random.default_rng(88)
    solver = Solver(16)
    for _ in range(150):
        check_whole_deal(solver, deal(random))


def check_configurations(random: np.random.Generator, count: int, length: int) -> None:
    solvers = [Solver(14), Solver(4), Solver(14, use_bounds=False), Solver(14, use_table=False)]
    for _ in range(count):
        position = random_position(random, length)
        assert len({solver.value(position) for solver in solvers}) == 1, position


def test_configurations_agree() -> None:
    check_configurations(np.random.default_rng(5), 150, 5)


@pytest.mark.slow
def test_configurations_agree_on_many_deals() -> None:
    random = np.random.default_rng(6)
    check_configurations(random, 10_000, 5)
    check_configurations(random, 2000, 6)


def test_a_table_serves_one_deal_only() -> None:
    """A solver that has seen other deals, and later moments of this one, answers as a fresh one does."""
    random = np.random.default_rng(12)
    used = Solver(12)
    for _ in range(30):
        position = random_position(random, 6)
        for _ in range(8):
            assert used.value(position) == Solver(12).value(position)
            position = play_random(random, position)


def golden_positions() -> list[tuple[Position, dict]]:
    data = json.loads(GOLDEN.read_text())
    return [
        (Position(one["hands"], one["leader"], one["denomination"], Rules.from_dict(one["rules"])), one)
        for one in data["deals"]
    ]


def check_golden(positions: list[tuple[Position, dict]]) -> None:
    solver = Solver()
    for position, expected in positions:
        values = {CARDS[card]: value for card, value in solver.card_values(position).items()}
        assert values == expected["cards"]
        assert solver.value(position) == expected["value"]


def test_golden_deals() -> None:
    check_golden(golden_positions()[::10])


@pytest.mark.slow
def test_all_golden_deals() -> None:
    assert len(golden_positions()) == 200
    check_golden(golden_positions())


def test_batch_is_the_same_with_any_number_of_threads() -> None:
    random = np.random.default_rng(3)
    positions = [random_position(random, 6) for _ in range(50)]
    values = [Solver().value(position) for position in positions]
    for threads in (1, 2, None):
        batch = solve_batch(positions, threads)
        assert batch.dtype == np.int64
        assert batch.tolist() == values
    assert solve_batch([]).shape == (0,)
    with pytest.raises(ValueError, match="threads is 0, expected 1 or more"):
        solve_batch(positions, 0)


def test_partner_with_only_trumps_must_ruff_the_master() -> None:
    """Seat 0 has AS AC to cash, but seat 2 must ruff the first of them and then has to lead the seven of trumps."""
    hands = ("AS AC 7D", "7S 7C 8D", "7H 8H 9H", "8S 8C JD")
    position = Position(hands, 0, "H", Rules.preset("belote"))
    check_against_minimax(Solver(8), position)


def test_capot_only_where_eight_tricks_are_won() -> None:
    hands = ("AH", "7S", "8S", "9S")
    rules = Rules.preset("belote")
    assert Solver().value(Position(hands, 0, "H", rules)) == 21
    assert Solver().value(Position(hands, 0, "H", rules, points=(141, 0), tricks=(7, 0))) == 252
    assert Solver().value(Position(hands, 0, "H", rules, points=(141, 0), tricks=(6, 1))) == 162
    assert Solver().can_take_all(Position(hands, 0, "H", rules, tricks=(7, 0)), 0)
    assert not Solver().can_take_all(Position(hands, 0, "H", rules, tricks=(6, 1)), 0)


def test_belotes() -> None:
    hands = ("KH QH", "KS QS", "7D 8D", "9D TD")
    for preset, denomination, belote in (
        ("coinche_plus", "H", (20, 0)),
        ("coinche_plus", "AT", (20, 20)),
        ("coinche_plus", "NT", (0, 0)),
        ("decouverte", "H", (0, 0)),
        ("encheres", "H", (1, 0)),
        ("encheres", "AT", (0, 0)),
    ):
        position = Position(hands, 0, denomination, preset)
        assert position.belote == belote
        check_against_minimax(Solver(8), position)
    assert Position(hands, 0, "H", "coinche_plus", belote=(0, 20)).belote == (0, 20)


def test_wrong_positions_are_refused() -> None:
    good = {"hands": ("7S", "8S", "9S", "TS"), "leader": 0, "denomination": "H", "rules": "belote"}
    Position(**good)
    for wrong, reason in (
        ({"hands": ("7S 8S", "9S", "TS", "JS")}, "equally long"),
        ({"hands": ("7S", "7S", "9S", "TS")}, "two places"),
        ({"leader": 4}, "leader"),
        ({"denomination": "X"}, "denomination"),
        ({"tricks": (4, 4)}, "more than eight"),
        ({"points": (162, 0)}, "more than"),
        ({"hands": ("", "8S", "9S", "TS"), "trick": "8S"}, "two places"),
        ({"hands": ("7H", "8H KD", "9S 9D", "TS TD"), "trick": "7D 8D"}, "equally long"),
        ({"hands": ("7H", "AS", "9S 9D", "TS TD"), "trick": "7S KD"}, "breaks the rules"),
    ):
        with pytest.raises(ValueError, match=reason):
            Position(**{**good, **wrong})
    with pytest.raises(ValueError, match="team"):
        Solver().can_reach(Position(**good), 2, 82)


def test_compiled_functions_agree_with_the_object() -> None:
    random = np.random.default_rng(21)
    table, work = table_memory(8), working_memory()
    values = np.empty(32, dtype=np.int64)
    for _ in range(50):
        position = random_position(random, 4)
        problem, r = position.problem, position.rules.vector
        work[: search.PROBLEM_SIZE] = problem
        search.begin(work, table)
        best = search.solve_cards(work, r, table, values)
        cards = {card: position.difference(int(v)) for card, v in enumerate(values) if v != search.UNPLAYABLE}
        assert cards == Solver().card_values(position)
        assert position.difference(best) == Solver().value(position)


def endgames(rules: Rules, seed: int, cards: int) -> Iterator[Game]:
    """Every moment of the play of random deals, from ``cards`` cards a hand on; whoever can calls."""
    random = np.random.default_rng(seed)
    game = Game(rules, seed)
    for _ in range(6):
        while not game.deal_over:
            if game.phase == "play" and game.state[PLAYED] >= 4 * (8 - cards):
                yield game
            actions = game.legal_ids()
            game.step(actions[random.integers(len(actions))])
        game = Game(rules, int(random.integers(1 << 30)))


@pytest.mark.parametrize("preset", Rules.presets())
def test_states_of_the_kernel(preset: str) -> None:
    """The value of the line of best play is what the engine then counts, for object and compiled entry alike."""
    rules = Rules.preset(preset)
    if rules.declarations:
        rules = Rules.preset(preset, announce="choose")
    solver = Solver(12)
    table, work = table_memory(10), working_memory()
    values = np.empty(32, dtype=np.int64)
    for game in endgames(rules, 1, 4):
        position = Position.from_state(game.state, rules)
        expected = solver.card_values(position)
        sign = (1, -1)[position.seat % 2]
        best = state_card_values(game.state, rules.vector, work, table, values)
        assert best == sign * solver.value(position)
        assert {card: sign * int(v) for card, v in enumerate(values) if v != search.UNPLAYABLE} == expected
        end = game.clone()
        for card in solver.line(position):
            end.step(card)
            if end.phase == "belote":
                end.step("belote")
        points = points_counted(end)
        assert sign * best == points[0] - points[1]


def points_counted(game: Game) -> tuple[int, int]:
    """Points of a finished deal, declarations aside, as the score sheet has them; tricks where those count."""
    result = game.result
    assert result is not None
    if game.rules.scoring in ("encheres", "more_tricks"):
        cards = [tricks + (int(game.state[LEADERS + 8]) % 2 == team) for team, tricks in enumerate(result["tricks"])]
    else:
        cards = result["card_points"]
    return cards[0] + result["belote"][0], cards[1] + result["belote"][1]


def test_states_without_a_card_to_play_are_refused() -> None:
    with pytest.raises(ValueError, match="auction"):
        Position.from_state(Game("coinche", 0).state, "coinche")
