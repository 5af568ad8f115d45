"""Worlds: each agrees with what the seat knows, the kernel can reach it, and all of them are as likely.

The deals that agree are found independently: every split of the unseen cards goes through the slow referee.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator
from math import comb, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from referee import Referee, deal_record
from strategies import rules_specs, seeds
from test_against_referee import rigged_record
from test_no_leak import VARIANTS, announced_kinds, announced_tops, exchanged, public_history, shown_cards

from agents.worlds import Worlds, draw_from_all, plan_memory, prepare
from belote_env import Game, Rules
from belote_env.cards import CARDS, FULL_PACK, cards_of, mask_of, parse_cards
from belote_env.engine.declarations import CARRE, CENT, CINQUANTE, TIERCE, best_declarations, declaration_mask
from belote_env.engine.kernel import legal_actions, step
from belote_env.engine.layout import (
    ANNOUNCED,
    CALLED,
    CONTEST,
    DEALT,
    DECLARATIONS,
    DENOMINATION,
    EXCLUDED,
    HANDS,
    KNOWN,
    LEADERS,
    NONE,
    NUM_ACTIONS,
    OVER,
    PACK,
    PAIR,
    PHASE,
    PLAYED,
    RNG,
    SEQUENCE,
    SHOWN,
    STATE_SIZE,
    TAKER,
    TURNED,
)
from belote_env.view import View

MORE_VARIANTS = [*VARIANTS, {"preset": "contree", "options": {"announce": "choose", "announce_detail": "kind_top"}}]


def names(spec: dict[str, Any]) -> str:
    return "-".join([spec["preset"], *spec["options"]])


def random_call(game: Game, rng: random.Random) -> str:
    legal = game.legal_actions()
    return "pass" if "pass" in legal and rng.random() < 0.5 else rng.choice(legal)


def positions(record: dict[str, Any], rng: random.Random) -> Iterator[Game]:
    """The same game at every position of a random deal."""
    game = Game.from_record(record, seed=0)
    while not game.deal_over:
        yield game
        game.step(random_call(game, rng))


def hidden_again(world: np.ndarray, view: View) -> np.ndarray:
    return View(view.rules, world, view.seat, []).state


# Each world agrees with the view, and is a state that the kernel itself comes to.


def record_of(game: Game, dealt: list[set[str]], stock: list[str] | None) -> dict[str, Any]:
    """The record of another deal of the same game, without actions.

    ``dealt`` holds whole hands, of which any three cards may be from the stock, unless it is given.
    """
    record = game.to_record() | {"actions": []}
    if "turned" in record and stock is None:
        turned, dealer = record["turned"], record["dealer"]
        rests = [sorted(hand - {turned}) for hand in dealt]
        record["stock"] = " ".join(card for i in range(1, 5) for card in rests[(dealer + i) % 4][5:])
        dealt = [set(rest[:5]) for rest in rests]
    elif stock is not None:
        record["stock"] = " ".join(stock)
    return record | {"hands": [" ".join(sorted(hand)) for hand in dealt]}


def public_moves(actions: list[str]) -> list[str]:
    return [action for action in actions if action not in ("announce", "silent", "belote")]


def retold(game: Game, world: np.ndarray) -> Game:
    """The kernel's own way to a world: its cards dealt, the public moves made, every question answered as in it."""
    dealt = [{CARDS[card] for card in cards_of(int(world[DEALT + seat]))} for seat in range(4)]
    stock = None
    if game.phase == "auction" and game.rules.auction == "turned":
        stock = [CARDS[card] for card in world[PACK + 21 : PACK + 32]]
        assert world[PACK + 20] == world[TURNED]
    told = Game.from_record(record_of(game, dealt, stock), seed=0)

    def answered() -> bool:
        """Answer the question put to a seat, if the world says how."""
        if told.phase == "announce":
            said = world[ANNOUNCED + told.seat]
            unanswered, yes = said == NONE, "announce"
        else:
            said = world[CALLED + world[SEQUENCE + told.state[PLAYED] - 1] // 8]
            unanswered, yes = said == 0, "belote"
        if not unanswered:
            told.step(yes if said > 0 else "silent")
        return not unanswered

    for move in public_moves(game.actions):
        while told.phase in ("announce", "belote"):
            assert answered()
        told.step(move)
    while told.phase in ("announce", "belote") and answered():
        pass
    return told


def play_out(world: np.ndarray, r: np.ndarray, rng: random.Random) -> None:
    ids = np.empty(NUM_ACTIONS, dtype=np.int64)
    while world[PHASE] != OVER:
        step(world, r, ids[rng.randrange(legal_actions(world, r, ids))])


def check_one_deal(spec: dict[str, Any], rng: random.Random, share: float) -> set[str]:
    """Draw worlds at a share of the positions of a random deal, for every seat; return the phases met."""
    phases = set()
    ignored = [RNG, *range(PACK, PACK + 32)]
    for game in positions(rigged_record(spec, rng), rng):
        if rng.random() > share:
            continue
        phases.add(game.phase)
        for seat in range(4):
            view = game.view(seat)
            for world in Worlds(view, seed=rng.randrange(1000)).sample(2):
                assert np.array_equal(hidden_again(world, view), view.state)
                told = retold(game, world).state
                world_kept = world.copy()
                told[ignored] = world_kept[ignored] = 0
                assert np.array_equal(told, world_kept)
                play_out(world, view.rules.vector, rng)
    return phases


@pytest.mark.parametrize("spec", MORE_VARIANTS, ids=names)
def test_worlds_agree_with_the_view_in_every_phase(spec):
    rng = random.Random(1)
    phases = set().union(*(check_one_deal(spec, rng, share=0.2) for _ in range(8)))
    rules = Rules.from_dict(spec)
    assert {"play"} | ({"auction"} if rules.auction != "none" else set()) <= phases
    assert rules.announce == "auto" or {"announce", "belote"} & phases


@given(rules_specs(), seeds)
@settings(max_examples=15, deadline=None)
def test_worlds_agree_with_the_view_under_any_rules(spec, seed):
    check_one_deal(spec, random.Random(seed), share=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("spec", MORE_VARIANTS, ids=names)
def test_worlds_agree_with_the_view_in_many_deals(spec):
    rng = random.Random(2)
    for _ in range(60):
        check_one_deal(spec, rng, share=0.3)


# All deals that agree are as likely.


def judged(record: dict[str, Any], moves: list[str], announcers: set[int], callers: set[str]) -> Referee | None:
    """The referee after the public moves of a deal, or None if they break a rule there."""
    referee = Referee(record)

    def answer() -> None:
        if referee.phase == "announce":
            referee.step("announce" if referee.seat in announcers else "silent")
        elif referee.phase == "belote":
            referee.step("belote" if referee.trick[-1][1][1] in callers else "silent")

    for move in moves:
        while referee.phase in ("announce", "belote"):
            answer()
        if move not in referee.legal():
            return None
        referee.step(move)
    while referee.phase in ("announce", "belote"):
        answer()
    return referee


def public_facts(referee: Referee, dealer: int) -> list[Any]:
    """What the table has learned besides the cards played."""
    played = [card for _, cards in referee.tricks for card in cards] + [card for _, card in referee.trick]
    counts = [0] * 4
    first_cards: dict[int, str] = {}
    for number, card in enumerate(played):
        leader = referee.tricks[number // 4 - 1][0] if number >= 4 else (dealer + 1) % 4
        counts[(leader + number) % 4] += 1
        first_cards.setdefault((leader + number) % 4, card)
    kinds = announced_kinds(referee, first_cards)
    tops = announced_tops(referee, kinds) if referee.rules["announce_detail"] == "kind_top" else {}
    said = {
        (suit, seat)
        for suit, seat in referee.pairs.items()
        if referee.belotes.get(suit) and {"K" + suit, "Q" + suit} & set(played)
    }
    return [kinds, tops, said, shown_cards(referee, counts)]


def splits(cards: set[str], sizes: list[int]) -> Iterator[list[set[str]]]:
    """Every way to part the cards into three hands."""
    for first in itertools.combinations(sorted(cards), sizes[0]):
        for second in itertools.combinations(sorted(cards.difference(first)), sizes[1]):
            yield [set(first), set(second), cards.difference(first, second)]


def number_of_splits(game: Game, seat: int) -> int:
    sizes = [len(game.hands[(seat + i) % 4].split()) for i in range(1, 4)]
    total = 1
    for i, size in enumerate(sizes):
        total *= comb(sum(sizes[i:]), size)
    return total


def deals_that_agree(game: Game, seat: int) -> set[tuple[int, ...]]:
    """The hands, as four masks, of every deal that agrees with all that ``seat`` has seen."""
    state = game.state
    hands = [set(hand.split()) for hand in game.hands]
    played = [{CARDS[card] for card in cards_of(int(state[DEALT + i] & ~state[HANDS + i]))} for i in range(4)]
    others = [(seat + i) % 4 for i in range(1, 4)]
    announcers = {i for i in range(4) if state[ANNOUNCED + i] == 1}
    callers = {"SHDC"[suit] for suit in range(4) if state[CALLED + suit] > 0}
    moves = public_moves(game.actions)
    unseen = set().union(*(hands[i] for i in others))
    true = judged(record_of(game, [hands[i] | played[i] for i in range(4)], None), moves, announcers, callers)
    assert true is not None
    facts = public_facts(true, game.dealer)
    found = set()
    for split in splits(unseen, [len(hands[i]) for i in others]):
        held = list(hands)
        for i, cards in zip(others, split, strict=True):
            held[i] = cards
        dealt = [held[i] | played[i] for i in range(4)]
        if game.rules.deal == "turned" and CARDS[state[TURNED]] not in dealt[state[TAKER]]:
            continue
        referee = judged(record_of(game, dealt, None), moves, announcers, callers)
        if referee is not None and public_facts(referee, game.dealer) == facts:
            found.add(tuple(mask_of(parse_cards(" ".join(cards))) for cards in held))
    return found


def chi_square_limit(freedom: int) -> float:
    """A bound that chance exceeds less than once in a million times."""
    return freedom + 5 * sqrt(2 * freedom) + 25


def check_uniform(drawn: list[tuple[int, ...]], expected: set[tuple[int, ...]]) -> None:
    counts = Counter(drawn)
    assert set(counts) <= expected
    mean = len(drawn) / len(expected)
    assert sum((counts[deal] - mean) ** 2 for deal in expected) / mean < chi_square_limit(len(expected) - 1)


def void(state: np.ndarray, seat: int) -> bool:
    return all(state[EXCLUDED + i] & 0x7F7F7F7F for i in range(4) if i != seat)


def belote_called(state: np.ndarray, seat: int) -> bool:
    return any(state[CALLED + suit] == 1 and state[PAIR + suit] != seat for suit in range(4))


def belote_kept_silent(state: np.ndarray, seat: int) -> bool:
    return any(state[CALLED + suit] == NONE and state[PAIR + suit] != seat for suit in range(4))


def belote_missed(state: np.ndarray, seat: int) -> bool:
    missed = any(0 < state[EXCLUDED + i] & 0x60606060 == state[EXCLUDED + i] for i in range(4) if i != seat)
    return missed and not any(state[CALLED : CALLED + 4])


def announced_in_hand(state: np.ndarray, seat: int) -> bool:
    """Another seat still holds part of a declaration that was announced and not shown."""
    return any(
        state[ANNOUNCED + i] == 1
        and state[SHOWN + i] == 0
        and declaration_mask(state[DECLARATIONS + 2 * i]) & state[HANDS + i]
        for i in range(4)
        if i != seat
    )


def shown_in_hand(state: np.ndarray, seat: int) -> bool:
    return any(state[SHOWN + i] & state[KNOWN + i] for i in range(4) if i != seat)


def contest_tied(state: np.ndarray, seat: int) -> bool:
    return state[CONTEST] == NONE and announced_in_hand(state, seat)


def silent_in_hand(state: np.ndarray, seat: int) -> bool:
    return any(
        state[ANNOUNCED + i] == 0 and declaration_mask(state[DECLARATIONS + 2 * i]) & state[HANDS + i]
        for i in range(4)
        if i != seat and state[DECLARATIONS + 2 * i]
    )


def turned_card_held(state: np.ndarray, seat: int) -> bool:
    return state[TAKER] != seat and bool(state[KNOWN + state[TAKER]] >> state[TURNED] & 1)


CHOOSE = {"announce": "choose"}
KIND_TOP = {"announce_detail": "kind_top"}
CASES: list[tuple[str, dict[str, Any], Callable[[np.ndarray, int], bool]]] = [
    ("coinche", {}, void),
    ("coinche", {}, belote_called),
    ("coinche", {}, belote_missed),
    ("coinche_plus", {}, announced_in_hand),
    ("coinche", {}, shown_in_hand),
    ("coinche", {}, contest_tied),
    ("belote", {}, turned_card_held),
    ("belote", {}, announced_in_hand),
    ("belote_classique", {}, announced_in_hand),
    ("contree", KIND_TOP, announced_in_hand),
    ("contree", CHOOSE, announced_in_hand),
    ("coinche", CHOOSE, belote_kept_silent),
    ("coinche", CHOOSE, silent_in_hand),
    ("coinche", CHOOSE | KIND_TOP, shown_in_hand),
]


def late_position(
    spec: dict[str, Any], holds: Callable[[np.ndarray, int], bool], most: int, rng: random.Random
) -> tuple[Game, int]:
    """A position in play with few ways to part the unseen cards, some of which do not agree."""
    while True:
        seat = rng.randrange(4)
        for game in positions(rigged_record(spec, rng), rng):
            if game.phase != "play" or not 50 <= number_of_splits(game, seat) <= most or not holds(game.state, seat):
                continue
            view = game.view(seat)
            if rng.random() < 0.5 and prepare(view.state, view.rules.vector, seat, plan_memory()) > 1:
                return game.clone(), seat


def check_case(
    preset: str, options: dict[str, Any], holds: Callable[[np.ndarray, int], bool], most: int, seed: int
) -> None:
    rng = random.Random(seed)
    game, seat = late_position({"preset": preset, "options": options}, holds, most, rng)
    expected = deals_that_agree(game, seat)
    worlds = Worlds(game.view(seat), seed=seed)
    check_uniform(list(map(tuple, worlds.hands(40 * len(expected)).tolist())), expected)


@pytest.mark.parametrize("preset, options, holds", CASES)
def test_every_deal_that_agrees_is_as_likely(preset, options, holds):
    check_case(preset, options, holds, most=600, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("preset, options, holds", CASES)
@pytest.mark.parametrize("seed", range(2, 10))
def test_every_deal_that_agrees_is_as_likely_in_many_positions(preset, options, holds, seed):
    check_case(preset, options, holds, 1700, seed)


@pytest.mark.parametrize("preset, options, holds", CASES[3:5])
def test_going_through_all_deals_is_uniform_too(preset, options, holds):
    game, seat = late_position({"preset": preset, "options": options}, holds, 600, random.Random(3))
    expected = deals_that_agree(game, seat)
    view, plan = game.view(seat), plan_memory()
    r = view.rules.vector
    assert prepare(view.state, r, seat, plan) >= len(expected)
    generator, world = np.zeros(STATE_SIZE, dtype=np.int64), np.empty(STATE_SIZE, dtype=np.int64)
    drawn = []
    for _ in range(20 * len(expected)):
        assert draw_from_all(view.state, r, seat, plan, generator, world)
        drawn.append(tuple(world[HANDS : HANDS + 4].tolist()))
    check_uniform(drawn, expected)
    assert np.array_equal(hidden_again(world, view), view.state)


# In the first trick there are too many deals to list: the hands are compared with those of plain rejection.


def may_make(kind: int, hands: np.ndarray) -> np.ndarray:
    """Whether each hand has the cards for a kind of declaration; whether it has none for any, if the kind is 0."""
    carres = hands & hands >> 8 & hands >> 16 & hands >> 24 & 0xFF
    if kind == CARRE:
        return carres != 0
    runs = hands.copy()
    for length in range(1, kind + 2 if kind else 3):
        runs &= hands >> length & sum((0xFF >> length) << (8 * suit) for suit in range(4))
    # A carré of sevens or eights is none: to find that out is left to the engine.
    return runs != 0 if kind else (runs == 0) | (carres != 0)


def plain_rejection(view: View, wanted: int, rng: np.random.Generator) -> np.ndarray:
    """Hands from shuffles of the unseen cards, of which all that do not agree are thrown away."""
    state, seat, rules = view.state, view.seat, view.rules
    played = [0] * 4
    for i in range(int(state[PLAYED])):
        played[(int(state[LEADERS]) + i) % 4] |= 1 << int(state[SEQUENCE + i])
    unseen = np.array(list(cards_of(FULL_PACK & ~int(state[HANDS + seat]) & ~sum(played))))
    others = [(seat + i) % 4 for i in range(1, 4)]
    ends = np.cumsum([8 - played[i].bit_count() for i in others])
    found: list[np.ndarray] = []
    made = np.empty(2, dtype=np.int64)
    while len(found) < wanted:
        orders = rng.permuted(np.tile(unseen, (20_000, 1)), axis=1)
        hands = np.empty((len(orders), 4), dtype=np.int64)
        hands[:, seat] = state[HANDS + seat]
        agrees = np.ones(len(orders), dtype=bool)
        for i, cards in zip(others, np.split(1 << orders, ends[:-1], axis=1), strict=True):
            hands[:, i] = cards.sum(axis=1)
            agrees &= (hands[:, i] & state[EXCLUDED + i] == 0) & (hands[:, i] & state[KNOWN + i] == state[KNOWN + i])
            if played[i]:
                agrees &= may_make(int(state[DECLARATIONS + 2 * i]) & 7, hands[:, i] | played[i])
        for deal in hands[agrees]:
            for i in filter(played.__getitem__, others):
                best_declarations(int(deal[i]) | played[i], int(state[DENOMINATION]), rules.vector, made)
                if not np.array_equal(made & 7, state[DECLARATIONS + 2 * i : DECLARATIONS + 2 * i + 2]):
                    break
            else:
                found.append(deal)
    return np.array(found[:wanted])


def first_trick(spec: dict[str, Any], kinds: list[int], rng: random.Random) -> View:
    """A view in which the other seats have announced just these kinds in the first trick."""
    while True:
        seat = rng.randrange(4)
        for game in positions(
            rigged_record(spec, rng) if CENT in kinds or CARRE in kinds else deal_record(spec, rng), rng
        ):
            view = game.view(seat)
            said = [int(view.state[DECLARATIONS + i]) & 7 for i in range(8) if i // 2 != seat]
            if game.phase == "play" and 0 < view.state[PLAYED] < 4 and sorted(filter(None, said)) == kinds:
                return view


def check_first_trick(preset: str, kinds: list[int], wanted: int, seed: int) -> None:
    """Each card, and each pair of neighbours, lies in each hand as often in both."""
    view = first_trick({"preset": preset, "options": {}}, kinds, random.Random(seed))
    plain = plain_rejection(view, wanted, np.random.default_rng(seed))
    worlds = Worlds(view, seed=seed).hands(20 * wanted)
    for hand in range(4):
        exact = marginals(worlds[:, hand])
        spread = np.sqrt(exact * (1 - exact) / wanted * 1.05)
        assert (np.abs(marginals(plain[:, hand]) - exact) <= 5 * spread + 0.002).all()


def marginals(hands: np.ndarray) -> np.ndarray:
    """How often a hand holds each card, and each card along with its upper neighbour."""
    held = hands[:, None] >> np.arange(32) & 1
    return np.concatenate([held.mean(axis=0), (held[:, :-1] & held[:, 1:]).mean(axis=0)])


@pytest.mark.parametrize("kinds", [[], [TIERCE]])
def test_first_trick_is_like_plain_rejection(kinds):
    check_first_trick("coinche", kinds, wanted=2000, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["belote", "coinche_plus"])
@pytest.mark.parametrize("kinds", [[TIERCE], [CINQUANTE], [CENT], [CARRE], [TIERCE, TIERCE], [TIERCE, CINQUANTE]])
def test_rare_announcements_in_the_first_trick_are_like_plain_rejection(preset, kinds):
    check_first_trick(preset, kinds, wanted=1000, seed=2)


@given(rules_specs(), st.integers(0, 5), seeds)
@settings(max_examples=40, deadline=None)
def test_a_hand_declares_what_the_cards_of_its_declarations_do(spec, denomination, seed):
    """And no card of the hand would make a sequence longer: on both rests that placements of declarations are exact."""
    r = Rules.from_dict(spec).vector
    rng = random.Random(seed)
    whole, part = np.empty(2, dtype=np.int64), np.empty(2, dtype=np.int64)
    for _ in range(300):
        rich = [8 * suit + rank for rank in rng.sample(range(8), 4) for suit in range(4)]
        row = [8 * suit + rank for suit in rng.sample(range(4), 2) for rank in range(8)]
        hand = mask_of(rng.sample(rng.choice([rich, row, sorted({*rich[:8], *row[:8]})]), 8))
        best_declarations(hand, denomination, r, whole)
        cards = mask_of(card for d in whole.tolist() if d for card in cards_of(declaration_mask(d)))
        best_declarations(cards, denomination, r, part)
        assert np.array_equal(whole, part)
        for declaration in filter(None, whole.tolist()):
            if declaration & 7 != CARRE:
                run = declaration_mask(declaration)
                suit = 0xFF << (8 * (declaration >> 6 & 3))
                assert (run << 1 | run >> 1) & suit & hand & ~cards == 0


# The rest of the contract.


def test_the_same_seed_draws_the_same_worlds():
    for game in positions(deal_record({"preset": "belote", "options": {}}, random.Random(4)), random.Random(4)):
        view = game.view()
        one, other = Worlds(view, seed=5), Worlds(view, seed=5)
        first = one.sample(3)
        assert np.array_equal(first, other.sample(3))
        assert not np.array_equal(first[:, RNG], one.sample(3)[:, RNG])
        assert not np.array_equal(first, Worlds(view, seed=6).sample(3))


def test_numbers_in_a_row_or_one_by_one_are_the_same_worlds():
    view = Game("coinche", seed=1).view()
    one, other = Worlds(view, seed=1), Worlds(view, seed=1)
    assert np.array_equal(one.hands(3), np.concatenate([other.hands(1) for _ in range(3)]))
    assert one.hands(0).shape == (0, 4)


@pytest.mark.parametrize("spec", MORE_VARIANTS, ids=names)
def test_hidden_cards_do_not_change_the_worlds(spec):
    rng = random.Random(7)
    tried = 0
    while tried < 5:
        record = deal_record(spec, rng)
        length = rng.randrange(1, 40)
        game = next(itertools.islice(positions(record, rng), length, None), None)
        if game is None:
            continue
        record = game.to_record()
        seat = game.seat
        history = public_history(record)
        own = {CARDS[card] for card in cards_of(int(game.state[DEALT + seat]))}
        hidden = [c for c in " ".join([*record["hands"], record.get("stock", "")]).split() if c not in own]
        for _ in range(6):
            other = exchanged(record, *rng.sample(hidden, 2))
            if public_history(other) == history:
                worlds = [Worlds(Game.from_record(r).view(seat), seed=8).sample(4) for r in (record, other)]
                assert np.array_equal(*worlds)
                tried += 1


def test_a_finished_deal_is_refused():
    game = Game("coinche", seed=1)
    while not game.deal_over:
        game.step(game.legal_ids()[0])
    with pytest.raises(ValueError, match="deal is over"):
        Worlds(game.view(0))


def test_a_view_that_no_deal_agrees_with_is_refused():
    view = Game("decouverte", seed=1).view(0)
    view.state[EXCLUDED : EXCLUDED + 4] = FULL_PACK
    with pytest.raises(ValueError, match="no deal agrees"):
        Worlds(view)
