"""What the scripts here do alike: their options, and the score before and after, on duplicate deals."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from torch import nn

from belote_env.rules import Rules
from scripts.integrations.policy import MODEL, save
from training.arena import compare
from training.report import difference

AGENT = "scripts.integrations.policy:agent"


def parser(description: str, name: str, steps: int) -> argparse.ArgumentParser:
    """Return a parser of the options that every script has: ``rules``, ``steps``, ``seed``, ``deals``, ``out``.

    Args:
        description: of the script.
        name: of the script, and of its folder under ``runs/``.
        steps: decisions to learn from, by default.
    """
    options = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--rules", default="coinche", choices=Rules.presets(), metavar="PRESET", help="the game (default coinche)"
    )
    options.add_argument("--steps", type=int, default=steps, help=f"decisions to learn from (default {steps:,})")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--deals", type=int, default=300, help="duplicate deals of each measurement (default 300)")
    options.add_argument("--out", type=Path, default=Path("runs") / name, help=f"folder (default runs/{name})")
    return options


def _cpu_seconds() -> float:
    """Return the processor time of this process and of those it started that have ended."""
    return sum(os.times()[:4])


def score(when: str, network: nn.Module, args: argparse.Namespace) -> None:
    """Save the policy in the folder of the run, play it against Random and Easy, and print the differences.

    Args:
        when: ``"before"`` or ``"after"``.
        network: its linear layers are the policy.
        args: the options.
    """
    if when == "after":
        print(f"learnt from {args.steps:,} decisions in {(_cpu_seconds() - args.start) / 60:.1f} minutes of a core")
    path = args.out / "policy.safetensors"
    save(network, path)
    os.environ[MODEL] = str(path)
    for opponent in ("random", "easy"):
        result = compare((AGENT, opponent), Rules.preset(args.rules), args.deals, seed=1)
        print(f"{when}: {difference(result)} points a deal against {opponent}", flush=True)
    if when == "after":
        print(f"{MODEL}={path} belote eval {AGENT} easy --rules {args.rules}")
    args.start = _cpu_seconds()
