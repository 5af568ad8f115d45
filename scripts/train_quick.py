"""A short training for a laptop: a policy that knows nothing passes Easy, on a live curve.

    python -m scripts.train_quick [--run runs/quick] [--rounds N] [--processes 2]

Look at it while it learns:  tensorboard --logdir runs  (points/belote/easy rises above 0), or
belote curves runs/quick.  Ctrl-C stops it; the same command goes on. Afterwards the policy plays as net:runs/quick.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from belote_cli import main as belote
from training.run import CONFIG


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, default=Path("runs/quick"))
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    print(f"watch it: tensorboard --logdir {args.run.parent}, or belote curves {args.run}", flush=True)
    options = ["--processes", str(args.processes)]
    if (args.run / CONFIG).exists():
        options += ["--resume"]
    else:
        options += ["--rules", "belote", "--steps", "8", "--minibatches", "32"]
        options += ["--imagined-cards", "15", "--imagined-endings", "6"]
        options += ["--average", "0.99"]
        options += ["--rounds", str(args.rounds), "--save-every", "10"]
        options += ["--evaluate-every", str(max(1, args.rounds // 16)), "--evaluation-deals", "150"]
    code = belote(["train", "distill", str(args.run), *options])
    if code == 0:
        belote(["curves", str(args.run), "--out", str(args.run / "curves.png")])
        print(f"play against others: belote eval net:{args.run} easy normal hard")
    return code


if __name__ == "__main__":
    sys.exit(main())
