# SPDX-License-Identifier: Apache-2.0
"""The tree of causes, as people read it."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from threadmodel.cli.page import NAME_LENGTH, Section, add_more
from threadmodel.model import Model
from threadmodel.selection import ALL, Selection
from threadmodel.table import Table
from threadmodel.text import clean, count, duration

WIDTH: Final = 80
MARGIN: Final = 2
# Two numbers and what is between them.
NUMBERS: Final = 20
DEEPEST: Final = 30
NAMED: Final = ("cause", "name", "class", "method")
# A branch that is worth a line beside the verdict, and so many of them.
TALL: Final = 0.1
BRANCHES: Final = 3
# With fewer requests or tasks the time of one may be most of it.
ENOUGH_UNITS: Final = 20
MOST: Final = 0.5

Key = tuple[Any, ...]


@dataclass(slots=True)
class Cause:
    """A row with its children, in their order."""

    row: dict[str, Any]
    children: "dict[Key, Cause]" = field(default_factory=dict)

    @property
    def time_ns(self) -> int:
        """Return its time."""
        return int(self.row["time_ns"])


def tree_of(rows: Table) -> Cause | None:
    """Build the tree of a table of causes; None: it has no rows."""
    known: dict[int, Cause] = {}
    for row in rows:
        node = known[row["id"]] = Cause(row)
        if row["parent"] is not None:
            key = tuple(row[name] for name in NAMED)
            known[row["parent"]].children[key] = node
    return next(iter(known.values()), None)


def of_units(root: Cause) -> bool:
    """Tell whether the time is that of units and not of threads."""
    return bool(root.row["cause"] == "units")


def units_of(root: Cause) -> int:
    """Return by how many the time is divided."""
    return max(int(root.row["count"]), 1)


def _line(section: Section, numbers: Sequence[str], depth: int, text: str) -> None:
    left = "".join(number.rjust(NUMBERS // 2) for number in numbers)
    left += "  " + " " * min(2 * depth, DEEPEST)
    lines = textwrap.wrap(
        clean(text, NAME_LENGTH),
        WIDTH - MARGIN,
        initial_indent=left,
        subsequent_indent=" " * (len(left) + 2),
        break_long_words=True,
    )
    for line in lines:
        section.line(line)


def tree(rows: Table, min_share: float, deepest: int) -> Section:
    """Show a tree, a line a cause.

    Args:
        rows: the answer ``causes``
        min_share: of the root, that a line has at least
        deepest: how many levels
    """
    root = tree_of(rows)
    if root is None:
        section = Section("Where the time went")
        section.line("the run has no time that could be divided")
        return section
    units = units_of(root)
    whose = f"{count(units, 'request or task', 'requests or tasks')}"
    if not of_units(root):
        whose = count(units, "thread")
    section = Section(f"Where the time of {whose} went")
    mean = duration(root.time_ns // units)
    section.line(f"{duration(root.time_ns)} in all, {mean} each", "dim")
    _line(section, ("share", "each"), 0, "cause")
    hidden = _lines(section, root, units, min_share, deepest)
    if hidden:
        more = f"{count(hidden, 'smaller cause')} not shown: --min-share 0"
        section.line(more, "dim")
    return section


def _lines(
    section: Section, root: Cause, units: int, min_share: float, deepest: int
) -> int:
    hidden = 0
    # The root says what the heading says.
    stack = [(child, 0) for child in reversed(root.children.values())]
    while stack:
        node, depth = stack.pop()
        if node.row["share"] < min_share or depth >= deepest:
            hidden += 1
            continue
        share = f"{node.row['share']:.1%}"
        each = duration(node.time_ns // units)
        _line(section, (share, each), depth, node.row["text"])
        stack += [(child, depth + 1) for child in reversed(node.children.values())]
    return hidden


@dataclass(frozen=True, slots=True)
class Change:
    """A cause of two runs: its time for each unit, before and after."""

    depth: int
    text: str
    before_ns: float
    after_ns: float

    def row(self) -> dict[str, Any]:
        """Return it as a row."""
        return {
            "depth": self.depth,
            "text": self.text,
            "before_ns": round(self.before_ns),
            "after_ns": round(self.after_ns),
            "change_ns": round(self.after_ns - self.before_ns),
        }


def changes(before: Table, after: Table) -> list[Change]:
    """Match the causes of two runs, those that changed most first at each level."""
    roots = tree_of(before), tree_of(after)
    units = [units_of(root) if root else 1 for root in roots]
    found: list[Change] = []

    def walk(nodes: Sequence[Cause | None], depth: int) -> Iterator[Change]:
        each = [
            node.time_ns / number if node else 0.0
            for node, number in zip(nodes, units, strict=True)
        ]
        text = next(node.row["text"] for node in nodes if node)
        yield Change(depth, text, *each)
        keys = dict.fromkeys(key for node in nodes if node for key in node.children)
        pairs = [
            [node.children.get(key) if node else None for node in nodes] for key in keys
        ]

        def size(pair: Sequence[Cause | None]) -> float:
            left, right = (
                node.time_ns / number if node else 0.0
                for node, number in zip(pair, units, strict=True)
            )
            return -abs(right - left)

        for pair in sorted(pairs, key=size):
            yield from walk(pair, depth + 1)

    if any(roots):
        found += walk(roots, 0)
    return found


def difference(found: Sequence[Change], min_share: float, deepest: int) -> Section:
    """Show what changed, a line a cause."""
    section = Section("What changed, for each request or task")
    whole = max((abs(it.before_ns) + abs(it.after_ns) for it in found), default=0.0)
    section.line("         before     after    change  cause")
    hidden = 0
    for it in found:
        change = it.after_ns - it.before_ns
        if whole == 0 or abs(change) < min_share * whole or it.depth > deepest:
            hidden += 1
            continue
        sign = "-" if change < 0 else "+"
        numbers = (
            duration(round(it.before_ns)),
            duration(round(it.after_ns)),
            sign + duration(round(abs(change))),
        )
        _line(section, numbers, it.depth, it.text)
    add_more(section, hidden)
    return section


def branches(model: Model, part: Selection = ALL) -> list[str]:
    """Return lines on what most of a request's time went to; none without requests."""
    if not any(row["count"] >= ENOUGH_UNITS for row in model.unit_kinds(part)):
        return []
    root = tree_of(model.causes(main=True, selection=part))
    if root is None or not of_units(root) or units_of(root) < ENOUGH_UNITS:
        return []
    kinds = list(root.children.values())
    if len(kinds) != 1:
        return []
    tall = [it for it in kinds[0].children.values() if it.row["share"] >= TALL]
    return [_branch(it) for it in tall[:BRANCHES]]


def _branch(node: Cause) -> str:
    """Say in a line how a branch begins, and to what most of it comes."""
    words = [f"{node.row['share']:.0%} of the time of requests: {node.row['text']}"]
    at = node
    last: list[str] = []
    while at.children:
        largest = next(iter(at.children.values()))
        if largest.time_ns < MOST * node.time_ns:
            break
        last.append(largest.row["text"])
        at = largest
    if last:
        words.append(last[0])
    if len(last) > 1:
        words.append(f"{last[-1]} ({at.row['share']:.0%})")
    return ", ".join(words)
