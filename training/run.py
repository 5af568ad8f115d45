"""A training run on disk: its configuration, its curves, its resumable state, and the policy as it stands.

RUN/config.json             what was asked for
RUN/progress.jsonl          a line of figures each time some are logged; also as TensorBoard events beside it
RUN/state.safetensors       all that an exact resume needs, written beside and renamed
RUN/policy/                 the policy, which ``net:RUN`` plays
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
from torch import Tensor

from belote_env.files import write_atomically

CONFIG, PROGRESS, STATE, POLICY = "config.json", "progress.jsonl", "state.safetensors", "policy"


def read_config(folder: Path) -> dict[str, Any]:
    """Return the configuration of the run in a folder, and its kind under ``"kind"``.

    Raises:
        ValueError: if there is no run.
    """
    try:
        content = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise ValueError(f"{folder} holds no run: there is no {CONFIG} in it that can be read") from None
    if not isinstance(content, dict):
        raise ValueError(f"{folder}: {CONFIG} does not hold a configuration")
    return content


def prepare(folder: Path, kind: str, config: Any, resume: bool = False) -> None:
    """Make the folder of a new run, or see that the run in it can be resumed.

    Args:
        folder: where it lies.
        kind: of training, as ``"distill"``.
        config: a dataclass.
        resume: whether to go on with what lies there.

    Raises:
        ValueError: if a run lies there already and is not to be resumed, if there is none to resume, or if what lies
            there is of another kind or configuration.
    """
    # Through JSON and back, so that tuples compare equal to what was read.
    wanted = json.loads(json.dumps({"kind": kind, **asdict(config)}))
    path = folder / CONFIG
    begun = any((folder / name).exists() for name in (PROGRESS, STATE))
    if not path.exists() or not (begun or resume):  # one that failed before its first figures is no run
        if resume:
            raise ValueError(f"{folder} holds no run to resume")
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(wanted, indent=1) + "\n")
        return
    if not resume:
        raise ValueError(f"{folder} holds a run already: give --resume to go on with it, or another folder")
    found = read_config(folder)
    if found.get("kind") != kind:
        raise ValueError(f"{folder} is a run of {found.get('kind')}, not of {kind}")
    changed = sorted(key for key in {*found, *wanted} if found.get(key) != wanted.get(key))
    if changed:
        what = ", ".join(f"{key}={found.get(key)!r} there, {wanted.get(key)!r} here" for key in changed)
        raise ValueError(f"{folder} is a run of another configuration: {what}")


class Run:
    """The folder of a run, made by :func:`prepare`.

    Args:
        folder: where it lies.
        leader: whether this process writes into it; of several that train together, one does.
    """

    def __init__(self, folder: Path, leader: bool = True) -> None:
        self.folder = folder
        self.leader = leader
        self._board: Any = None
        self._begun = time.perf_counter()
        self.seconds_before = 0.0

    @property
    def seconds(self) -> float:
        """How long the run has been going on, in all its sessions."""
        return self.seconds_before + time.perf_counter() - self._begun

    @property
    def policy(self) -> Path:
        """The folder of the policy as it stands."""
        return self.folder / POLICY

    def log(self, step: int, figures: Mapping[str, float]) -> None:
        """Write figures that belong to a step (decisions seen so far) to the curves."""
        if not self.leader:
            return
        board = self._writer(step)
        for name, value in figures.items():
            board.add_scalar(name, value, step)
        board.flush()
        with (self.folder / PROGRESS).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"step": step, "seconds": round(self.seconds, 1), **figures}) + "\n")

    def log_text(self, step: int, name: str, text: str) -> None:
        """Write a text to TensorBoard, as it stands."""
        if self.leader:
            self._writer(step).add_text(name, f"```\n{text}\n```", step)

    def _writer(self, step: int) -> Any:
        if self._board is None:
            from torch.utils.tensorboard import SummaryWriter

            self._board = SummaryWriter(str(self.folder), purge_step=step)
        return self._board

    def save(self, tensors: Mapping[str, Tensor], numbers: Mapping[str, Any]) -> None:
        """Write the resumable state: tensors, and numbers as JSON, ``step`` among them."""
        if not self.leader:
            return
        page = {"numbers": json.dumps({**numbers, "seconds": self.seconds})}
        cpu = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
        write_atomically(self.folder / STATE, safetensors.torch.save(cpu, page))

    def load(self) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
        """Return what :meth:`save` wrote last, None if the run was stopped before that; forget figures logged later.

        Raises:
            ValueError: if the file is damaged.
        """
        path = self.folder / STATE
        if not path.exists():
            if self.leader:
                self._forget_after(-1)
            return None
        try:
            with safetensors.safe_open(path, "pt") as file:
                numbers = json.loads(file.metadata()["numbers"])
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dict
        except (safetensors.SafetensorError, TypeError, KeyError, ValueError) as error:
            raise ValueError(f"{path} is damaged: {error}") from None
        self.seconds_before, self._begun = numbers["seconds"], time.perf_counter()
        if self.leader:
            self._forget_after(numbers["step"])
        return tensors, numbers

    def _forget_after(self, step: int) -> None:
        path = self.folder / PROGRESS
        if path.exists():
            kept = [line for line in read_progress(self.folder) if line["step"] <= step]
            write_atomically(path, "".join(json.dumps(line) + "\n" for line in kept))


def read_progress(folder: Path) -> list[dict[str, Any]]:
    """Return the figures of a run, a dictionary each time some were logged.

    Raises:
        ValueError: if there are none.
    """
    try:
        lines = (folder / PROGRESS).read_text(encoding="utf-8").splitlines()
    except OSError:
        raise ValueError(f"{folder} holds no run: there is no {PROGRESS} in it") from None
    figures = []
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue  # a line cut short by a kill
        if not isinstance(entry, dict) or not all(isinstance(x, int | float) for x in entry.values()):
            raise ValueError(f"{folder / PROGRESS} is damaged: a line is {line[:40]!r}, expected figures by name")
        if not {"step", "seconds"} <= entry.keys():
            raise ValueError(f"{folder / PROGRESS} is damaged: a line has no step or no seconds")
        figures.append(entry)
    return figures


def progress_line(text: str) -> None:
    """Show one line about a run; on a terminal over the last one, cut to its width."""
    if sys.stderr.isatty():
        width = shutil.get_terminal_size().columns - 1
        print(f"{text[:width]:<{width}}", end="\r", file=sys.stderr, flush=True)
    else:
        print(text, file=sys.stderr, flush=True)
