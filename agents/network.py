"""The neural player: networks that treat the four suits alike, from an observation to a score for every action.

Each suit is a token: what is known of its eight cards, whether it is trumps, whether it was led, what was bid in it.
All four go through the same weights, and through layers in which each hears of the others only by sums (Zaheer et al.
2017, "Deep Sets"): of all suits, of the trumps, and of the suit led. So permuting the suits permutes the policy. What
belongs to no suit (the dealer, the bids without a suit, the score, the rules) is a fifth token with weights of its own.

Bidding, play and the last five cards have networks of their own, since their gradients interfere: the last cards are
calculated more than they are felt. A further one, the critic, sees all hands; only training uses it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from agents.endgame import ENDING
from agents.reading import SUITS, Reading, block
from agents.teacher import PROSPECTS
from belote_env.cards import CARDS
from belote_env.engine.layout import BID, NUM_ACTIONS, NUM_DENOMINATIONS, NUM_RUNGS, PHASE_NAMES
from belote_env.features import DIGITS, FEATURES, OFFSETS, SCALE, Feature

_SHARED = ("hand", "trump", "bid_seat", "taker", "denomination", "rung", "coincher", "surcoincher", "dealer", "rules")
_MATCH = ("scores", "pot", "target")
BIDDING = (*_SHARED, "turned", "passes", "own_kind", "own_declared", *_MATCH)
"""The features that the bidding network sees; of the bids it sees who bid what."""

PLAY = (
    *_SHARED,
    *("trick", "played_by", "played_trick", "excluded", "known", "shown", "lead", "void", "belote", "leader"),
    *("contest", "announced", "announced_kind", "announced_top", "declared"),
    *("cards_played", "tricks", "points", "belote_points", *_MATCH),
)
"""The features that the playing networks see."""

_WORDS_AND_TAKES = BID - len(CARDS)


# Scores of a deal less those of the other side, over 162, between which a value is a mixture of two neighbours. Close
# together where most deals end, wide where doubled contracts do.
_POSITIVE = np.concatenate([np.arange(0.0, 2.0, 0.125), np.arange(2.0, 6.0, 0.5), np.arange(6.0, 25.0, 2.0)])
VALUE_BINS = torch.from_numpy(np.concatenate([-_POSITIVE[:0:-1], _POSITIVE]).astype(np.float32))
"""``float32``, ``(bins,)``: where the distribution of the value of a deal may lie, in units of 162 points."""


@dataclass(frozen=True)
class Sizes:
    """How large a player is: the width of the tokens and the number of layers of each of its networks."""

    bidding_width: int = 96
    bidding_layers: int = 2
    play_width: int = 128
    play_layers: int = 4
    ending_width: int = 128
    ending_layers: int = 4

    def to_dict(self) -> dict[str, int]:
        """Return the sizes by name."""
        return asdict(self)


class Tokens(nn.Module):
    """Cuts observations into the inputs of the four suits and the input of everything else.

    Args:
        names: the features to look at.
        all_seeing: whether hands that the observer does not see, and prospects, are a part of the input, for critics.
    """

    suit_entries: Tensor
    suit_scale: Tensor
    other_entries: Tensor
    other_scale: Tensor

    def __init__(self, names: Iterable[str], all_seeing: bool = False) -> None:
        super().__init__()
        wanted = set(names)
        self.bids = "bid_seat" in wanted
        self.all_seeing = all_seeing
        self.reading = Reading() if "trick" in wanted else None
        suits: list[list[int]] = []
        others: list[int] = []
        for feature in FEATURES:
            if feature.name not in wanted or feature.name == "bid_seat":
                continue
            by_suit, rest = _entries_by_suit(feature)
            suits += by_suit
            others += rest
        scale = 1.0 / _scale()
        self.register_buffer("suit_entries", torch.tensor(suits).T.reshape(-1), persistent=False)
        self.register_buffer("suit_scale", scale[[entries[0] for entries in suits]], persistent=False)
        self.register_buffer("other_entries", torch.tensor(others), persistent=False)
        self.register_buffer("other_scale", scale[others], persistent=False)
        bids = NUM_RUNGS * 4 if self.bids else 0
        self.suit_size = len(suits) + bids + (3 * 8 if all_seeing else 0)
        self.other_size = len(others) + 2 * bids + (PROSPECTS * len(VALUE_BINS) if all_seeing else 0)
        if self.reading:
            self.suit_size += self.reading.suit_size
            self.other_size += self.reading.other_size

    def forward(
        self, observations: Tensor, hidden: Tensor | None = None, prospects: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return the inputs of the suits, ``(n, 4, suit_size)``, and of the rest, ``(n, other_size)``.

        The arguments are those of :class:`Critic`.
        """
        suits = observations.index_select(1, self.suit_entries).view(-1, SUITS, self.suit_scale.shape[0])
        parts = [suits * self.suit_scale]
        rest = [observations.index_select(1, self.other_entries) * self.other_scale]
        if self.bids:
            bids = _bids(observations)
            parts.append(bids[:, :SUITS])
            rest.append(bids[:, SUITS:].flatten(1))
        if self.reading:
            read, of_deal = self.reading(observations)
            parts.append(read)
            rest.append(of_deal)
        if self.all_seeing:
            assert hidden is not None and prospects is not None
            rest.append(mixture(prospects).flatten(1))
            parts.append(hidden[:, :96].view(-1, 3, SUITS, 8).transpose(1, 2).flatten(2).to(self.suit_scale.dtype))
        return torch.cat(parts, 2), torch.cat(rest, 1)


def _scale() -> Tensor:
    """Return what each entry of an observation is divided by: ``float32``, ``(OBSERVATION_SIZE,)``."""
    scale = torch.from_numpy(SCALE.copy())
    for feature in FEATURES:
        entries = scale[OFFSETS[feature.name] :][: feature.size]
        if feature.axes[-1] == DIGITS:
            entries.copy_(torch.tensor([1.0, 100.0]).repeat(feature.size // 2))
        elif feature.name == "rules":
            entries.fill_(4.0)  # nearly all are places in a short list
    return scale


def _entries_by_suit(feature: Feature) -> tuple[list[list[int]], list[int]]:
    """Return the entries of a feature that speak of suits, as lists of four, and those that speak of none."""
    places = np.arange(feature.size).reshape(feature.shape) + OFFSETS[feature.name]
    last = feature.axes[-1]
    if len(last) == len(CARDS):
        return places.reshape(-1, SUITS, 8).transpose(0, 2, 1).reshape(-1, SUITS).tolist(), []
    if last[:SUITS] == ("S", "H", "D", "C"):
        table = places.reshape(-1, len(last))
        return table[:, :SUITS].tolist(), table[:, SUITS:].reshape(-1).tolist()
    return [], places.reshape(-1).tolist()


def _bids(observations: Tensor) -> Tensor:
    """Return who bid what: ``(n, denominations, rungs * seats)``, 1 where a seat bid a rung in a denomination."""
    who = block(observations, "bid_seat", NUM_RUNGS, 4)
    what = block(observations, "bid_denomination", NUM_RUNGS, NUM_DENOMINATIONS)
    return (what.unsqueeze(3) * who.unsqueeze(2)).transpose(1, 2).flatten(2)


class _Layer(nn.Module):
    """One round in which every token hears of the others and thinks."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.own = nn.Linear(width, width)
        self.heard = nn.Linear(4 * width, 2 * width)
        self.width = width

    def forward(self, suits: Tensor, rest: Tensor, roles: Tensor) -> tuple[Tensor, Tensor]:
        """Return the tokens anew; ``roles`` ``(n, 3, 4)`` says which suits are summed for each of three sums."""
        sums = torch.bmm(roles, suits).flatten(1)
        heard = self.heard(torch.cat([sums, rest], 1))
        suits = suits + functional.relu(self.own(suits) + heard[:, None, : self.width])
        return suits, rest + functional.relu(heard[:, self.width :])


class SuitNetwork(nn.Module):
    """Observations to tokens: one for each suit, one for the rest.

    Args:
        names: the features that it sees.
        width: of a token.
        layers: how often the tokens hear of each other.
        all_seeing: whether it sees all hands, and prospects.
    """

    def __init__(self, names: Iterable[str], width: int, layers: int, all_seeing: bool = False) -> None:
        super().__init__()
        self.tokens = Tokens(names, all_seeing)
        self.suits = nn.Linear(self.tokens.suit_size, width)
        self.rest = nn.Linear(self.tokens.other_size, width)
        self.layers = nn.ModuleList(_Layer(width) for _ in range(layers))
        for layer in self.layers:
            assert isinstance(layer, _Layer)
            nn.init.zeros_(layer.own.bias)
            nn.init.zeros_(layer.heard.bias)

    def forward(
        self, observations: Tensor, hidden: Tensor | None = None, prospects: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return the suits' tokens, ``(n, 4, width)``, and the token of the rest, ``(n, width)``."""
        observations = observations.float()  # at once: many small conversions take longer than the rest of one decision
        with torch.autocast(observations.device.type, enabled=False):  # what is counted stays exact
            suits, rest = self.tokens(observations, hidden, prospects)
        suits, rest = functional.relu(self.suits(suits)), functional.relu(self.rest(rest))
        roles = torch.stack(
            [
                torch.full((observations.shape[0], SUITS), 0.25, dtype=suits.dtype, device=suits.device),
                block(observations, "trump", SUITS),
                block(observations, "lead", SUITS),
            ],
            1,
        )
        for layer in self.layers:
            suits, rest = layer(suits, rest, roles)
        return suits, rest


def mean_value(logits: Tensor) -> Tensor:
    """Return the mean of a distribution over :data:`VALUE_BINS`: ``(n, bins)`` to ``(n,)``."""
    return torch.softmax(logits.float(), 1) @ VALUE_BINS.to(logits.device)


def mixture(values: Tensor) -> Tensor:
    """Return each value as the mixture of its two neighbouring bins that has its mean: ``(…)`` to ``(…, bins)``."""
    bins = VALUE_BINS.to(values.device)
    values = values.clamp(bins[0], bins[-1]).contiguous()
    right = torch.searchsorted(bins, values).clamp(1, len(bins) - 1)
    share = (values - bins[right - 1]) / (bins[right] - bins[right - 1])
    shares = torch.zeros(*values.shape, len(bins), device=values.device)
    return shares.scatter_(-1, torch.stack([right - 1, right], -1), torch.stack([1 - share, share], -1))


def value_loss(logits: Tensor, values: Tensor) -> Tensor:
    """Return the cross-entropy of each value, ``(n,)``, as a mixture: ``(n,)``.

    A distribution, because scores are heavy-tailed (Farebrother et al. 2024).
    """
    return -(mixture(values) * torch.log_softmax(logits.float(), 1)).sum(1)


def belief_loss(logits: Tensor, hidden: Tensor) -> Tensor:
    """Return the mean cross-entropy of who holds each card that another seat holds.

    Args:
        logits: ``(n, 32, 3)``, as ``Answer.belief``.
        hidden: ``uint8``, ``(n, PRIVILEGED_SIZE)``, as ``vector.Step.privileged``.
    """
    hands = hidden[:, : 3 * len(CARDS)].view(-1, 3, len(CARDS)).transpose(1, 2)
    out = hands.sum(2) > 0
    return functional.cross_entropy(logits[out].float(), hands[out].float().argmax(1))


class Answer(NamedTuple):
    """What a network says of a batch of decisions.

    Attributes:
        scores: the policy's logits: of cards ``(n, 32)``, of the other actions ``(n, 142)``, or of all.
        value: logits over ``VALUE_BINS`` of the deal's value to the side to act, ``(n, bins)``.
        belief: logits of who holds each card, next, partner or previous: ``(n, 32, 3)``.
    """

    scores: Tensor
    value: Tensor
    belief: Tensor


class _Head(nn.Module):
    """A network with the heads that both kinds of decision share."""

    def __init__(self, names: Iterable[str], width: int, layers: int) -> None:
        super().__init__()
        self.body = SuitNetwork(names, width, layers)
        self.value = nn.Linear(width, len(VALUE_BINS))
        self.belief = nn.Linear(width, 8 * 3)

    def _answer(self, scores: Tensor, suits: Tensor, rest: Tensor) -> Answer:
        return Answer(scores, self.value(rest), self.belief(suits).view(-1, len(CARDS), 3))


class PlayNetwork(_Head):
    """Decides which card to play; ``scores`` are those of the 32 cards."""

    def __init__(self, width: int, layers: int) -> None:
        super().__init__(PLAY, width, layers)
        self.cards = nn.Linear(width, 8)

    def forward(self, observations: Tensor) -> Answer:
        """Return the answer for observations in the phase of play, ``uint8``, ``(n, OBSERVATION_SIZE)``."""
        suits, rest = self.body(observations)
        return self._answer(self.cards(suits).flatten(1), suits, rest)


class BiddingNetwork(_Head):
    """Decides what to call; ``scores`` are those of the 142 actions that are no cards."""

    def __init__(self, width: int, layers: int) -> None:
        super().__init__(BIDDING, width, layers)
        self.suit_calls = nn.Linear(width, 1 + NUM_RUNGS + 9)
        self.other_calls = nn.Linear(width, _WORDS_AND_TAKES - SUITS + 2 * (NUM_RUNGS + 9))

    def forward(self, observations: Tensor) -> Answer:
        """Return the answer for observations in the auction, ``uint8``, ``(n, OBSERVATION_SIZE)``."""
        suits, rest = self.body(observations)
        of_suit = self.suit_calls(suits)
        words, without_suit = self.other_calls(rest).tensor_split([_WORDS_AND_TAKES - SUITS], dim=1)
        bids = torch.cat([of_suit[:, :, 1:], without_suit.view(-1, 2, NUM_RUNGS + 9)], 1).transpose(1, 2).flatten(1)
        return self._answer(torch.cat([words, of_suit[:, :, 0], bids], 1), suits, rest)


class PolicyNetwork(nn.Module):
    """A whole player: a network that bids, one that plays, and one that plays the last cards.

    Args:
        sizes: of all.
    """

    def __init__(self, sizes: Sizes | None = None) -> None:
        super().__init__()
        self.sizes = sizes or Sizes()
        self.bidding = BiddingNetwork(self.sizes.bidding_width, self.sizes.bidding_layers)
        self.play = PlayNetwork(self.sizes.play_width, self.sizes.play_layers)
        self.ending = PlayNetwork(self.sizes.ending_width, self.sizes.ending_layers)

    def forward(self, observations: Tensor) -> Answer:
        """Return the answer to decisions of any kind, with scores of all actions: 0 where a network has none.

        Args:
            observations: ``uint8``, ``(n, OBSERVATION_SIZE)``.
        """
        stages = stage_of(observations)
        answers, places = [], []
        for stage, network in enumerate((self.bidding, self.play, self.ending)):
            rows = (stages == stage).nonzero().squeeze(1)
            if len(rows):
                answer = network(observations[rows])
                answers.append(answer._replace(scores=functional.pad(answer.scores, PADDING[stage])))
                places.append(rows)
        back = torch.cat(places).argsort()
        return Answer(*(torch.cat(parts)[back].float() for parts in zip(*answers, strict=True)))


class Critic(nn.Module):
    """The value of a deal to the side to act, from all hands and from what rule play comes to; for training only.

    Args:
        width: of its tokens.
        layers: how often they hear of each other.
    """

    def __init__(self, width: int = 64, layers: int = 2) -> None:
        super().__init__()
        self.body = SuitNetwork({*BIDDING, *PLAY}, width, layers, all_seeing=True)
        self.value = nn.Linear(width, len(VALUE_BINS))

    def forward(self, observations: Tensor, hidden: Tensor, prospects: Tensor) -> Tensor:
        """Return logits over ``VALUE_BINS``, ``(n, bins)``.

        Args:
            observations: ``uint8``, ``(n, OBSERVATION_SIZE)``.
            hidden: ``uint8``, ``(n, PRIVILEGED_SIZE)``, as ``vector.Step.privileged``.
            prospects: ``float32``, ``(n, PROSPECTS)``, as ``agents.teacher.prospects``, in units of values.
        """
        suits, rest = self.body(observations, hidden, prospects)
        return self.value(rest + suits.mean(1))


PADDING = ((len(CARDS), 0), (0, NUM_ACTIONS - len(CARDS)), (0, NUM_ACTIONS - len(CARDS)))
"""How many actions come before and after those that the network of each stage scores."""


def stage_of(observations: Tensor) -> Tensor:
    """Return which network decides: 0 bids, 1 plays, 2 plays the ending; ``int64``, ``(n,)``."""
    auction = observations[:, OFFSETS["phase"] + PHASE_NAMES.index("auction")] > 0
    hand = observations[:, OFFSETS["hand"] : OFFSETS["hand"] + len(CARDS)].sum(1, dtype=torch.int64)
    return torch.where(auction, 0, 1 + (hand <= ENDING).long())


def masked(logits: Tensor, masks: Tensor) -> Tensor:
    """Return logits with those of illegal actions at a large negative number."""
    return logits.masked_fill(masks == 0, -1e9)
