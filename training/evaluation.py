"""How a policy does while it is being trained: duplicate deals against levels, and a deal to read.

The deals are the same each time, so that a curve shows the policy's change and not the luck of the cards. They are no
part of the training: it goes on exactly as it would without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from agents.net_agent import mind_of
from agents.network import PolicyNetwork
from agents.neural import NeuralAgent
from agents.registry import make, registered
from belote_env.account import account
from belote_env.game import Game
from belote_env.rules import Rules
from training.comparison import Comparison
from training.duplicate import Pairing, play
from training.lockstep import finish
from training.processes import Place, gather
from training.run import Run

SEED = 20_260
"""Of cards and levels; not the seed of an evaluation, so that no policy is chosen by the deals that then judge it."""

_NAME = "policy"


class Wanted(Protocol):
    """What the configuration of a training says of its evaluation."""

    @property
    def rules(self) -> tuple[str, ...]:
        """Presets."""

    @property
    def rounds(self) -> int:
        """Of the whole training."""

    @property
    def against(self) -> tuple[str, ...]:
        """Levels, or any other agents."""

    @property
    def evaluate_every(self) -> int:
        """Rounds; 0 for never."""

    @property
    def evaluation_deals(self) -> int:
        """Distinct deals against each, each played twice."""


def check(config: Wanted) -> None:
    """Refuse an evaluation that cannot be done.

    Raises:
        ValueError: which says what would be right.
    """
    if config.evaluate_every < 0:
        raise ValueError(f"evaluate_every is {config.evaluate_every}, expected 0 (never) or more")
    if config.evaluation_deals < 2:
        raise ValueError(f"evaluation_deals is {config.evaluation_deals}, expected 2 or more")
    for name in ("rules", "against"):
        given = getattr(config, name)
        if len(set(given)) < len(given):
            raise ValueError(f"{name}: {' '.join(given)}: one is given twice")
    for rules in config.rules:
        for agent in config.against:
            make(agent, Rules.of(rules), SEED)


def compare_all(
    network: PolicyNetwork, rules: Sequence[Rules], against: Sequence[str], deals: int, place: Place
) -> list[Comparison]:
    """Play a network against each agent in each rule set, every process of a training its share of the deals.

    Args:
        network: the policy.
        rules: rule sets.
        against: what :func:`agents.registry.make` takes.
        deals: distinct deals of each pairing, each played twice.
        place: of this process; all make the same call.

    Returns:
        All comparisons, those of a rule set together; the same in every process, and for any number of them.
    """
    mind = mind_of(network)
    with registered(_NAME, lambda rules, seed: NeuralAgent(mind)):
        pairings = [Pairing((_NAME, agent), one, SEED) for one in rules for agent in against]
        numbers = range(place.rank, deals, place.processes)
        outcomes = finish(play(pairing, number) for pairing in pairings for number in numbers)
    shares = [outcomes[i * len(numbers) :][: len(numbers)] for i in range(len(pairings))]
    parts = gather(shares, place)
    return [
        Comparison(pairing).add_all(outcome for part in parts for outcome in part[i])
        for i, pairing in enumerate(pairings)
    ]


def figures(comparisons: Sequence[Comparison]) -> dict[str, float]:
    """Return points a deal with their 95% intervals, contracts bid (a table) and the share made, as curves by name."""
    curves = {}
    for one in comparisons:
        name = f"{one.pairing.rules.base}/{one.pairing.agents[1]}"
        assert one.ci95 is not None
        side = one.sides[0]
        curves[f"points/{name}"] = one.mean_difference
        curves[f"points/{name}/low"], curves[f"points/{name}/high"] = one.ci95
        curves[f"bid/{name}"] = side.bid / (one.deals * one.tables)
        curves[f"made/{name}"] = side.made / max(side.bid, 1)
    return curves


def summary(comparisons: Sequence[Comparison]) -> str:
    """Return the points a deal in a few words, as ``belote: easy +12.1 ± 5.0, normal -3.2 ± 4.8``."""
    parts: dict[str, list[str]] = {}
    for one in comparisons:
        words = f"{one.pairing.agents[1]} {one.mean_difference:+.1f} ± {one.half_width:.1f}"
        parts.setdefault(one.pairing.rules.base, []).append(words)
    return "; ".join(f"{rules}: {', '.join(words)}" for rules, words in parts.items())


def sample_deal(network: PolicyNetwork, rules: Rules) -> str:
    """Return a deal, always of the same cards, that a network plays with itself, in words."""
    mind = mind_of(network)
    game = Game(rules, SEED)
    while not game.deal_over:
        game.step(mind.choose([game.view()])[0])
    return account(game.to_record())


class Evaluation:
    """Measures the policy of a run every so many rounds.

    Args:
        config: how.
        place: of this process.

    Attributes:
        last: what the last evaluation said, in a few words.
    """

    def __init__(self, config: Wanted, place: Place) -> None:
        self._config = config
        self._place = place
        self._rules = [Rules.of(name) for name in config.rules]
        self.last = ""

    def due(self, rounds: int) -> bool:
        """Return whether to measure after that many rounds: at the beginning, then every so many, and at the end."""
        every = self._config.evaluate_every
        return every > 0 and (rounds % every == 0 or rounds == self._config.rounds)

    def measure(self, network: PolicyNetwork, run: Run, step: int) -> dict[str, float]:
        """Return figures for the curves, and write a sample deal of each rule set to TensorBoard."""
        config = self._config
        comparisons = compare_all(network, self._rules, config.against, config.evaluation_deals, self._place)
        self.last = summary(comparisons)
        if run.leader:
            for one in self._rules:
                run.log_text(step, f"deal/{one.base}", sample_deal(network, one))
        return figures(comparisons)
