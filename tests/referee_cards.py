"""The referee's cards: the pack, values, what may be played, declarations (the rules, §1, §2, §4 and §5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

RANKS = "789TJQKA"
SUITS = "SHDC"
PACK = [rank + suit for suit in SUITS for rank in RANKS]

PLAIN_ORDER = "789JQKTA"  # low to high
TRUMP_ORDER = "78QKTA9J"
PLAIN_VALUES = dict(zip("ATKQJ987", (11, 10, 4, 3, 2, 0, 0, 0), strict=True))
TRUMP_VALUES = dict(zip("J9ATKQ87", (20, 14, 11, 10, 4, 3, 0, 0), strict=True))
NT_VALUES = {
    "ace19": dict(zip("ATKQJ987", (19, 10, 4, 3, 2, 0, 0, 0), strict=True)),
    "doubled": dict(zip("ATKQJ987", (22, 20, 8, 6, 4, 0, 0, 0), strict=True)),
}
AT_VALUES = {
    "13": dict(zip("J9ATKQ87", (13, 9, 6, 5, 3, 2, 0, 0), strict=True)),
    "14": dict(zip("J9ATKQ87", (14, 9, 6, 5, 3, 1, 0, 0), strict=True)),
    "full": TRUMP_VALUES,
}
SEQUENCES = {3: ("tierce", 20), 4: ("cinquante", 50)}  # five and more: a cent

# --- The pack: the rules, §2 ---------------------------------------------------------------------------------------


def deal_pack(pack: Sequence[str], dealer: int, deal: str) -> dict[str, Any]:
    """Deal a pack, top card first, in packets from the player after the dealer: a record's cards (the rules, §2)."""
    hands: list[list[str]] = [[], [], [], []]
    rest = list(pack)
    for size in (3, 2) if deal == "turned" else (3, 2, 3):
        for turn in range(1, 5):
            hands[(dealer + turn) % 4] += rest[:size]
            del rest[:size]
    cards: dict[str, Any] = {"hands": [" ".join(hand) for hand in hands]}
    if deal == "turned":
        cards |= {"turned": rest[0], "stock": " ".join(rest[1:])}
    return cards


def gather(
    tricks: Iterable[tuple[int, Sequence[str]]] = (),
    hands: Iterable[Sequence[str]] = (),
    rest: Sequence[str] = (),
) -> list[str]:
    """The pack as it is gathered with `reshuffle=False`, top card first, before the cut (the rules, §2).

    After a played deal give `tricks` in the order won, each (winner's seat, cards in the order played): team 0's come
    first, then team 1's. After a thrown-in deal give `hands` in seat order, each in the order dealt, and `rest`: the
    turned card, then the stock.
    """
    tricks = list(tricks)
    pack = [card for team in (0, 1) for winner, cards in tricks if winner % 2 == team for card in cards]
    return pack + [card for hand in hands for card in hand] + list(rest)


# --- Cards in play: the rules, §1 and §4 ---------------------------------------------------------------------------


def card_value(card: str, denomination: str, rules: Mapping[str, Any]) -> int:
    """What a card counts in a contract (the rules, §1)."""
    if denomination == "NT":
        return NT_VALUES[rules["nt_values"]][card[0]]
    if denomination == "AT":
        return AT_VALUES[rules["at_values"]][card[0]]
    return (TRUMP_VALUES if card[1] == denomination else PLAIN_VALUES)[card[0]]


def power(card: str, led: str, denomination: str) -> int:
    """How high a card stands in a trick to which the suit `led` was led; -1: it cannot win."""
    if card[1] == denomination:
        return 10 + TRUMP_ORDER.index(card[0])
    if card[1] != led:
        return -1
    return (TRUMP_ORDER if denomination == "AT" else PLAIN_ORDER).index(card[0])


def playable(
    hand: set[str], seat: int, trick: Sequence[tuple[int, str]], denomination: str, rules: Mapping[str, Any]
) -> set[str]:
    """The cards of a hand that may be played to a trick of (seat, card) pairs (the rules, §4)."""
    if not trick:
        return hand
    led = trick[0][1][1]
    best_seat, best = max(trick, key=lambda played: power(played[1], led, denomination))
    higher = {card for card in hand if power(card, led, denomination) > power(best, led, denomination)}
    follow = {card for card in hand if card[1] == led}
    partner_wins = best_seat % 2 == seat % 2
    if follow:
        over_this_player = not partner_wins or rules["overtake_partner"]
        must_climb = denomination == "AT" or (led == denomination and over_this_player)
        return (follow & higher or follow) if must_climb else follow
    trumps = {card for card in hand if card[1] == denomination}
    if partner_wins and rules["partner_winning"] != "must_trump":
        trump_wins = best[1] == denomination
        if rules["partner_winning"] == "beat_if_trumping" and trump_wins and trumps & higher:
            return hand - trumps | trumps & higher
        return hand
    if trumps & higher:
        return trumps & higher
    return trumps if trumps and rules["undertrump"] == "forced" else hand


# --- Declarations: the rules, §5 -----------------------------------------------------------------------------------


class Declaration(NamedTuple):
    """A carré or a sequence; `cards` from low to high."""

    kind: str
    points: int
    cards: tuple[str, ...]


def carre_points(denomination: str, rules: Mapping[str, Any]) -> dict[str, int]:
    """What four of each rank are worth (the rules, §5)."""
    if denomination != "NT":
        return {"J": 200, "9": 150, "A": 100, "T": 100, "K": 100, "Q": 100}
    if rules["nt_carres"] == "literal":
        return {"A": 200, "T": 150, "J": 200, "9": 150, "K": 100, "Q": 100}
    return {"A": 200, "T": 150, "K": 100, "Q": 100, "J": 100}


def sequences_of(cards: set[str]) -> list[Declaration]:
    """Every run of three or more, each as long as it can be."""
    found = []
    for suit in SUITS:
        ranks = "".join(rank if rank + suit in cards else " " for rank in RANKS)
        for run in ranks.split():
            if len(run) >= 3:
                kind, points = SEQUENCES.get(len(run), ("cent", 100))
                found.append(Declaration(kind, points, tuple(rank + suit for rank in run)))
    return found


def declaration_key(declaration: Declaration, denomination: str, rules: Mapping[str, Any]) -> tuple[int, ...]:
    """What makes one declaration better than another, by `declaration_order`: the greater key (the rules, §5)."""
    kind, points, cards = declaration
    is_carre = kind == "carre"
    if not is_carre:
        top = RANKS.index(cards[-1][0])
    elif rules["carre_order"] == "natural":
        top = "9TJQKA".index(cards[0][0])
    else:
        top = ("9JQKTA" if denomination == "NT" else "QKTA9J").index(cards[0][0])
    in_trumps = not is_carre and cards[0][1] == denomination
    length = 0 if is_carre else len(cards)
    if rules["declaration_order"] == "carre_first":
        return is_carre, points if is_carre else length, top, in_trumps
    if rules["declaration_order"] == "value_length":
        return points, is_carre, length, top, in_trumps
    return points, is_carre, top, in_trumps


def declarations_of(hand: set[str], denomination: str, rules: Mapping[str, Any]) -> list[Declaration]:
    """The disjoint declarations of an eight-card hand with the highest total; ties: the best single one.

    Some of the carrés held are chosen, then the longest runs of what is left: a run never makes two declarations.
    """
    values = carre_points(denomination, rules)
    held = [
        Declaration("carre", points, tuple(rank + suit for suit in SUITS))
        for rank, points in values.items()
        if {rank + suit for suit in SUITS} <= hand
    ]
    ways = []
    for number in range(len(held) + 1):
        for carres in combinations(held, number):
            used = {card for carre in carres for card in carre.cards}
            ways.append([*carres, *sequences_of(hand - used)])

    def worth(way: list[Declaration]) -> tuple[int, tuple[int, ...]]:
        return sum(d.points for d in way), max((declaration_key(d, denomination, rules) for d in way), default=())

    return max(ways, key=worth)
