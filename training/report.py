"""What comparisons say, as grids of text that become tables on a terminal, in Markdown and in HTML."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from training.comparison import Comparison, Side
from training.losses import Kind, Losses
from training.rating import Rating


@dataclass(frozen=True)
class Grid:
    """A table of text.

    Attributes:
        title: what it shows.
        header: one text a column.
        rows: of as many texts; numbers are aligned to the right from the second column on.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    def to_rich(self) -> Group:
        """Return it for a terminal."""
        table = Table(box=None, padding=(0, 2, 0, 0))
        for column, name in enumerate(self.header):
            table.add_column(name, justify="right" if column else "left", no_wrap=not column)
        for row in self.rows:
            table.add_row(*map(Text, row))  # as it is: brackets are no markup
        return Group(Text(self.title, style="bold"), table)

    def to_markdown(self) -> str:
        """Return it as a Markdown table under its title."""
        lines = [self.header, ["---", *["---:"] * (len(self.header) - 1)], *self.rows]
        table = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
        return f"**{self.title}**\n\n{table}\n"

    def to_html(self) -> str:
        """Return it as a table with a caption."""
        head = "".join(f"<th>{escape(name)}</th>" for name in self.header)
        rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>\n" for row in self.rows)
        return f"<table><caption>{escape(self.title)}</caption>\n<tr>{head}</tr>\n{rows}</table>\n"


def difference(result: Comparison, sign: int = 1) -> str:
    """Return the mean difference with its 95% interval; with -1 as ``sign``, that of B - A."""
    return f"{sign * result.mean_difference:+.2f}{_spread(result.half_width)}"


def _spread(half_width: float | None) -> str:
    return "" if half_width is None else f" ± {half_width:.2f}"


def _interval(interval: tuple[float, float] | None, scale: float = 1.0) -> str:
    return "–" if interval is None else f"{scale * interval[0]:.1f} to {scale * interval[1]:.1f}"


def overview(results: Sequence[Comparison]) -> Grid:
    """Return a row for each comparison: who, what, by how much, and the contracts of both sides."""
    first = results[0].pairing
    header = ["A", "B", "rules", f"A - B, points a {first.unit}"]
    header += ["A wins %, 95% interval"] if first.match else []
    header += ["A bid/made/dbl", "B bid/made/dbl", "thrown in", f"{first.unit}{'e' * first.match}s", "per second"]
    return Grid(f"A against B: protocol {first.protocol}, seed {first.seed}", header, [_row(one) for one in results])


def _row(result: Comparison) -> list[str]:
    wins = []
    if result.win_rate is not None:
        wins = [f"{100 * result.win_rate:.1f}, {_interval(result.win_rate_ci95, 100)}"]
    return [
        *result.pairing.agents,
        str(result.pairing.rules),
        difference(result),
        *wins,
        *(f"{side.bid}/{side.made}/{side.doubled}" for side in result.sides),
        str(result.thrown_in),
        str(result.deals),
        f"{result.deals_per_second:.1f}",
    ]


def cross_table(results: Sequence[Comparison]) -> Grid:
    """Return the mean difference of each agent, a row, against each other, a column, under one rule set."""
    first = results[0].pairing
    agents = list(dict.fromkeys(agent for result in results for agent in result.pairing.agents))
    cells = {}
    for result in results:
        a, b = result.pairing.agents
        cells[a, b] = difference(result)
        cells[b, a] = difference(result, -1)
    rows = [[row, *(cells.get((row, column), "") for column in agents)] for row in agents]
    return Grid(f"{first.rules}: row - column, points a {first.unit}", ("", *agents), rows)


def grids(results: Sequence[Comparison], rated: Sequence[Sequence[Rating]] = ()) -> list[Grid]:
    """Return all there is to say.

    Args:
        results: comparisons by the same protocol.
        rated: ratings for each rule set of the results, in their order, if they were asked for.
    """
    found = [overview(results)]
    if len(results) == 1:
        found += details(results[0])
    for group, ratings in zip(by_rules(results), rated, strict=False):
        found += [cross_table(group), ladder(f"{group[0].pairing.rules}: ratings", ratings)]
    return found


def by_rules(results: Sequence[Comparison]) -> list[list[Comparison]]:
    """Return neighbours under the same rule set together."""
    return [list(group) for _, group in itertools.groupby(results, key=lambda result: result.pairing.rules)]


def ladder(title: str, rated: Sequence[Rating]) -> Grid:
    """Return ratings, best first."""
    rows = [(r.agent, f"{r.elo:.0f}", f"{r.ci95[0]:.0f} to {r.ci95[1]:.0f}", str(r.games)) for r in rated]
    return Grid(title, ("agent", "Elo", "95% interval", "games"), rows)


def details(result: Comparison) -> list[Grid]:
    """Return what the two sides of one comparison did: points and time, then contracts by denomination and value."""
    names = result.pairing.agents
    a, b = result.sides
    rows = [
        ("points when taking", *(f"{side.as_taker:.1f}" for side in (a, b))),
        ("points when defending", *(f"{side.as_defender:.1f}" for side in (a, b))),
        ("declarations won, points", *(f"{side.declared}, {side.declarations}" for side in (a, b))),
        ("decisions a second", *(f"{side.latency.per_second:.0f}" for side in (a, b))),
        ("ms a decision: median, 90%, 99%", *map(_milliseconds, (a, b))),
    ]
    if any(side.faults for side in (a, b)):
        rows.append(("faults", *(", ".join(f"{n} {what}" for what, n in sorted(s.faults.items())) for s in (a, b))))
    if result.bootstrap95 is not None:
        rows.append(("A - B, 95% by bootstrap", _interval(result.bootstrap95), ""))
    if result.until_sure is not None:
        sure = f"A - B, always-valid {100 * result.until_sure:g}%"
        rows.append((sure, _interval(result.always_valid), "sure" if result.sure else "not sure yet"))
    found = [Grid(str(result.pairing.rules), ("", *names), rows)]
    for key in ("denomination", "value"):
        by = [side.by(key) for side in (a, b)]
        kinds = sorted({kind for one in by for kind in one if kind}, key=lambda kind: (len(kind), kind))
        if kinds:
            lines = [(kind, *(_counts(one.get(kind)) for one in by)) for kind in kinds]
            found.append(Grid(f"Contracts by {key}: bid/made/doubled, average points", (key, *names), lines))
    return found


def _counts(counts: dict[str, Any] | None) -> str:
    if counts is None:
        return "–"
    return f"{counts['bid']}/{counts['made']}/{counts['doubled']}, {counts['points']:.0f}"


def _milliseconds(side: Side) -> str:
    return ", ".join(f"{1000 * seconds:.2g}" for seconds in side.latency.percentiles((0.5, 0.9, 0.99)))


def loss_grids(losses: Losses) -> list[Grid]:
    """Return what cards lost: of each side where, then in all."""
    a, b = losses.pairing.agents
    a_deal = (f"{mean:.2f}{_spread(half)}" for mean, half in (losses.a_deal(0), losses.a_deal(1)))
    mean, half = losses.difference
    row = (f"{losses.unit} lost a deal", *a_deal, f"{mean:+.2f}{_spread(half)}")
    title = f"{losses.pairing.rules}: {losses.deals} deals at two tables, seed {losses.pairing.seed}"
    return [*(_losses_of(losses, side) for side in (0, 1)), Grid(title, ("", f"A: {a}", f"B: {b}", "A - B"), [row])]


def _losses_of(losses: Losses, side: int) -> Grid:
    cards, lost = losses.cards[side], losses.lost[side]

    def mean(kinds: Sequence[Kind]) -> str:
        count = sum(cards[kind] for kind in kinds)
        return f"{sum(lost[kind] for kind in kinds) / count:.2f}" if count else "–"

    def a_deal(counter: Counter[Kind], kinds: Sequence[Kind]) -> str:
        return f"{sum(counter[kind] for kind in kinds) / (2 * losses.deals):.2f}"

    groups = {"all": list(cards)}
    for kind in sorted(cards, key=lambda kind: (str(kind.role), kind.leading), reverse=True):
        name = "leading" if kind.leading else "following"
        groups.setdefault(name if kind.role is None else f"{kind.role} {name}", []).append(kind)
    tricks = sorted({kind.trick for kind in cards})
    rows = [(str(t), *(mean([k for k in kinds if k.trick == t]) for kinds in groups.values())) for t in tricks]
    rows.append(("all", *(mean(kinds) for kinds in groups.values())))
    rows.append(("cards a deal", *(a_deal(cards, kinds) for kinds in groups.values())))
    rows.append((f"{losses.unit} a deal", *(a_deal(lost, kinds) for kinds in groups.values())))
    return Grid(f"{losses.pairing.agents[side]}: {losses.unit} lost by a card", ("trick", *groups), rows)
