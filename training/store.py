"""A file of results that grows and is never changed: what is in it need not be played again. SQLite, one file.

Outcomes are kept under who played (identities: name, code and data of the agents), rules, seed, protocol and number.
Each is a transaction of its own, so that a kill at any moment loses what was being played and nothing else.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator
from types import TracebackType

from agents.identity import identity
from training.duplicate import Outcome, Pairing

_SCHEMA = """
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS runs (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS outcomes (
    run INTEGER NOT NULL REFERENCES runs (id), number INTEGER NOT NULL, outcome TEXT NOT NULL,
    PRIMARY KEY (run, number)
) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS append_only BEFORE UPDATE ON outcomes BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER IF NOT EXISTS nothing_lost BEFORE DELETE ON outcomes BEGIN SELECT RAISE(ABORT, 'append-only'); END;
COMMIT;
"""
_FORMAT = 1


class StoreError(ValueError):
    """A file of results is something else, or damaged, or cannot be used."""


class Store:
    """The results in a file, which is made if it is not there. Several processes may use it at once.

    Args:
        path: of the file.

    Raises:
        StoreError: if the file is something else; any method, if it is damaged or cannot be used.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        try:
            self._connection = sqlite3.connect(path, timeout=60, isolation_level=None)
        except sqlite3.OperationalError as error:
            raise StoreError(f"{path}: {error}") from None
        try:
            there = {
                name for (name,) in self._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            }
            if there and there != {"runs", "outcomes"}:
                raise sqlite3.DatabaseError(f"it holds the tables {', '.join(sorted(there))}")
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.executescript(_SCHEMA)
        except sqlite3.DatabaseError as error:
            self._connection.close()
            raise StoreError(f"{path}: not a file of results: {error}") from None
        self._runs: dict[Pairing, int] = {}

    def load(self, pairing: Pairing, deals: int) -> dict[int, Outcome]:
        """Return the outcomes, by their numbers, that are there of the first ``deals`` numbers."""
        run = self._run(pairing)
        with self._checked():
            rows = self._connection.execute(
                "SELECT number, outcome FROM outcomes WHERE run = ? AND number < ?", (run, deals)
            )
            outcomes = {number: Outcome.from_json(text) for number, text in rows}
        return {n: one.turned() for n, one in outcomes.items()} if _is_turned(pairing) else outcomes

    def add(self, pairing: Pairing, number: int, outcome: Outcome) -> None:
        """Keep an outcome; one that is there already stays as it is."""
        if _is_turned(pairing):
            outcome = outcome.turned()
        row = (self._run(pairing), number, outcome.to_json())
        with self._checked():
            self._connection.execute("INSERT OR IGNORE INTO outcomes VALUES (?, ?, ?)", row)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextlib.contextmanager
    def _checked(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.DatabaseError, LookupError, TypeError, ValueError) as error:  # the latter: a row is no outcome
            raise StoreError(f"{self._path}: damaged, or it cannot be used: {error}") from None

    def _run(self, pairing: Pairing) -> int:
        if pairing not in self._runs:
            key = _key(pairing)
            with self._checked():
                self._connection.execute("INSERT OR IGNORE INTO runs (key) VALUES (?)", (key,))
                row = self._connection.execute("SELECT id FROM runs WHERE key = ?", (key,)).fetchone()
                self._runs[pairing] = row[0]
        return self._runs[pairing]


def _is_turned(pairing: Pairing) -> bool:
    """Return whether the pairing is kept as B against A: it is the same run (``Pairing.seed_of``)."""
    return pairing.protocol == "team" and pairing.agents[0] > pairing.agents[1]


def _key(pairing: Pairing) -> str:
    players = pairing.players[::-1] if _is_turned(pairing) else pairing.players
    return json.dumps(
        {
            "format": _FORMAT,
            "players": [identity(player, pairing.rules) for player in players],
            "rules": pairing.rules.to_dict(),
            "protocol": pairing.protocol,
            "match": pairing.match,
            "seed": pairing.seed,
        }
    )
