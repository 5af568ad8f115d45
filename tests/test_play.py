"""What the compiled functions of a hand say, against their definitions and the referee."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from referee_cards import PACK, declaration_key, declarations_of, playable, power
from referee_rules import PRESETS
from strategies import OPTION_VALUES, rules_specs

from belote_env import Rules
from belote_env.cards import CARDS, DENOMINATIONS, cards_of, mask_of, parse_card
from belote_env.engine.declarations import (
    best_declarations,
    declaration_kind,
    declaration_mask,
    declaration_points,
    declaration_rank,
)
from belote_env.engine.layout import NONE
from belote_env.engine.play import excluded_by, legal_cards

KIND_NAMES = ("", "tierce", "cinquante", "cent", "carre")

cards = st.integers(0, 31)
denominations = st.integers(0, 5)


def can_be_winning(best: int, lead: int, denomination: int) -> bool:
    return best >> 3 in (lead, denomination)


@settings(max_examples=500, deadline=None)
@given(rules_specs(), denominations, st.integers(NONE, 3), cards, st.booleans(), cards)
def test_excluded_are_the_cards_next_to_which_the_play_is_illegal(spec, denomination, lead, best, partner, card):
    assume(lead == NONE or can_be_winning(best, lead, denomination))
    assume(card != best)
    r = Rules.from_dict(spec).vector
    excluded = excluded_by(card, lead, best, partner, denomination, r)
    for other in set(range(32)) - {card, best}:
        legal = legal_cards(1 << card | 1 << other, lead, best, partner, denomination, r)
        assert bool(excluded >> other & 1) == (not legal >> card & 1), CARDS[other]


@settings(max_examples=500, deadline=None)
@given(rules_specs(), denominations, st.permutations(range(32)), st.integers(0, 3), st.integers(1, 8))
def test_legal_cards(spec, denomination, pack, played, size):
    """Any trick and hand, and none of the hand is excluded by a card that is legal."""
    rules = Rules.from_dict(spec)
    options = {name: getattr(rules, name) for name in OPTION_VALUES}
    trick = [(seat, CARDS[card]) for seat, card in enumerate(pack[:played])]
    hand = pack[played : played + size]
    name = DENOMINATIONS[denomination]
    expected = playable({CARDS[card] for card in hand}, played, trick, name, options)
    lead, best, partner = NONE, NONE, False
    if trick:
        lead = pack[0] >> 3
        seat, card = max(trick, key=lambda one: power(one[1], trick[0][1][1], name))
        best, partner = parse_card(card), (seat - played) % 2 == 0
    legal = legal_cards(mask_of(hand), lead, best, partner, denomination, rules.vector)
    assert {CARDS[card] for card in cards_of(int(legal))} == expected
    for card in cards_of(int(legal)):
        excluded = excluded_by(card, lead, best, partner, denomination, rules.vector)
        assert excluded & mask_of(hand) & ~(1 << card) == 0


@st.composite
def rich_hands(draw):
    """Eight cards out of a few ranks and suits, so that they often hold carrés and runs that share cards."""
    ranks = draw(st.permutations("789TJQKA"))[: draw(st.integers(2, 8))]
    favourites = [card for card in draw(st.permutations(PACK)) if card[0] in ranks]
    others = [card for card in draw(st.permutations(PACK)) if card[0] not in ranks]
    return (favourites + others)[:8]


@settings(max_examples=500, deadline=None)
@given(
    rich_hands(),
    denominations,
    st.fixed_dictionaries(
        {n: st.sampled_from(OPTION_VALUES[n]) for n in ("nt_carres", "declaration_order", "carre_order")}
    ),
)
def test_best_declarations(hand, denomination, options):
    rules = Rules.preset("coinche_plus", **options)
    best = np.zeros(2, dtype=np.int64)
    best_declarations(mask_of(map(parse_card, hand)), denomination, rules.vector, best)
    found = [
        (KIND_NAMES[declaration_kind(d)], declaration_points(d), mask_of(cards_of(int(declaration_mask(d)))))
        for d in best.tolist()
        if d
    ]
    name = DENOMINATIONS[denomination]
    expected = declarations_of(set(hand), name, PRESETS["coinche_plus"] | options)
    expected.sort(key=lambda d: declaration_key(d, name, PRESETS["coinche_plus"] | options), reverse=True)
    as_found = [(d.kind, d.points, mask_of(map(parse_card, d.cards))) for d in expected]
    assert sorted(found) == sorted(as_found)
    if found:
        assert found[0][:2] == as_found[0][:2]  # the best one first


@pytest.mark.parametrize("order", OPTION_VALUES["declaration_order"])
@pytest.mark.parametrize("carre_order", OPTION_VALUES["carre_order"])
@pytest.mark.parametrize("nt_carres", OPTION_VALUES["nt_carres"])
def test_the_order_of_declarations(order, carre_order, nt_carres):
    options = {"declaration_order": order, "carre_order": carre_order, "nt_carres": nt_carres}
    rules = Rules.preset("coinche_plus", **options)
    best = np.zeros(2, dtype=np.int64)
    hands = [{CARDS[8 * suit + rank] for rank in range(low, low + length)}
             for suit in range(4) for length in range(3, 9) for low in range(9 - length)]  # fmt: skip
    hands += [{rank + suit for suit in "SHDC"} for rank in "789TJQKA"]
    for denomination, name in enumerate(DENOMINATIONS):
        ranked = []
        for hand in hands:
            best_declarations(mask_of(map(parse_card, hand)), denomination, rules.vector, best)
            declared = declarations_of(hand, name, PRESETS["coinche_plus"] | options)
            assert len(declared) == (best[0] != 0)
            if declared:
                key = declaration_key(declared[0], name, PRESETS["coinche_plus"] | options)
                ranked.append((key, declaration_rank(best[0], denomination, rules.vector)))
        ranked.sort()
        for (key, rank), (next_key, next_rank) in pairwise(ranked):
            assert (rank < next_rank) == (key < next_key) and rank <= next_rank
