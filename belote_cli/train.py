"""``belote train KIND RUN``: learn a policy; the folder of the run holds all that a resumed one needs."""

from __future__ import annotations

import argparse
import importlib
import os
from pathlib import Path
from typing import Any

from belote_cli.common import Parser, UsageError, check_at_least

KINDS = {
    "distill": "learn what each action comes to, from deals played out by rules",
    "ppo": "improve a policy by self-play",
}
"""The modules of ``training`` that are kinds of training."""

_DESCRIPTION = """Learn a policy. RUN is a folder: config.json, progress.jsonl and TensorBoard events, the state of the
run, and in policy/ the policy as it stands, which plays as net:RUN. Ctrl-C ends a run after the round that is under
way; --resume goes on with it, with the configuration that it was begun with, as if it had never been stopped. Every
process plays its own tables; with torchrun in place of --processes, on several machines too."""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "train", help="learn a policy: distillation, self-play", description=_DESCRIPTION
    )
    kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True, parser_class=_KindParser)
    for kind, what in KINDS.items():
        kinds.add_parser(kind, help=what, formatter_class=argparse.RawDescriptionHelpFormatter)
    return parser


class _KindParser(Parser):
    """Asks the module of its kind for its options only when it is needed, since that imports torch."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Add the options, then parse as ever."""
        self.add_argument("run_folder", metavar="RUN", type=Path, help="the folder of the run")
        self.add_argument("--resume", action="store_true", help="go on with the run in that folder")
        self.add_argument("--processes", type=int, default=1, metavar="N", help="that train together (default 1)")
        self.add_argument("--device", default="cpu", help="as cpu or cuda (default cpu)")
        from training.config import add_options

        module = _module(self.prog.rpartition(" ")[2])
        self.description = module.__doc__
        add_options(self, module.Config)
        return super().parse_known_args(args, namespace)


def _module(kind: str) -> Any:
    try:
        return importlib.import_module(f"training.{kind}")
    except ImportError as error:
        raise UsageError(f'belote train needs {error.name}: pip install "belote-env[train]"') from None


def run(args: argparse.Namespace) -> int:
    """Train; 130 if Ctrl-C ended it."""
    check_at_least(args, 1, "processes")
    from belote_env.warmup import warm_up
    from training import config, processes
    from training.run import prepare, read_config

    module = _module(args.kind)
    try:
        base = read_config(args.run_folder) if args.resume else None
        wanted = config.from_options(module.Config, args, base)
        if not args.resume:
            module.check(wanted)
        if os.environ.get("RANK", "0") == "0":
            prepare(args.run_folder, args.kind, wanted, args.resume)
        warm_up()
        finished = processes.start(module.train, (args.run_folder, wanted, args.device), args.processes)
    except ValueError as error:
        raise UsageError(str(error)) from None
    return 0 if finished else 130
