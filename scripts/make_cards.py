"""Writes the model card of each shipped checkpoint, checkpoints/NAME/README.md, from what lies beside it.

    python -m scripts.make_cards

Weights and policy.json come from the training, results.json from ``python -m scripts.measure_checkpoint NAME``, and
history.md, how this very checkpoint came about, was written by hand.
"""

from __future__ import annotations

from pathlib import Path

from agents import checkpoint
from belote_env.files import write_atomically
from scripts.make_speed import table
from scripts.measure_checkpoint import RESULTS, read

CARD = """# {name}

This page is generated: `python -m scripts.make_cards` writes it.

A policy for {games}: `net:{name}`, wherever an agent is named. It bids and plays by one pass through a network, without
imagining a single deal.

| | |
|---|---|
| parameters | {parameters:,} |
| decisions learned from in the last stage | {decisions:,} |
| weights | `{fingerprint}` (sha256) |

## How it was trained

{history}
## Results

Points a deal (matches won, in matches) by which it beats others, with the 95% interval, on duplicate deals with seed 0;
`python -m scripts.measure_checkpoint {name}` plays them. In `team`, two of it play two of the other; in `table`, one of
it with a partner of the other's level plays two of the other. Times are shares of batches, on a machine that did other
work too.

{results}
"""


def main() -> None:
    for description in sorted(checkpoint.SHIPPED.glob(f"*/{checkpoint.DESCRIPTION}")):
        folder = description.parent
        write_atomically(folder / "README.md", card(folder))


def card(folder: Path) -> str:
    policy = checkpoint.load(str(folder))
    results = read(folder / RESULTS, policy.fingerprint)
    head = ["game", "against", "protocol", "difference", "played", "its ms a decision", "the other's"]
    rows = [_row(result) for result in results.values()]
    return CARD.format(
        name=folder.name,
        games=", ".join(f"`{rules}`" for rules in policy.rules),
        parameters=sum(parameter.numel() for parameter in policy.network.parameters()),
        decisions=policy.notes.get("decisions", 0),
        fingerprint=policy.fingerprint[:16],
        history=(folder / "history.md").read_text(encoding="utf-8"),
        results=table(head, rows) if results else "Not measured yet.",
    )


def _row(result: dict) -> list[str]:
    low, high = result["ci95"]
    difference = f"{result['mean_difference']:+.1f} ± {(high - low) / 2:.1f}"
    if result["match"]:
        low, high = result["win_rate_ci95"]
        difference = f"{100 * result['win_rate']:.0f}% won ({100 * low:.0f}–{100 * high:.0f}%)"
    mine, theirs = (1000 / side["decisions_per_second"] for side in result["contracts"])
    return [
        result["rules"]["preset"],
        result["agents"][1],
        result["protocol"],
        difference,
        f"{result['deals']:,} {'matches' if result['match'] else 'deals'}",
        f"{mine:.2f}",
        f"{theirs:.2f}",
    ]


if __name__ == "__main__":
    main()
