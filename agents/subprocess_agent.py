"""``exec:COMMAND``: a bot in any language, asked over its standard input and output (docs/protocol.md).

Whatever it does, the game goes on and what went wrong is counted: an illegal action is replaced by a random legal one;
after a crash, a time-out or an answer that is none, the process is ended and the seat plays at random to the end of the
deal. A new process is started for the next.
"""

from __future__ import annotations

import atexit
import base64
import contextlib
import hashlib
import json
import os
import queue
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from belote_env.actions import parse_action
from belote_env.cards import DENOMINATIONS
from belote_env.engine.layout import DEALER, LADDER, NUM_RUNGS
from belote_env.sheet import bid_value
from belote_env.view import View

PROTOCOL = "belote-bot/1"
LIMIT = 10.0
"""Seconds for an answer, unless the command begins with ``limit=SECONDS``."""

START_UP = 20.0
"""Seconds more for the first answer of a process."""

_LONGEST_ANSWER = 4096


class Fault(Exception):
    """The bot failed: its one argument is ``"crash"``, ``"timeout"`` or ``"illegal"``."""


def request(view: View, number: int) -> dict[str, Any]:
    """Return what a bot is asked: all that the seat may know, as JSON-ready values (docs/protocol.md)."""
    bids = []
    for rung in range(NUM_RUNGS):
        mark = int(view.state[LADDER + rung]) - 1
        if mark >= 0:
            value = bid_value(view.rules, rung)
            bids.append({"seat": mark & 3, "value": value, "denomination": DENOMINATIONS[mark >> 2]})
    return {
        "protocol": PROTOCOL,
        "id": number,
        "rules": view.rules.to_dict(),
        "seat": view.seat,
        "dealer": int(view.state[DEALER]),
        "phase": view.phase,
        "legal": view.legal_actions,
        "hand": view.hand,
        "turned": view.turned,
        "bids": bids,
        "contract": view.contract,
        "tricks": view.tricks,
        "trick": view.trick,
        "scores": list(view.scores),
        "observation": base64.b64encode(view.observation.tobytes()).decode(),
    }


class _Process:
    """A running bot."""

    def __init__(self, command: tuple[str, ...]) -> None:
        try:
            # A session of its own: Ctrl-C is not for the bot, which would count as a crash.
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, start_new_session=True
            )
        except OSError:
            raise Fault("crash") from None
        assert self._process.stdin is not None and self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._lines: queue.Queue[bytes] = queue.Queue(maxsize=8)
        self._asked = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        """Queue the lines that the bot writes, then an empty one."""
        pending = b""
        while True:
            try:
                chunk = self._stdout.read(_LONGEST_ANSWER)
            except (OSError, ValueError):  # closed
                chunk = b""
            *lines, pending = (pending + chunk).split(b"\n")
            for line in lines:
                self._lines.put(line + b"\n")
            if not chunk or len(pending) > _LONGEST_ANSWER:
                self._lines.put(pending)
                return

    def ask(self, view: View, limit: float) -> int:
        """Return the action that the bot answers.

        Raises:
            Fault: if it does not within the limit in seconds; the process is then of no more use.
        """
        line = json.dumps(request(view, self._asked)).encode() + b"\n"
        # In a thread, since a bot that does not read would block it.
        threading.Thread(target=self._write, args=(line,), daemon=True).start()
        try:
            answer = self._lines.get(timeout=limit + (START_UP if self._asked == 0 else 0.0))
        except queue.Empty:
            raise Fault("timeout") from None
        if not answer.endswith(b"\n"):
            raise Fault("illegal" if answer else "crash")
        try:
            found = json.loads(answer)
            number, action = found["id"], found["action"]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise Fault("illegal") from None
        if number != self._asked:
            raise Fault("illegal")
        self._asked += 1
        try:
            return parse_action(action)
        except ValueError:
            return -1

    def _write(self, line: bytes) -> None:
        with contextlib.suppress(OSError, ValueError):  # it has gone: the reader says so
            self._stdin.write(line)

    def end(self) -> None:
        """Kill it, with what it started itself."""
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()
        self._process.wait()
        deadline = time.monotonic() + 1.0
        while self._reader.is_alive() and time.monotonic() < deadline:
            # What it still had to say, so that the reader does not wait for ever to tell it.
            with contextlib.suppress(queue.Empty):
                self._lines.get(timeout=0.01)
        self._stdin.close()
        self._stdout.close()


_running: dict[tuple[tuple[str, ...], int], _Process] = {}
"""A process for each command and seat, so that partners share nothing; kept from deal to deal."""


@atexit.register
def end_all() -> None:
    """End every bot that was started."""
    while _running:
        _running.popitem()[1].end()


class SubprocessAgent:
    """Asks a process for every action.

    Args:
        command: the program and its arguments.
        limit: seconds for an answer.
        seed: of the actions played in its place.

    Attributes:
        faults: how often it crashed (``crash``), was too slow (``timeout``) or answered what is not legal
            (``illegal``), and how many actions were played for it to the end of a deal after that (``forfeited``).
    """

    def __init__(self, command: tuple[str, ...], limit: float, seed: Any = None) -> None:
        self._command, self._limit = command, limit
        self._rng = np.random.default_rng(seed)
        self._given_up = False
        self.faults: Counter[str] = Counter()

    def act(self, view: View) -> int:
        """Return one of ``view.legal``."""
        if self._given_up:
            self.faults["forfeited"] += 1
            return self._random(view)
        place = self._command, view.seat
        try:
            if place not in _running:
                _running[place] = _Process(self._command)
            action = _running[place].ask(view, self._limit)
        except Fault as fault:
            self.faults[fault.args[0]] += 1
            self._given_up = True
            if place in _running:
                _running.pop(place).end()
            return self._random(view)
        if action not in view.legal:
            self.faults["illegal"] += 1
            return self._random(view)
        return action

    def _random(self, view: View) -> int:
        return view.legal[int(self._rng.random() * len(view.legal))]

    @property
    def fingerprint(self) -> str:
        """A hash of the files that the command names."""
        files = [Path(word) for word in self._command if Path(word).is_file()]
        return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def subprocess_agent(argument: str, seed: Any) -> SubprocessAgent:
    """Return the agent ``exec:ARGUMENT``: a command as a shell would split it, after ``limit=SECONDS`` if wanted.

    Raises:
        ValueError: if there is no such program, or the limit is not a number above 0.
    """
    limit = LIMIT
    words = shlex.split(argument)
    if words and words[0].startswith("limit="):
        try:
            limit = float(words.pop(0).removeprefix("limit="))
        except ValueError:
            limit = 0.0
    if not 0 < limit < 1e6:
        raise ValueError(f"agent 'exec:{argument}': limit= takes a number of seconds above 0")
    if not words or shutil.which(words[0]) is None:
        raise ValueError(f"agent 'exec:{argument}': no such program; write exec:COMMAND, as exec:node bot.mjs")
    return SubprocessAgent(tuple(words), limit, seed)
