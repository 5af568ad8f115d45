"""Trains what the shipped policies are: distillation from nothing, then self-play, on all three games at once.

What the two kinds of training do by default is the job, in one command:

    python -m scripts.train_shipped runs/shipped --processes 2

Stop it with Ctrl-C, call it again, and it goes on. The shipped weights came about in another way, which
checkpoints/NAME/history.md tells.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from belote_env.warmup import warm_up
from training import distill, ppo, processes
from training.run import CONFIG, prepare


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the two runs lie")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    warm_up()
    distilled, improved = args.folder / "distilled", args.folder / "improved"
    for kind, module, folder, config in (
        ("distill", distill, distilled, distill.Config()),
        ("ppo", ppo, improved, ppo.Config(start=str(distilled))),
    ):
        prepare(folder, kind, config, resume=(folder / CONFIG).exists())
        if not processes.start(module.train, (folder, config, args.device), args.processes):
            return


if __name__ == "__main__":
    main()
