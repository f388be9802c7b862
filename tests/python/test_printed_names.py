# SPDX-License-Identifier: Apache-2.0
"""Each printed name can be typed, and stands for the thing that it was printed for.

Tables cut names to the width of the terminal, cards leave out packages, a name may hold
characters that are unsafe on a terminal, and a thread may have no name.
"""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import runs
import threadmodel
from conftest import fill_hostile
from threadmodel import cli
from threadmodel.cli import grid, names
from threadmodel.model import Model
from threadmodel.text import clean

ROOT = Path(__file__).resolve().parents[2]
RECORDINGS = sorted(
    str(path.relative_to(ROOT))
    for pattern in ("*/*.tmt", "*/*.trace", "*/dump-1.txt")
    for path in ROOT.glob(f"docs/examples/{pattern}")
)
COMMANDS: list[list[str]] = [
    ["report", "--all"],
    ["findings"],
    ["threads"],
    ["timeline"],
    ["units"],
    ["units", "--parts"],
    ["path"],
    ["path", "--by", "thread"],
    ["path", "--by", "method"],
    ["whatif"],
    *(["stats", "--by", key] for key in ("thread", "class", "caller", "object")),
]
# Titles of columns, by the kind of their names.
OF: dict[str, str] = {
    "thread": "thread",
    "on": "thread",
    "owner": "thread",
    "class": "class",
    "method": "method",
    "called from": "method",
    "caller": "method",
    "object": "object",
    "kind": "kind",
}
# Texts that stand for a missing name.
NONE = {"", "-", "?", "any", "unknown", "on no known thread"}
Resolve = Callable[[str], Any]


def resolvers(model: Model) -> dict[str, Resolve]:
    """Return what the options do with a name: those of each kind go by one function."""
    kinds = [row["kind"] for row in model.unit_kinds() if row["kind"]]
    return {
        "thread": lambda name: names.thread_ids(model, [name]),
        "class": lambda name: names.classes(model, [name]),
        "method": lambda name: names.known_method(model, name),
        "object": lambda name: names.known_object(model, name),
        "kind": lambda name: names.one(name, kinds, "kind"),
    }


def printed(
    run: str, command: list[str], columns: int, monkeypatch: pytest.MonkeyPatch
) -> set[tuple[str, str, str]]:
    """Return the names in the tables of a command: title, as it was, as printed."""
    seen: set[tuple[str, str, str]] = set()
    line = grid.Grid._line

    def noted(self: grid.Grid, cells: Any, widths: Any, style: str = "") -> Any:
        if not style:
            for column, cell, width in zip(self.columns, cells, widths, strict=True):
                if column.name:
                    seen.add((column.title, cell, grid.cut_front(cell, width)))
        return line(self, cells, widths, style)

    monkeypatch.setattr(grid.Grid, "_line", noted)
    name, *more = command
    # Commands end by it at a reader that goes away; other tests of this process do not.
    before = signal.getsignal(signal.SIGPIPE)
    try:
        done = CliRunner().invoke(
            cli.cli,
            [name, str(ROOT / run), *more],
            env={"COLUMNS": str(columns), "PAGER": "cat"},
        )
    finally:
        signal.signal(signal.SIGPIPE, before)
    assert done.exit_code in (0, 2, 3), done.output
    return seen


@pytest.mark.parametrize("columns", [80, 140])
@pytest.mark.parametrize("run", RECORDINGS, ids=str)
def test_each_name_of_a_table_is_taken_as_it_was_printed(
    run: str, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve = resolvers(threadmodel.open(ROOT / run))
    refused = []
    for command in COMMANDS:
        for title, whole, shown in printed(run, command, columns, monkeypatch):
            if title not in OF or whole in NONE:
                continue
            try:
                meant, found = (resolve[OF[title]](name) for name in (whole, shown))
            except threadmodel.NotFoundError as failure:
                # Two names may be equal when cut; then the message has both.
                if "fits more than one" not in str(failure):
                    refused.append((command, title, shown, str(failure)))
                continue
            if isinstance(meant, list):
                if not meant or not set(meant) <= set(found):
                    refused.append((command, title, shown, f"{found}"))
            elif meant != found:
                refused.append((command, title, shown, f"{found}"))
    assert refused == []


def short_forms(name: str) -> Iterator[str]:
    """Return a name without its first packages, the longest first."""
    shown = clean(name)
    yield shown
    while "." in shown and shown[:1].islower():
        _, _, shown = shown.partition(".")
        yield shown


@pytest.mark.parametrize("run", RECORDINGS, ids=str)
def test_each_name_of_a_card_or_of_the_tree_is_taken(run: str) -> None:
    model = threadmodel.open(ROOT / run)
    resolve = resolvers(model)
    checked = 0
    for table, text in ((model.findings(), "text"), (model.causes(main=True), "text")):
        for row in table:
            said = f"{row.get('title', '')} {row[text] or ''}"
            for column in ("class", "method", "thread"):
                name = row[column]
                shown = next((it for it in short_forms(name or "") if it in said), "")
                if not name or not shown:
                    continue
                try:
                    found = resolve[column](shown)
                except threadmodel.NotFoundError as failure:
                    # Of two packages, a card names either so; the message names both.
                    assert "fits more than one" in str(failure)
                    assert name in str(failure)
                    continue
                if column == "thread":
                    assert row["thread_id"] in found, shown
                else:
                    assert found == name or name in found, shown
                checked += 1
    if len(model.findings()) > 2:
        assert checked


def test_names_that_no_terminal_should_get_are_taken_as_they_are_shown() -> None:
    model = Model()
    fill_hostile(model)
    resolve = resolvers(model)
    for row in model.threads():
        for width in (8, 20, 1000):
            shown = grid.cut_front(clean(row["name"] or f"#{row['thread_id']}"), width)
            assert row["thread_id"] in resolve["thread"](shown), shown
    for column in ("class", "method"):
        for name in filter(None, model.callers()[column]):
            found = resolve[column](clean(name))
            assert found == name or name in found


def test_a_thread_without_a_name_is_taken_as_it_is_printed() -> None:
    model = Model()
    runs.fill(model)
    for shown in (f"#{runs.WORKER}", f"thread {runs.WORKER}"):
        assert names.thread_ids(model, [shown]) == [runs.WORKER]
        assert names.thread_id(model, shown) == runs.WORKER


def test_a_name_that_is_printed_stands_for_itself_and_not_for_longer_ones() -> None:
    known = ["app.Pool.borrow", "app.Pool.borrowAll", "app.web.Pool.borrow"]
    assert names.fitting("Pool.borrow", known, "method") == [known[0], known[2]]
    assert names.fitting("web.Pool.borrow", known, "method") == [known[2]]
    assert names.fitting("…ool.borrowAll", known, "method") == [known[1]]
    assert names.fitting("(*account).move", ["main.(*account).move"], "method")
