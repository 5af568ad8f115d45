"""Trainings small enough for tests, and what must be the same of two that are alike."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from safetensors.torch import load_file

from training.run import prepare, read_progress

ROOT = Path(__file__).parent.parent

_KILLED = """
import os, signal, sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from training import {kind} as kind, run

logged, log = 0, run.Run.log
def log_and_die(*arguments):
    global logged
    log(*arguments)
    logged += 1
    if logged == {lines}:
        os.kill(os.getpid(), signal.SIGKILL)
run.Run.log = log_and_die
kind.train(Path({folder!r}), kind.Config(**eval(sys.argv[1])))
"""


def train(kind: Any, folder: Path, config: Any, resume: bool = False) -> bool:
    """Begin a run, or go on with it, in this process."""
    kind.check(config)
    prepare(folder, kind.__name__.rpartition(".")[2], config, resume)
    return kind.train(folder, config)


def killed(kind: Any, folder: Path, config: Any, lines: int) -> None:
    """Begin a run in another process, which is killed (signal 9) once it has logged so many lines of figures."""
    name = kind.__name__.rpartition(".")[2]
    prepare(folder, name, config)
    source = _KILLED.format(kind=name, tests=str(ROOT / "tests"), lines=lines, folder=str(folder))
    values = {key: value for key, value in vars(config).items() if key != "sizes"}
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    if hasattr(config, "sizes"):
        source = source.replace("kind.Config(**", "kind.Config(sizes=__import__('decisions').SMALL, **")
    done = subprocess.run([sys.executable, "-c", source, repr(values)], env=environment, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert len(read_progress(folder)) == lines


def what_counts(folder: Path) -> tuple[dict[str, Any], list[dict[str, float]]]:
    """Return all tensors of a run as plain values, and its figures but for those that tell time."""
    tensors = {**load_file(folder / "state.safetensors"), **load_file(folder / "policy" / "policy.safetensors")}
    figures = [
        {name: value for name, value in line.items() if name not in ("seconds", "decisions_per_second")}
        for line in read_progress(folder)
    ]
    return {name: tensor.tolist() for name, tensor in tensors.items()}, figures
