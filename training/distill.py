"""Distillation: a network learns what each action comes to, from deals that it plays itself.

    belote train distill RUN --rules belote coinche coinche_plus

Round after round, tables of all rule sets are played on, by the network and by the compiled rule player side by side.
At every decision each legal action is tried out with the cards as they lie, the compiled rule player going on for all
four seats, and so in some worlds that the seat could imagine (``agents.teacher.outcomes``). The network learns to tell
these outcomes from what its seat knows, which averages over all that a seat cannot see: the student becomes what a
Monte-Carlo player with endlessly many worlds would be. The stream of labels is endless; each is learned from a few
times, and those of many rounds may be mixed.

- Of calls it learns the outcomes themselves: a few bids of many are tried, and what they come to is mostly luck.
- Of cards it learns the softmax of the outcomes, which spends its effort on the best cards. It is a soft one, for the
  best of a few noisy outcomes is often not the best card.
- Of the last five cards the outcomes are those of perfect play with all hands open, as with the level Crazy: so few
  cards are better calculated than felt.

Either way the logits become differences of outcomes over a temperature.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from agents import checkpoint
from agents.endgame import ENDING
from agents.network import (
    Answer,
    PolicyNetwork,
    Sizes,
    belief_loss,
    masked,
    mean_value,
    stage_of,
    value_loss,
)
from agents.teacher import outcomes, rule_actions
from belote_env.cards import CARDS
from belote_env.engine.layout import ANNOUNCE_YES, BELOTE_YES, DOUBLED, NUM_ACTIONS
from belote_env.rules import Rules
from training import evaluation
from training.config import at_least, between
from training.precision import precision_of
from training.processes import Interrupts, average_gradients, gather, join, mean
from training.rows import Rows
from training.run import Run, progress_line
from training.shards import Shards
from training.state import follow, restore, whole_state
from training.tables import Tables

KINDS = ("call", "card", "ending")
"""Of decisions, by the stage of the network that decides."""


@dataclass(frozen=True)
class Config:
    """What to distil.

    Attributes:
        rules: presets to play, all by one network.
        sizes: of the network.
        start: a checkpoint to begin from, a name or a folder, as far as its networks have these sizes; by default
            nothing is known.
        tables: of each rule set, in each process.
        steps: decisions at each table in a round.
        rounds: how many.
        epochs: how often a decision is learned from.
        keep: rounds whose decisions are mixed: as many as a round has are drawn from all of the last ones, so often.
        minibatches: of a round, for each kind of decision.
        precision: of the networks while they learn: "float32", or "bfloat16", which is faster where the processor has
            instructions for it; weights stay ``float32``.
        kinds: of decisions to learn from: "call", "card", "ending".
        imagined_calls: worlds in which calls are tried besides the true one.
        imagined_cards: worlds in which cards are tried besides the true one.
        imagined_endings: worlds in which the last cards are tried besides the true one.
        learning_rate: at its highest; it rises over the first fiftieth of the rounds and falls to a thirtieth.
        rule_share: share of the seats that the compiled rule player takes; in the first twentieth of the rounds, all,
            unless it begins from a checkpoint.
        random_share: share of cards that are played at random, so that strange positions are seen too.
        temperature: points of score that make one unit of a logit.
        softness: points of score that make one unit where the softmax of cards is learned.
        stakes: points of score that the best and the worst of the last cards are apart where a decision is sure to be
            learned from; where they are less, it is in proportion, and at least once in ten. 0 for always.
        value_weight: of the value head in the loss.
        belief_weight: of the belief head in the loss; 0 does without.
        average: how slowly the averaged weights, which are the policy, follow those that are trained.
        evaluate_every: rounds after which the policy plays duplicate deals against levels; 0 for never.
        evaluation_deals: distinct deals against each, each played twice.
        against: the levels, or any other agents.
        save_every: rounds.
        seed: of everything.
    """

    rules: tuple[str, ...] = ("belote", "coinche", "coinche_plus")
    sizes: Sizes = field(default_factory=Sizes)
    start: str = ""
    tables: int = 512
    steps: int = 32
    rounds: int = 50
    epochs: int = 3
    keep: int = 1
    minibatches: int = 100
    precision: str = "float32"
    kinds: tuple[str, ...] = KINDS
    imagined_calls: int = 7
    imagined_cards: int = 20
    imagined_endings: int = 12
    learning_rate: float = 3e-3
    rule_share: float = 0.3
    random_share: float = 0.03
    temperature: float = 3.0
    softness: float = 8.0
    stakes: float = 20.0
    value_weight: float = 0.01
    belief_weight: float = 0.01
    average: float = 0.998
    evaluate_every: int = 10
    evaluation_deals: int = 200
    against: tuple[str, ...] = ("easy", "normal")
    save_every: int = 2
    seed: int = 0


@dataclass(frozen=True)
class Batch(Rows):
    """Labelled decisions of one kind.

    Attributes:
        observations: ``uint8``, ``(n, OBSERVATION_SIZE)``.
        targets: outcomes over 162 points and what the contract is doubled by; nan where not tried; ``(n, actions)``.
        values: outcome of the action that was taken, over 162 points; nan if it was not tried; ``(n,)``.
        hidden: ``uint8``, ``(n, PRIVILEGED_SIZE)``.
    """

    observations: Tensor
    targets: Tensor
    values: Tensor
    hidden: Tensor


class LabelledTables(Tables):
    """Tables at which the network and the compiled rule player sit, and every decision is labelled."""

    def __init__(self, rules: str, config: Config, rank: int, number: int) -> None:
        super().__init__(rules, config.tables, (config.seed, rank, number))
        # The higher, the sooner a seat leaves the rule player and follows the network.
        self.loyalty = np.random.default_rng([config.seed, rank, number, 1]).random((config.tables, 4))
        self.config = config
        self.labelled = 0

    def play(self, network: PolicyNetwork, rule_share: float, device: torch.device) -> tuple[Batch, Batch, Batch]:
        """Play ``steps`` decisions at each table and return the calls, the cards and the last cards, labelled."""
        parts: tuple[list[Batch], list[Batch], list[Batch]] = ([], [], [])
        for _ in range(self.config.steps):
            step, states = self.step, self.env.get_state()["states"]
            stages = stage_of(torch.from_numpy(step.observations)).numpy()
            values = self._label(states, stages)
            actions = self._act(network, rule_share, states, device)
            tried = ~np.isnan(values).all(1)
            taken = np.take_along_axis(values, actions[:, None], 1)[:, 0]
            targets = values / np.maximum(states[:, [DOUBLED]], 1)
            calls, cards = targets[:, len(CARDS) :], targets[:, : len(CARDS)]
            for stage, (part, own) in enumerate(zip(parts, (calls, cards, cards), strict=True)):
                rows = tried & (stages == stage)
                if KINDS[stage] == "ending" and self.config.stakes:
                    rows[rows] = self._matters(own[rows])
                arrays = (step.observations[rows], own[rows], taken[rows], step.privileged[rows])
                part.append(Batch(*(torch.from_numpy(array) for array in arrays)))
            self.step = self.env.step(actions)
        return Batch.joined(parts[0]), Batch.joined(parts[1]), Batch.joined(parts[2])

    def _label(self, states: np.ndarray, stages: np.ndarray) -> np.ndarray:
        """Return the outcomes of the decisions that are learned from, over 162 points, nan for the others."""
        config = self.config
        values = np.full((len(states), NUM_ACTIONS), np.nan, dtype=np.float32)
        for stage, kind in enumerate(KINDS):
            rows = stages == stage
            if kind in config.kinds and rows.any():
                imagined = config.imagined_calls, config.imagined_endings if kind == "ending" else config.imagined_cards
                values[rows] = outcomes(
                    states[rows],
                    self.rules,
                    config.seed,
                    imagined=imagined,
                    solve=ENDING,
                    first=self.labelled,
                    threads=1,
                )
                self.labelled += int(rows.sum())
        return values / np.float32(162.0)

    def _matters(self, values: np.ndarray) -> np.ndarray:
        """Draw which decisions are learned from, by what is at stake: half of them decide next to nothing."""
        stakes = 162.0 * (np.nanmax(values, axis=1) - np.nanmin(values, axis=1))
        return self.rng.random(len(values)) < np.clip(stakes / self.config.stakes, 0.1, 1.0)

    def _act(self, network: PolicyNetwork, rule_share: float, states: np.ndarray, device: torch.device) -> np.ndarray:
        masks, seats = self.step.action_masks, self.step.seats
        actions = rule_actions(states, self.rules, threads=1)
        asked = (self.loyalty[np.arange(len(seats)), seats] >= rule_share) & (masks[:, ANNOUNCE_YES] == 0)
        asked &= masks[:, BELOTE_YES] == 0
        if asked.any():
            with torch.inference_mode():
                logits = network(torch.from_numpy(self.step.observations[asked]).to(device)).scores.cpu().numpy()
            actions[asked] = self.draw(logits, masks[asked])
        strange = (self.rng.random(len(seats)) < self.config.random_share) & masks[:, : len(CARDS)].any(1)
        actions[strange] = self.draw(np.zeros((1, NUM_ACTIONS)), masks[strange])
        return actions

    def get_state(self) -> dict[str, Tensor]:
        """Return all that an exact resume needs."""
        return {**super().get_state(), "labelled": torch.tensor(self.labelled)}

    def set_state(self, state: Mapping[str, Tensor]) -> None:
        """Go back to what :meth:`get_state` returned."""
        super().set_state(state)
        self.labelled = int(state["labelled"])


def advantages_of(values: Tensor, tried: Tensor) -> Tensor:
    """Return values less the mean of those that were tried, 0 elsewhere: ``(n, actions)``."""
    values = torch.where(tried, values, 0.0)
    return torch.where(tried, values - values.sum(1, keepdim=True) / tried.sum(1, keepdim=True), 0.0)


def losses(kind: str, answer: Answer, batch: Batch, config: Config) -> tuple[Tensor, dict[str, Tensor]]:
    """Return the loss of a network's answer to decisions of one of the :data:`KINDS` and figures about it."""
    tried = ~batch.targets.isnan()
    known = ~batch.values.isnan()
    value = value_loss(answer.value[known], batch.values[known]).sum() / max(int(known.sum()), 1)
    figures = {"value_loss": value.detach()}
    if kind == "call":
        wanted = advantages_of(batch.targets, tried)
        found = advantages_of(answer.scores * (config.temperature / 162.0), tried)
        loss = (found - wanted).square().sum(1).mean()
        figures["explained"] = 1 - loss.detach() / wanted.square().sum(1).mean()
    else:
        logs = torch.log_softmax(masked(answer.scores * (config.temperature / config.softness), tried), 1)
        wanted = torch.log_softmax(masked(batch.targets * (162.0 / config.softness), tried), 1)
        loss = functional.kl_div(logs, wanted, log_target=True, reduction="batchmean")
        figures["divergence"] = loss.detach()
        figures["agreed"] = (logs.argmax(1) == wanted.argmax(1)).float().mean()
    total = loss + config.value_weight * value
    if config.belief_weight:
        belief = belief_loss(answer.belief, batch.hidden)
        total = total + config.belief_weight * belief
        figures["belief_loss"] = belief.detach()
    with torch.no_grad():
        error = mean_value(answer.value[known]) - batch.values[known]
        figures["value_explained"] = 1 - error.var() / batch.values[known].var()
    return total, figures


def learning_rate_at(done: float) -> float:
    """Return the factor of the learning rate when that share of a run is done: a short rise, a long fall."""
    return min(1.0, done / 0.02 + 0.01) * (1 / 30 + (1 - 1 / 30) * 0.5 * (1 + math.cos(math.pi * done)))


def check(config: Config) -> None:
    """Refuse a configuration that cannot be trained.

    Raises:
        ValueError: which says what would be right.
    """
    rules = [Rules.of(name) for name in config.rules]
    if not rules:
        raise ValueError("rules: give one preset or more")
    at_least(config, 1, "tables", "steps", "rounds", "epochs", "keep", "minibatches", "save_every")
    precision_of(config.precision, torch.device("cpu"))
    at_least(config.sizes, 1, *config.sizes.to_dict())
    between(config, 0, 1, "learning_rate", "rule_share", "random_share", "average", "value_weight", "belief_weight")
    between(config, 0, 10_000, "imagined_calls", "imagined_cards", "imagined_endings")
    between(config, 0.01, 10_000, "temperature", "softness")
    between(config, 0, 10_000, "stakes")
    at_least(config, 0, "seed")
    if not config.kinds or not set(config.kinds) <= set(KINDS):
        raise ValueError(f"kinds are {' '.join(config.kinds) or 'none'}, expected some of {', '.join(KINDS)}")
    evaluation.check(config)
    if config.start:
        checkpoint.load(config.start)


def beginning(config: Config) -> PolicyNetwork:
    """Return the networks that a run begins with: those of ``start``, anew where they are to be of another size."""
    network = PolicyNetwork(config.sizes)
    if config.start:
        start = checkpoint.load(config.start).network
        for name, mine in network.named_children():
            its = start.get_submodule(name).state_dict()
            if {key: tensor.shape for key, tensor in mine.state_dict().items()} == {k: t.shape for k, t in its.items()}:
                mine.load_state_dict(its)
    return network


def train(folder: Path, config: Config, device: str = "cpu") -> bool:
    """Distil a policy into the folder of a run, made by ``training.run.prepare``, or go on with it.

    Every process of ``training.processes`` makes the same call. Returns False if Ctrl-C ended it early.
    """
    place = join(device)
    interrupts = Interrupts(place)
    torch.manual_seed(config.seed)
    run = Run(folder, leader=place.rank == 0)
    saved = run.load()
    network = beginning(config) if saved is None else PolicyNetwork(Sizes(**saved[1]["sizes"]))
    network = network.to(place.device).requires_grad_(True)
    averaged = deepcopy(network).requires_grad_(False)
    optimizer = torch.optim.AdamW(network.parameters(), lr=config.learning_rate, weight_decay=1e-3, fused=True)
    tables = [LabelledTables(rules, config, place.rank, number) for number, rules in enumerate(config.rules)]
    own = {f"tables-{one.rules.base}": one for one in tables}
    shards = {kind: Shards(folder / "shards", f"{kind}-{place.rank}", Batch, config.keep) for kind in config.kinds}
    everything = ({"network": network, "averaged": averaged}, {"optimizer": optimizer}, own)
    watch = evaluation.Evaluation(config, place)
    first, decisions, updates = 0, 0, 0
    if saved is not None:
        tensors, numbers = saved
        first, decisions, updates = numbers["round"], numbers["step"], numbers["updates"]
        restore(tensors, *everything, place)
    elif watch.due(0):
        run.log(0, watch.measure(averaged, run, 0))

    begun, decisions_before = time.perf_counter(), decisions
    for number in range(first, config.rounds):
        # Play. In the beginning the rule player acts for all seats, since the network knows nothing yet.
        rule_share = 1.0 if number < config.rounds / 20 and not config.start else config.rule_share
        network.eval()
        played = [one.play(network, rule_share, place.device) for one in tables]

        # Learn, from calls, cards and last cards in turn.
        network.train()
        figures: dict[str, list[Tensor]] = {}
        for group in optimizer.param_groups:
            group["lr"] = config.learning_rate * learning_rate_at(number / config.rounds)
        for kind, model, batches in zip(
            KINDS, (network.bidding, network.play, network.ending), zip(*played, strict=True), strict=True
        ):
            if kind not in config.kinds:
                continue
            fresh = Batch.joined(batches)
            shards[kind].add(number, fresh)
            counts = gather(len(fresh), place)
            # A game without an auction has no calls to learn from.
            parts = min(config.minibatches, *counts)
            for _ in range(config.epochs if parts else 0):
                batch = shards[kind].draw(len(fresh), tables[0].rng)
                for places in torch.arange(len(batch)).tensor_split(parts):
                    part = batch.part(places, place.device)
                    with precision_of(config.precision, place.device):
                        answer = model(part.observations)
                    loss, said = losses(kind, Answer(*(tensor.float() for tensor in answer)), part, config)
                    optimizer.zero_grad(set_to_none=True)
                    loss.backward()
                    average_gradients(model.parameters(), place)
                    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                    optimizer.step()
                    for name, value in said.items():
                        figures.setdefault(f"{kind}/{name}", []).append(value)
            decisions += sum(counts)
        learned = config.epochs * config.minibatches
        updates += learned
        # Quickly at first, when there is nothing to average yet.
        follow(averaged, network, min(config.average**learned, updates / (updates + learned)))

        # Tell, and keep what was done.
        stop = interrupts.seen()
        told = mean({name: float(torch.stack(values).mean()) for name, values in figures.items()}, place)
        rate = (decisions - decisions_before) / (time.perf_counter() - begun)
        told["decisions_per_second"] = rate
        told["learning_rate"] = optimizer.param_groups[0]["lr"]
        if watch.due(number + 1):
            told |= watch.measure(averaged, run, decisions)
        run.log(decisions, told)
        if run.leader:
            left = (config.rounds - number - 1) * (time.perf_counter() - begun) / (number - first + 1)
            progress_line(
                f"round {number + 1}/{config.rounds}  {decisions:,} decisions  {rate:,.0f}/s  {left / 60:.0f} min left"
                f"  calls explained {told.get('call/explained', math.nan):.3f},"
                f" cards agreed {told.get('card/agreed', math.nan):.3f} and {told.get('ending/agreed', math.nan):.3f}"
                f"  {watch.last}"
            )
        if stop or (number + 1) % config.save_every == 0 or number + 1 == config.rounds:
            numbers = {"round": number + 1, "step": decisions, "updates": updates, "sizes": network.sizes.to_dict()}
            run.save(whole_state(*everything, place), numbers)
            if run.leader:
                notes = {"kind": "distill", "decisions": decisions, "hours": round(run.seconds / 3600, 3)}
                checkpoint.save(run.policy, averaged, [one.rules for one in tables], notes)
            for kept in shards.values():
                kept.forget(number + 1 if number + 1 < config.rounds else number + config.keep)
        if stop:
            return False
    return True
