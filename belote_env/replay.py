"""Replaying deal records: action by action, or as the trace of rules §10."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from belote_env.game import Game


def walk(record: Any) -> Iterator[tuple[Game, str | None]]:
    """Yield the game as it stands before each action of a record, with the action; at the end the game and None.

    It is the same game every time, one action further.

    Raises:
        RecordError: if the record is malformed or breaks a rule; nothing has been yielded then.
    """
    actions = Game.from_record(record).actions
    game = Game.from_record({**record, "actions": []})
    for action in actions:
        yield game, action
        game.step(action)
    yield game, None


def trace(record: Any) -> dict[str, Any]:
    """Return every step of a record with its legal actions, and the result if the deal is over (rules §10).

    Raises:
        RecordError: if the record is malformed or breaks a rule.
    """
    steps: list[dict[str, Any]] = []
    for game, action in walk(record):
        if game.deal_over:
            return {"steps": steps, "result": game.result}
        steps.append({"seat": game.seat, "phase": game.phase, "legal": sorted(game.legal_actions()), "action": action})
    return {"steps": steps}
