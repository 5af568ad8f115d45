"""Cards: ids, 32-bit masks and text; the orders of suits, ranks and denominations (rules §1).

A card id is ``8 * suit + rank``: suits in the order S H D C, ranks in the natural order 7 8 9 T J Q K A.
A set of cards is an integer whose bit ``id`` is set. The text of a card is rank then suit: ``JH``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

RANKS = "789TJQKA"
SUITS = "SHDC"
DENOMINATIONS = ("S", "H", "D", "C", "NT", "AT")
NO_TRUMPS = 4
ALL_TRUMPS = 5

CARDS = tuple(rank + suit for suit in SUITS for rank in RANKS)
FULL_PACK = (1 << 32) - 1

_CARD_IDS = {text: card for card, text in enumerate(CARDS)}
_SUIT_SYMBOLS = dict(zip(SUITS, "♠♥♦♣", strict=True))


def parse_card(text: str) -> int:
    """Return the id of a card written rank then suit, as ``JH``.

    Raises:
        ValueError: if ``text`` is not one of the 32 cards.
    """
    try:
        return _CARD_IDS[text]
    except (KeyError, TypeError):
        raise ValueError(f"{text!r} is not a card: write a rank of {RANKS} then a suit of {SUITS}, as JH") from None


def parse_cards(text: str) -> list[int]:
    """Return the ids of cards separated by spaces, in the order written."""
    if not isinstance(text, str):
        raise ValueError(f"{text!r} is not a list of cards: write them separated by spaces, as '7S JH'")
    return [parse_card(word) for word in text.split()]


def format_cards(cards: Iterable[int]) -> str:
    """Return cards as text separated by spaces, in the order given."""
    return " ".join(CARDS[card] for card in cards)


def mask_of(cards: Iterable[int]) -> int:
    """Return the set of ``cards`` as a mask."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def cards_of(mask: int) -> Iterator[int]:
    """Yield the card ids of a mask in ascending order."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def pretty(text: str) -> str:
    """Return a card or a denomination with its suit as a symbol, for people: ``JH`` becomes ``J♥``."""
    return text if text in ("NT", "AT") else text[:-1].replace("T", "10") + _SUIT_SYMBOLS[text[-1]]
