"""Takes the policy of a run into checkpoints/NAME, for some of the games that it was trained on.

    python -m scripts.ship_checkpoint RUN NAME --rules belote

What the checkpoint is worth is then measured by ``scripts.measure_checkpoint``, and told by ``scripts.make_cards``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from agents import checkpoint
from belote_env.rules import Rules
from training.run import read_config


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="the folder of the run")
    parser.add_argument("name", help="of the checkpoint")
    parser.add_argument("--rules", nargs="+", required=True)
    args = parser.parse_args()
    policy = checkpoint.load(str(args.run))
    rules = [Rules.of(name) for name in args.rules]
    for one in rules:
        policy.check_plays(one, str(args.run))
    config = read_config(args.run)
    config["start"] = Path(config["start"]).name  # its place on this machine is nobody's business
    # Eleven bits of a weight are enough, and the project stays small.
    notes = {**policy.notes, "config": config}
    checkpoint.save(checkpoint.SHIPPED / args.name, policy.network, rules, notes, torch.float16)


if __name__ == "__main__":
    main()
