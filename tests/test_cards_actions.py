"""Ids and texts of cards and actions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from referee_cards import PACK

from belote_env.actions import ACTIONS, format_action, parse_action
from belote_env.cards import CARDS, FULL_PACK, cards_of, format_cards, mask_of, parse_card, parse_cards, pretty

masks = st.integers(0, FULL_PACK)


def test_card_ids():
    assert list(CARDS) == PACK
    assert [parse_card(text) for text in CARDS] == list(range(32))
    assert parse_card("JH") == 8 * 1 + 4
    assert pretty("TH") == "10♥" and pretty("NT") == "NT" and pretty("S") == "♠"


@given(masks)
def test_masks(mask):
    cards = list(cards_of(mask))
    assert cards == sorted(set(cards)) and mask_of(cards) == mask
    assert parse_cards(format_cards(cards)) == cards


@pytest.mark.parametrize("text", ["", "HJ", "10H", "jh", "JX", None, 3, ["JH"]])
def test_no_such_card(text):
    with pytest.raises(ValueError, match="is not a card: write a rank"):
        parse_card(text)


def test_no_list_of_cards():
    with pytest.raises(ValueError, match="'7Z' is not a card"):
        parse_cards("7S 7Z")
    with pytest.raises(ValueError, match="separated by spaces"):
        parse_cards(["7S"])


def test_action_ids():
    assert len(set(ACTIONS)) == len(ACTIONS) == 174
    for action, text in enumerate(ACTIONS):
        assert parse_action(text) == parse_action(action) == action
        assert format_action(action) == text
    known = {"play 7S": 0, "pass": 32, "belote": 37, "take H": 39, "bid 80S": 42, "bid capotAT": 113}
    known |= {"bid generaleS": 114, "bid 1S": 120, "bid 9AT": 173}
    assert {text: parse_action(text) for text in known} == known


@pytest.mark.parametrize("action", ["", "Pass", "play 10H", "bid 85H", "take NT", "bid 10H", -1, 174, 1.5, None, [1]])
def test_no_such_action(action):
    with pytest.raises(ValueError, match="is not an action"):
        parse_action(action)
