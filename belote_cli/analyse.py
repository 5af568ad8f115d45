"""``belote analyse``: what each decision of a deal cost, by a level's reckoning and by perfect play, and the worst."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from belote_cli.common import RECORDS, UsageError, check_at_least, records_from

if TYPE_CHECKING:
    from agents.analysis import Decision
    from agents.levels import Style
    from belote_env.game import Game
    from belote_env.rules import Rules

_DESCRIPTION = """Weigh every decision of a deal that had a choice. The level imagines deals that agree with what the
seat knew: the cost is what its own choice was worth more than the action taken, in points of score, with its 95%
interval; it is a mistake if the cost is clearly above 0. Double dummy sees all hands: what the card lost against
perfect play, in points of cards, could not always be known. --json prints for each record "rules", "dealer", "level",
"seed", "finished", "decisions" (as agents.analysis.Decision) and "totals" for "seats", by "auction" and "play"."""
_WORST = 3


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command and return its parser."""
    parser = subparsers.add_parser("analyse", help="tell what each decision of a deal cost", description=_DESCRIPTION)
    parser.add_argument("record", metavar="RECORD", help=RECORDS)
    parser.add_argument(
        "--level",
        default="crazy",
        metavar="LEVEL",
        help="who weighs: normal, hard, crazy, rollouts:N, pimc:N; crazy:4 imagines four times as much (default crazy)",
    )
    parser.add_argument("--seat", type=int, choices=range(4), help="look at the decisions of one seat only")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the imagined deals (default 0)")
    parser.add_argument("--json", action="store_true", help="print JSON, one object a record")
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the analysis of every record of the file, in order."""
    from agents.analysis import analyse
    from belote_env.errors import RecordError
    from belote_env.game import Game
    from belote_env.warmup import warm_up

    check_at_least(args, 0, "seed")
    warm_up()
    seats = range(4) if args.seat is None else (args.seat,)
    place = ""
    try:
        for number, (place, record) in enumerate(records_from(args.record)):
            game = Game.from_record(record)
            style = _style(args.level, game.rules)
            decisions = analyse(record, style, args.seed, seats)
            if args.json:
                print(json.dumps(_facts(game, args, seats, list(decisions))), flush=True)
            else:
                print("\n" * (number > 0), end="")
                _tell(game, args, seats, style, decisions)
            place = ""
    except RecordError as error:
        raise UsageError(f"{place}: {error}" if place else str(error)) from None
    return 0


def _style(level: str, rules: Rules) -> Style:
    from agents.analysis import style_for

    try:
        return style_for(level, rules)
    except ValueError as error:
        raise UsageError(f"--level: {error}") from None


def _totals(seats: Iterable[int], decisions: list[Decision]) -> Iterator[dict[str, Any]]:
    """Yield what each seat's decisions cost together, and each side's if all seats are looked at."""
    from agents.analysis import Total

    groups = [[seat] for seat in seats]
    for group in groups + ([[0, 2], [1, 3]] if len(groups) == 4 else []):
        theirs = [decision for decision in decisions if decision.seat in group]
        yield {
            "seats": group,
            "auction": Total.of(decision for decision in theirs if decision.phase == "auction"),
            "play": Total.of(decision for decision in theirs if decision.phase != "auction"),
        }


def _facts(game: Game, args: argparse.Namespace, seats: Iterable[int], decisions: list[Decision]) -> dict[str, Any]:
    """Return an analysis as JSON-ready values."""
    return {
        "rules": game.rules.to_dict(),
        "dealer": game.dealer,
        "level": args.level,
        "seed": args.seed,
        "finished": game.deal_over,
        "decisions": [
            {**asdict(decision), "exact_cost": decision.exact_cost, "mistake": decision.mistake}
            for decision in decisions
        ],
        "totals": [
            {**total, "auction": asdict(total["auction"]), "play": asdict(total["play"])}
            for total in _totals(seats, decisions)
        ],
    }


def _tell(
    game: Game, args: argparse.Namespace, seats: Iterable[int], style: Style, decisions: Iterable[Decision]
) -> None:
    """Print an analysis, each decision as soon as it is weighed."""
    by_tricks = game.rules.scoring in ("encheres", "more_tricks")
    unit = "deals" if by_tricks else "points"
    print(f"{game.rules}, dealer seat {game.dealer}; {args.level}, seed {args.seed}")
    if not style.budget.cards:
        print(f"{args.level} plays cards by rule: here it weighs them over {style.budget.calls} imagined deals")
    print(f"  {'':<17}{'done':<15}{'by the level':<15}{f'cost, {unit}':>16}{'double dummy':>14}")
    known, place = [], ""
    for decision in decisions:
        known.append(decision)
        where = _where(decision)
        choice = "" if decision.choice == decision.action else _pretty(decision.choice)
        exact = "" if decision.exact_cost is None else decision.exact_cost
        print(
            f"  {where if where != place else '':<9}{f'seat {decision.seat}':<8}{_pretty(decision.action):<15}"
            f"{choice:<15}{_cost(decision.cost, decision.margin, by_tricks) if choice else '':>16}{exact:>14}".rstrip(),
            flush=True,
        )
        place = where
    if not game.deal_over:
        print(f"The deal is not finished: seat {game.seat} to act ({game.phase})")
    if not known:
        print("Nobody had a choice")
        return
    header = f"{'choices':>9}{'mistakes':>9}{'cost':>16}"
    print(f"  {'Total':<9}{'auction':>34}{'play':>34}{'double dummy':>14}\n  {'':<9}{header}{header}")
    for total in _totals(seats, known):
        who = f"seat{'s' * (len(total['seats']) > 1)} {'+'.join(map(str, total['seats']))}"
        columns = [
            f"{one.decisions:>9}{one.mistakes:>9}{_cost(one.cost, one.margin, by_tricks):>16}"
            for one in (total["auction"], total["play"])
        ]
        print(f"  {who:<9}{''.join(columns)}{total['play'].exact_cost:>14}")
    mistakes = sorted((decision for decision in known if decision.mistake), key=lambda decision: -decision.cost)
    print("The worst mistakes" if mistakes else f"No clear mistake by {args.level}'s reckoning")
    for decision in mistakes[:_WORST]:
        print(f"  {_in_words(decision, args.level, by_tricks)}")


def _where(decision: Decision) -> str:
    return "auction" if decision.trick is None else f"trick {decision.trick}"


def _pretty(action: str) -> str:
    """Return an action with symbols for suits."""
    from belote_env.cards import pretty

    verb, _, what = action.partition(" ")
    if what and not what.endswith(("NT", "AT")):
        what = pretty(what)
    return what if verb == "play" else f"{verb} {what}".rstrip()


def _cost(cost: float, margin: float, by_tricks: bool) -> str:
    digits = 2 if by_tricks else 1
    return f"{cost:.{digits}f} ± {margin:.{digits}f}"


def _in_words(decision: Decision, level: str, by_tricks: bool) -> str:
    role = f" ({decision.role})" if decision.role else ""
    verb = "played" if decision.phase == "play" else "said"
    cost = f"{_cost(decision.cost, decision.margin, by_tricks)} {'deals' if by_tricks else 'points'}"
    said = (
        f"Seat {decision.seat}{role}, {_where(decision)}: {verb} {_pretty(decision.action)}; "
        f"{_pretty(decision.choice)} was worth {cost} more by {level}'s reckoning"
    )
    if decision.exact_values is None:
        return said
    gain = decision.exact_values[decision.choice] - decision.exact_values[decision.action]
    verdict = "agrees" if gain > 0 else "disagrees" if gain < 0 else "sees no difference"
    return f"{said}; double dummy {verdict}" + (f" ({gain:+})" if gain else "")
