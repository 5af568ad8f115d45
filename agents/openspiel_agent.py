"""OpenSpiel's search as an agent: ``openspiel:ismcts``, or ``openspiel:ismcts:50`` for 50 simulations a legal action.

Information-set Monte-Carlo tree search (Cowling, Powley & Whitehouse 2012) as OpenSpiel has it in Python. Each
simulation goes through a world drawn from what the seat knows, and ends with the compiled rule player of ``rollout``.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import pyspiel
from open_spiel.python.algorithms.ismcts import ISMCTSBot
from open_spiel.python.algorithms.mcts import Evaluator

from agents.openspiel_game import NAME, BeloteState
from agents.rollout import new_scratch, play_out, shipped_policy
from agents.worlds import Worlds
from belote_env.rewards import SCORE, write_rewards
from belote_env.rules import Rules
from belote_env.view import View

Seed: TypeAlias = int | np.random.Generator | np.random.SeedSequence | None

SIMULATIONS = 20
"""For each legal action: the search tries each of them before any a second time, and an auction has up to 45."""

EXPLORATION = 1.0
"""Constant of UCT, in units of the returns: 162 points."""


class RuleRollouts(Evaluator):
    """Values a state by what it comes to when the rule player goes on for all four; all actions are alike before."""

    def __init__(self) -> None:
        self._scratch = new_scratch()
        self._rewards = np.zeros(4, dtype=np.float32)

    def evaluate(self, state: BeloteState) -> np.ndarray:
        """Return the returns of seats 0..3: ``float32``, shape ``(4,)``."""
        assert state.deal is not None
        deal = state.deal.copy()
        play_out(deal, state.rules.vector, shipped_policy(), self._scratch)
        write_rewards(deal, state.rules.vector, SCORE, self._rewards)
        return self._rewards.copy()

    def prior(self, state: BeloteState) -> list[tuple[int, float]]:
        """Return the legal actions with their probabilities."""
        legal = state.legal_actions()
        return [(action, 1 / len(legal)) for action in legal]


class ISMCTSAgent:
    """Plays the action that information-set tree search visits most.

    Args:
        rules: a preset.
        seed: an integer, a ``numpy.random.Generator``, or None.
        simulations: for each legal action of a decision, one world each.

    Raises:
        ValueError: if options of the preset are changed, which OpenSpiel's game does not know of.
    """

    def __init__(
        self,
        rules: Rules,
        seed: Seed = None,
        simulations: int = SIMULATIONS,
    ) -> None:
        if rules.difference:
            raise ValueError(f"agent 'openspiel' plays presets as they are, not {rules}")
        self._game = pyspiel.load_game(NAME, {"rules": rules.base})
        self._rng = np.random.default_rng(seed)
        self._random_state = np.random.RandomState(self._rng.integers(1 << 32))
        self._simulations = simulations

    def act(self, view: View) -> int:
        """Return one of ``view.legal``."""
        if len(view.legal) == 1:
            return view.legal[0]
        worlds = Worlds(view, self._rng)

        def imagine() -> BeloteState:
            return self._game.state_of(worlds.sample(1)[0])

        simulations = self._simulations * len(view.legal)
        bot = ISMCTSBot(self._game, RuleRollouts(), EXPLORATION, simulations, random_state=self._random_state)
        bot.set_resampler(lambda state, player: imagine())
        return int(bot.step(imagine()))


def openspiel(rules: Rules, seed: Seed, argument: str) -> ISMCTSAgent:
    """Return the agent ``openspiel:ARGUMENT``.

    Raises:
        ValueError: if the argument is not ``ismcts`` or ``ismcts:SIMULATIONS``.
    """
    bot, _, simulations = argument.partition(":")
    if bot != "ismcts" or not (simulations or "1").isdecimal() or int(simulations or "1") < 1:
        raise ValueError(f"agent 'openspiel:{argument}': write openspiel:ismcts, or openspiel:ismcts:SIMULATIONS")
    return ISMCTSAgent(rules, seed, int(simulations or SIMULATIONS))
