"""The game for OpenSpiel: a deal of its own at 0-0, ``pyspiel.load_game("python_belote(rules=coinche)")``.

Chance deals: the dealer, then the pack card by card in the order of dealing, then the trump where the rules draw one.
Players are the seats 0..3, partners 0+2 and 1+3; actions are those of :mod:`belote_env.actions`; returns are the reward
``"score"`` of the environments, zero-sum between the sides. Importing this module registers the game.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pyspiel

from agents.history import actions_of, pack_of, start_deal
from agents.worlds import Worlds
from belote_env.actions import ACTIONS
from belote_env.cards import CARDS, SUITS, format_cards
from belote_env.engine import kernel
from belote_env.engine.layout import (
    DEALER,
    DENOMINATION,
    NONE,
    NUM_ACTIONS,
    NUM_RUNGS,
    OVER,
    PHASE,
    SEAT,
)
from belote_env.features import FEATURES, OBSERVATION_SIZE, OFFSETS, PACKED_SIZE, SCALE
from belote_env.observation import pack_observation
from belote_env.rewards import SCORE, write_rewards
from belote_env.rules import Rules
from belote_env.view import View

NAME = "python_belote"

_TYPE = pyspiel.GameType(
    short_name=NAME,
    long_name="Belote and Coinche",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=4,
    min_num_players=4,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"rules": "coinche"},
)
_INFO = pyspiel.GameInfo(
    num_distinct_actions=NUM_ACTIONS,
    max_chance_outcomes=32,
    num_players=4,
    min_utility=-100.0,  # no deal comes near a difference of 16,200 points
    max_utility=100.0,
    utility_sum=0.0,
    # Three passes, then three after each bid or coinche at most, and 32 cards.
    max_game_length=3 + 4 * (NUM_RUNGS + 2) + 32,
)

_preset = cache(Rules.preset)


class BeloteGame(pyspiel.Game):
    """The game under the preset that the parameter ``rules`` names.

    Raises:
        ValueError: if there is no such preset.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        self.preset = (params or {}).get("rules", "coinche")
        self.rules = _preset(self.preset)
        super().__init__(_TYPE, _INFO, params or {})

    def new_initial_state(self) -> BeloteState:
        """Return the state before the deal."""
        return BeloteState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return how many chance outcomes a deal has."""
        return 33 + (self.rules.deal == "random_trump")

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> BeloteObserver:
        """Return an observer of what a player may know."""
        return BeloteObserver(iig_obs_type, params)

    def state_of(self, world: np.ndarray) -> BeloteState:
        """Return where a deal of the kernel stands, with a history that leads there.

        Args:
            world: with all hands, such as :class:`agents.worlds.Worlds` draws: ``int64``, shape ``(STATE_SIZE,)``.
        """
        state = self.new_initial_state()
        state.apply_action(int(world[DEALER]))
        for card in pack_of(world, self.rules):
            state.apply_action(card)
        if state.is_chance_node():
            state.apply_action(int(world[DENOMINATION]))
        for action in actions_of(world, self.rules):
            state.apply_action(action)
        return state


class BeloteState(pyspiel.State):
    """A deal as far as it has come.

    Attributes:
        deal: the state of the kernel once everything is dealt: ``int64``, shape ``(STATE_SIZE,)``; None before.
    """

    # OpenSpiel copies every attribute deeply for a clone: so the name of the rules, and the pack as bytes.
    def __init__(self, game: BeloteGame) -> None:
        super().__init__(game)
        self._preset = game.preset
        self._dealer = NONE
        self._pack = b""
        self.deal: np.ndarray | None = None

    @property
    def rules(self) -> Rules:
        """The rule set."""
        return _preset(self._preset)

    def current_player(self) -> int:
        """Return the seat to act, or OpenSpiel's number for chance or the end."""
        if self.deal is None:
            return pyspiel.PlayerId.CHANCE
        return pyspiel.PlayerId.TERMINAL if self.is_terminal() else int(self.deal[SEAT])

    def is_terminal(self) -> bool:
        """Return whether the deal is over."""
        return self.deal is not None and bool(self.deal[PHASE] == OVER)

    def _legal_actions(self, player: int) -> list[int]:
        ids = np.empty(NUM_ACTIONS, dtype=np.int64)
        return ids[: kernel.legal_actions(self.deal, self.rules.vector, ids)].tolist()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the dealers, cards left or trumps, with their probabilities: each is as likely."""
        deals_card = self._dealer != NONE and len(self._pack) < 32
        outcomes = [card for card in range(32) if card not in self._pack] if deals_card else list(range(4))
        return [(outcome, 1 / len(outcomes)) for outcome in outcomes]

    def _apply_action(self, action: int) -> None:
        if self.deal is not None:
            kernel.step(self.deal, self.rules.vector, action)
        elif self._dealer == NONE:
            self._dealer = action
        elif len(self._pack) < 32:
            self._pack += bytes([action])
            if len(self._pack) == 32 and self.rules.deal != "random_trump":
                self.deal = start_deal(self.rules, self._dealer, list(self._pack))
        else:
            self.deal = start_deal(self.rules, self._dealer, list(self._pack), action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            return ACTIONS[action]
        if self._dealer == NONE:
            return f"dealer {action}"
        return f"deal {CARDS[action]}" if len(self._pack) < 32 else f"trump {SUITS[action]}"

    def returns(self) -> list[float]:
        """Return the reward ``"score"`` of seats 0..3; 0 until the end."""
        rewards = np.zeros(4, dtype=np.float32)
        if self.is_terminal():
            write_rewards(self.deal, self.rules.vector, SCORE, rewards)
        return rewards.tolist()

    def __str__(self) -> str:
        if self.deal is None:
            return f"dealer {self._dealer}, dealt {format_cards(self._pack)}"
        trump = f", trump {SUITS[self.deal[DENOMINATION]]}" if self.rules.deal == "random_trump" else ""
        actions = ", ".join(ACTIONS[action] for action in actions_of(self.deal, self.rules))
        return f"dealer {self._dealer}, dealt {format_cards(self._pack)}{trump}: {actions}"

    def view(self, player: int) -> View:
        """Return what a seat may know, once everything is dealt."""
        assert self.deal is not None
        return View(self.rules, self.deal, player, self.legal_actions(player))

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> BeloteState:
        """Return a state that looks the same to ``player``, who is to act; each such deal is as likely.

        For callers in Python: OpenSpiel's C++ algorithms do not ask a Python game for it.
        """
        (world,) = Worlds(self.view(player), int(sampler() * (1 << 53))).sample(1)
        return self.get_game().state_of(world)


class BeloteObserver:
    """What a player may know: the observation of the environments, which a perfect memory adds nothing to.

    Attributes:
        tensor: entries in 0..1, ``float32``, shape ``(OBSERVATION_SIZE,)``; 0 until everything is dealt.
        dict: its blocks by the names of :data:`belote_env.features.FEATURES`.
    """

    def __init__(self, iig_obs_type: Any, params: dict[str, Any] | None) -> None:
        if params:
            raise ValueError(f"the observer takes no parameters, but got {params}")
        single = pyspiel.PrivateInfoType.SINGLE_PLAYER
        if iig_obs_type is not None and not (iig_obs_type.public_info and iig_obs_type.private_info == single):
            raise ValueError("the observer shows what one player may know: public_info and SINGLE_PLAYER")
        self.tensor = np.zeros(OBSERVATION_SIZE, dtype=np.float32)
        self.dict = {
            feature.name: self.tensor[OFFSETS[feature.name] :][: feature.size].reshape(feature.shape)
            for feature in FEATURES
        }

    def set_from(self, state: BeloteState, player: int) -> None:
        """Write what ``player`` may know into the tensor."""
        self.tensor[:] = 0 if state.deal is None else state.view(player).observation / SCALE

    def string_from(self, state: BeloteState, player: int) -> str:
        """Return the seat and its packed observation in hexadecimal (``belote_env.observation.unpack_observation``)."""
        if state.deal is None:
            return f"{player} before the deal"
        packed = np.empty(PACKED_SIZE, dtype=np.uint8)
        pack_observation(state.view(player).observation, packed)
        return f"{player} {packed.tobytes().hex()}"


pyspiel.register_game(_TYPE, BeloteGame)
