"""What a player works out from an observation: which cards can still come and win, and what a side is still short of.

A network could learn all of this, and spends most of its weights and its lessons on doing so. It is arithmetic on the
entries of an observation, the same for every suit.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from belote_env.cards import ALL_TRUMPS, NO_TRUMPS
from belote_env.engine.layout import CAPOT, NUM_RUNGS
from belote_env.engine.tables import AT_ROW, CARD_POINTS, HIGHER, NT_ROW, STRENGTH
from belote_env.features import FEATURES, OFFSETS, RULES

SUITS, RANKS = 4, 8
_OTHERS = 3
# The place of each suit in which a card can be trumps or not: clubs under another trump, and under their own.
_PLAIN, _TRUMPS = 0, 3
_SIZES = {feature.name: feature.size for feature in FEATURES}

STEPS = np.arange(-40, 162, 5, dtype=np.float32)
"""The amounts of points between which one is told as a mixture of two neighbours."""

PLANES = (
    *(
        "points",
        "points_unseen",
        "above",
        "master",
        "master_unseen",
        "wins",
        "winning",
        "strongest",
        "strongest_unseen",
    ),
    *("next_may", "partner_may", "previous_may"),
    *("strongest_next", "strongest_partner", "strongest_previous"),
    *("next_beats", "partner_beats", "previous_beats", "safe"),
)
"""What is told of the eight ranks of each suit, those that begin with "strongest" from the strongest down.

The points of cards in hand and unseen, over 10; how many unseen cards are above a card, over 4; whether there is none;
whether it would win the trick as it stands, wins it now; who may hold it; who is yet to play and may beat it in its
suit; whether it would win and nobody may.
"""

_BIDS = np.array([80 + 10 * rung for rung in range(CAPOT)] + [162] * (NUM_RUNGS - CAPOT), dtype=np.float32)


def block(observations: Tensor, name: str, *shape: int) -> Tensor:
    """Return a feature of observations, ``(n, OBSERVATION_SIZE)``, in a shape: ``(n, *shape)``."""
    return observations.narrow(1, OFFSETS[name], _SIZES[name]).view(-1, *shape)


def _sorting(denomination: int) -> Tensor:
    """Return what makes of a set of clubs how many are above each rank, and the set with the strongest first.

    ``float32``, ``(8, 16)``, to be multiplied by.
    """
    masks = HIGHER[denomination, 24:] >> 24
    above = (masks[None, :] >> np.arange(RANKS)[:, None] & 1).astype(np.float32)
    order = np.argsort(-STRENGTH[denomination, 24:])
    return torch.from_numpy(np.concatenate([above, np.eye(RANKS, dtype=np.float32)[:, order]], 1))


def _tables_of_points() -> tuple[Tensor, Tensor]:
    """Return the points of each card under each row of ``CARD_POINTS``, and of the last trick, all 162 together."""
    last = np.full(len(CARD_POINTS), 10)
    last[NT_ROW + 1] = 20
    scale = 162 / (CARD_POINTS.sum(1) + last)
    cards = (CARD_POINTS * scale[:, None]).reshape(-1, SUITS, RANKS)
    return torch.from_numpy(cards.astype(np.float32)), torch.from_numpy(scale.astype(np.float32))


class Reading(nn.Module):
    """Works out what an observation of the play implies.

    Attributes:
        suit_size: how many numbers it tells of each suit.
        other_size: how many of the deal.
    """

    sorting: Tensor
    card_points: Tensor
    scale: Tensor
    digits: Tensor
    bids: Tensor
    steps: Tensor
    turns: Tensor

    suit_size = RANKS * len(PLANES) + 4 + 2
    other_size = 5 * len(STEPS) + 9 + 4 + 4 + 1

    def __init__(self) -> None:
        super().__init__()
        card_points, scale = _tables_of_points()
        for name, value in (
            ("sorting", torch.cat([_sorting(_PLAIN), _sorting(_TRUMPS)], 1)),
            ("card_points", card_points),
            ("scale", scale),
            ("digits", torch.tensor([100.0, 1.0])),
            ("bids", torch.from_numpy(_BIDS)),
            ("steps", torch.from_numpy(STEPS)),
            ("turns", torch.arange(_OTHERS, 0, -1)),
        ):
            self.register_buffer(name, value, persistent=False)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return what is read of the suits, ``(n, 4, suit_size)``, and of the rest, ``(n, other_size)``.

        Args:
            observations: as ``float32``, ``(n, OBSERVATION_SIZE)``.
        """
        trumps = block(observations, "trump", SUITS, 1)
        hand = block(observations, "hand", 1, SUITS, RANKS)
        trick = block(observations, "trick", 4, SUITS, RANKS)
        row = self._row(observations)
        points = self.card_points[row]

        # Where the cards are that I do not see.
        unseen = 1 - hand - block(observations, "played_by", 4, SUITS, RANKS).sum(1, keepdim=True)
        may_hold = unseen * (1 - block(observations, "excluded", 4, SUITS, RANKS)[:, 1:])

        # How many of each set of cards are above a card, and each set with the strongest first.
        played = trick.sum(1, keepdim=True)
        sets = torch.cat([hand, unseen, may_hold, played], 1)
        of_suit = trumps.unsqueeze(1)
        plain, trump = (sets @ self.sorting).chunk(2, 3)
        above, ordered = torch.lerp(plain, trump, of_suit).chunk(2, 3)
        _, of_unseen, of_others, of_trick = above.split([1, 1, _OTHERS, 1], 1)
        mine, others, _ = ordered.split([2, _OTHERS, 1], 1)

        # Which cards win the trick as it stands: any that is led, then the best trump, or the best of the suit led.
        count = played.sum((1, 2, 3))
        ruffing = trumps * (trumps.sum(1, keepdim=True) == 1)
        trumped = (played * ruffing.unsqueeze(1)).sum((1, 2, 3)).clamp_max(1)[:, None, None]
        lead = block(observations, "lead", SUITS, 1)
        led = lead.sum((1, 2))[:, None, None, None]
        can_win = torch.maximum(ruffing, lead * (1 - trumped)).unsqueeze(1)
        unbeaten = can_win * (of_trick == 0)
        wins = 1 - led + led * unbeaten
        winner = (trick * unbeaten).sum(3)

        # Which others are yet to play to the trick, and can beat a card in its suit.
        yet = (count[:, None] < self.turns)[:, :, None, None]
        beaten = (of_others > 0) * yet * hand

        seen = torch.cat([hand, unseen], 1)
        planes = [seen * (points / 10).unsqueeze(1), of_unseen / 4, seen * (of_unseen == 0), wins, played * unbeaten]
        planes += [mine, may_hold, others, beaten, hand * wins * ~beaten.any(1, keepdim=True)]
        lengths = seen.sum(3) / 4
        suits = torch.cat([torch.cat(planes, 1).transpose(1, 2).flatten(2), torch.cat([winner, lengths], 1).mT], 2)

        pot = (played.squeeze(1) * points).sum((1, 2))
        rest = [
            self._short_of(observations, row, pot),
            functional.one_hot(block(observations, "cards_played", 1)[:, 0].long() // 4, 9),
            functional.one_hot(count.long(), 4),
            winner.sum(2),
            pot[:, None] / 30,
        ]
        return suits, torch.cat(rest, 1)

    def _row(self, observations: Tensor) -> Tensor:
        """Return the row of ``card_points`` in force, that of no trumps before there is one: ``int64``, ``(n,)``."""
        flags = block(observations, "denomination", 6)
        denomination = torch.where(flags.sum(1) > 0, flags.argmax(1), NO_TRUMPS)
        rules = block(observations, "rules", len(RULES)).long()
        row = torch.where(denomination == NO_TRUMPS, NT_ROW + rules[:, RULES.index("nt_values")], denomination)
        return torch.where(denomination == ALL_TRUMPS, AT_ROW + rules[:, RULES.index("at_values")], row)

    def _short_of(self, observations: Tensor, row: Tensor, pot: Tensor) -> Tensor:
        """Return what each side is short of to make the contract, or to beat it, now and with the trick on the table.

        Of the bid, or of half of all points where nothing is bid; and what is still to be won. It says nothing of use
        in the games that count tricks.
        """
        won = (block(observations, "points", 2, 2) @ self.digits) * self.scale[row][:, None]
        extra = block(observations, "declared", 2, 2) @ self.digits
        side = won + extra + block(observations, "belote_points", 2)
        left = (162 - won.sum(1)).clamp_min(0)

        taker = block(observations, "taker", 4)
        mine = (taker[:, 0] + taker[:, 2]) > 0
        rung = block(observations, "rung", NUM_RUNGS)
        wanted = torch.where(rung.sum(1) > 0, rung @ self.bids, (side.sum(1) + left) / 2)
        takers = wanted - torch.where(mine, side[:, 0], side[:, 1])
        others = left - takers
        short = torch.stack([torch.where(mine, takers, others), torch.where(mine, others, takers)], 1)
        amounts = torch.cat([short, short - pot[:, None], left[:, None]], 1)
        apart = (amounts.clamp(STEPS[0], STEPS[-1]).unsqueeze(2) - self.steps).abs() / (STEPS[1] - STEPS[0])
        return (1 - apart).clamp_min(0).flatten(1)
