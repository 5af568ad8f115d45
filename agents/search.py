"""Search on top of a network: ``search:NAME`` thinks about what ``net:NAME`` would do.

The network proposes a few actions. Worlds are drawn and weighed by how likely the network makes what the other seats
called and played in each (Rebstock et al. 2019), tempered, since they need not think like it. Every proposal is taken
in every world and the deal played to its end, and what comes of it is set against the network's own opinion: the less
certain the difference, the more the opinion counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from agents.levels import Seed, positive_number
from agents.net_agent import mind_for
from agents.neural import Mind, forced
from agents.neural_worlds import log_likelihoods, log_softmax, outcomes
from agents.worlds import Worlds
from belote_env.engine.layout import NUM_ACTIONS
from belote_env.game import Game
from belote_env.rules import Rules
from belote_env.view import View
from belote_env.warmup import notice


@dataclass(frozen=True)
class Budget:
    """How much a search thinks, and how.

    Attributes:
        worlds: drawn for a decision.
        proposals: actions that are tried, at most.
        least: probability that the network must give an action, relative to its favourite, for it to be tried.
        temper: power to which the likelihood of the others' actions is raised.
        whim: share of the others' actions that are taken for a reason that nobody sees.
        doubt: share of the weight that all worlds get alike.
        trust: in the network: how many standard errors an action must be better for each factor of e by which the
            network finds it less likely.
    """

    worlds: int = 32
    proposals: int = 3
    least: float = 0.03
    temper: float = 0.5
    whim: float = 0.1
    doubt: float = 0.05
    trust: float = 1.0


class SearchAgent:
    """Looks for something better than what a network prefers.

    Args:
        rules: the rule set that it plays.
        mind: the network.
        budget: how much it thinks.
        seed: of the worlds.

    Attributes:
        fingerprint: of the network's weights.
    """

    def __init__(self, rules: Rules, mind: Mind, budget: Budget, seed: Seed = None) -> None:
        _compile()
        self.fingerprint = mind.fingerprint
        self._rules = rules
        self._mind = mind
        self._budget = budget
        self._rng = np.random.default_rng(seed)

    def act(self, view: View) -> int:
        """Return one of ``view.legal``."""
        if (action := forced(view)) is not None:
            return action
        opinions = log_softmax(self._mind.logits([view]).astype(np.float64))[0]
        proposals = np.argsort(-opinions, kind="stable")[: self._budget.proposals]
        opinions = opinions[proposals]
        kept = opinions >= opinions[0] + np.log(self._budget.least)
        if kept.sum() == 1:
            return int(proposals[0])
        worlds = Worlds(view, self._rng).sample(self._budget.worlds)
        weights = self._weights(worlds, view.seat)
        values = outcomes(self._mind.scores, self._rules, worlds, proposals[kept])
        return int(proposals[(opinions[kept] + evidence(values, weights) / self._budget.trust).argmax()])

    def _weights(self, worlds: np.ndarray, seat: int) -> np.ndarray:
        """Return the weights of worlds as ``seat`` sees them: ``float64``, ``(n,)``, sum 1."""
        budget, logs = self._budget, log_likelihoods(self._mind.scores, self._rules, worlds, seat, self._budget.whim)
        weights = np.exp(budget.temper * (logs - logs.max()))
        return (1.0 - budget.doubt) * weights / weights.sum() + budget.doubt / len(worlds)


def evidence(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return how many standard errors actions are better than the first: ``float64``, ``(actions,)``.

    Args:
        values: ``(worlds, actions)``.
        weights: of the worlds, sum 1.
    """
    gains = values - values[:, :1]
    # The spread of all worlds alike: that of a few with much weight would look too small.
    errors = gains.std(0) * np.sqrt((weights**2).sum())
    return weights @ gains / np.maximum(errors, 1e-9)


@cache
def _compile() -> None:
    """Weigh a world and play it out once, which compiles all of it, and say so if it takes a while."""

    def undecided(observations: np.ndarray) -> np.ndarray:
        return np.zeros((len(observations), NUM_ACTIONS), dtype=np.float32)

    with notice("the search"):
        view = Game("coinche", seed=1).view()
        worlds = Worlds(view, 1).sample(1)
        log_likelihoods(undecided, view.rules, worlds, view.seat, 0.0)
        outcomes(undecided, view.rules, worlds, np.array(view.legal[:1]))


def search(rules: Rules, seed: Seed, argument: str) -> SearchAgent:
    """Return the search on top of a checkpoint; ``NAME@4`` draws four times the worlds.

    Args:
        rules: the rule set that it will play.
        seed: of the worlds.
        argument: as for ``net:``, and how much to think.

    Raises:
        ValueError: as for ``net:``, or if what follows the @ is not a number.
    """
    name, at, times = argument.rpartition("@")
    budget = Budget()
    if at:
        factor = positive_number(times, "a number of times the worlds of the search")
        budget = replace(budget, worlds=max(2, round(budget.worlds * factor)))
    return SearchAgent(rules, mind_for(rules, name if at else argument), budget, seed)
