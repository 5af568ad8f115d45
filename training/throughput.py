"""How many decisions a second a training learns from, playing included."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agents import checkpoint
from agents.network import PolicyNetwork
from belote_env.rules import Rules
from training import distill, ppo, processes
from training.run import prepare, read_progress

ROUNDS = 4
"""Of each training; the first is not counted, since things are compiled and warmed up in it."""


def benchmark_training(rules: str, cores: int) -> Iterator[dict[str, Any]]:
    """Yield rows ``{"name", "unit", "value"}`` for both kinds of training of a new network of the default sizes.

    Args:
        rules: a preset.
        cores: as many processes are measured.
    """
    with TemporaryDirectory() as folder:
        start = Path(folder) / "start"
        checkpoint.save(start, PolicyNetwork(), [Rules.of(rules)])
        common: dict[str, Any] = {"rules": (rules,), "start": str(start), "rounds": ROUNDS, "evaluate_every": 0}
        for name, kind, module, config in (
            ("distillation", "distill", distill, distill.Config(tables=128, minibatches=8, **common)),
            ("self-play", "ppo", ppo, ppo.Config(tables=480, warm_up=0, **common)),
        ):
            run = Path(folder) / kind
            prepare(run, kind, config)
            before = signal.getsignal(signal.SIGINT)
            try:
                processes.start(module.train, (run, config, "cpu"), cores)
            finally:
                signal.signal(signal.SIGINT, before)
            first, *_, last = read_progress(run)
            rate = (last["step"] - first["step"]) / (last["seconds"] - first["seconds"])
            of = f"{cores} process{'es' if cores > 1 else ''}"
            yield {"name": f"{name}, {of}", "unit": "decisions/s", "value": rate}
