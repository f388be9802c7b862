# SPDX-License-Identifier: Apache-2.0
"""``threadmodel mcp``: recorded runs for a program that speaks the Model Context
Protocol, such as an assistant that looks for what made a program slow."""

import sys
import threading
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, Literal

import click

import threadmodel
from threadmodel import errors, tables
from threadmodel.calm import not_looked_for
from threadmodel.cli import mcp_stdio, names, ranges, sealed_sql
from threadmodel.cli.files import INPUT, FileCommand
from threadmodel.cli.mcp_answer import (
    Row,
    answer,
    named,
    own_caveats,
    table_answer,
)
from threadmodel.cli.mcp_server import server
from threadmodel.cli.messages import say
from threadmodel.errors import DamagedTraceWarning
from threadmodel.evidence import rows_of_finding
from threadmodel.judgement import judge, nothing_in
from threadmodel.model import Model
from threadmodel.selection import ALL, Selection
from threadmodel.victim import first_to_explain, longest_wait

SQL_SECONDS: Final = 20.0
#: Memory and time of a statement, besides the tables that it reads.
SQL_BYTES: Final = 1 << 30
#: Smaller shares of the tree of causes are left out of an answer.
LEAST_SHARE: Final = 0.01


def _verdict(model: Model) -> Row:
    row = judge(model)
    return {
        name: row[name]
        for name in ("kind", "title", "text", "advice", "examined", "remedy")
        if row[name] is not None
    }


class Runs:
    """The files of the command line, each opened when it is first asked about."""

    def __init__(self, files: Iterable[str]) -> None:
        """Remember the names; nothing is opened yet."""
        self._files = tuple(files)
        self._models: dict[int, Model] = {}
        self._lock = threading.Lock()

    def model(self, name: str | int | None) -> Model:
        """Return the model of a file, by its name or its number from 1 on."""
        run = self._number(name)
        with self._lock, warnings.catch_warnings():
            warnings.simplefilter("ignore", DamagedTraceWarning)
            if run not in self._models:
                model = threadmodel.open(self._files[run - 1])
                missing = nothing_in(model)
                if missing is not None:
                    raise errors.FormatError(f"{self._name(run)}: {missing}")
                self._models[run] = model
            return self._models[run]

    def _name(self, run: int) -> str | int:
        """Return the name of a run in answers: its file, or its number if ambiguous."""
        short = [Path(file).name for file in self._files]
        name = short[run - 1]
        return name if short.count(name) == 1 and not name.isdecimal() else run

    def _number(self, name: str | int | None) -> int:
        count = len(self._files)
        if name is None:
            if count > 1:
                known = ", ".join(str(self._name(run)) for run in range(1, count + 1))
                raise errors.InvalidArgumentError(f"which run? {known:.400}")
            return 1
        if isinstance(name, int) or name.isdecimal():
            if len(str(name)) < 10 and 1 <= int(name) <= count:
                return int(name)
            raise errors.InvalidArgumentError(
                f"no run {name!s:.20}: there are 1 to {count}"
            )
        by_name = {file: at for at, file in enumerate(self._files, 1)}
        if name in by_name:
            return by_name[name]
        short = [Path(file).name for file in self._files]
        chosen = names.one(name, short, "run")
        if short.count(chosen) > 1:
            raise errors.InvalidArgumentError(
                f"{short.count(chosen)} files are called {chosen!r:.100}: give a number"
            )
        return short.index(chosen) + 1

    def runs(self) -> str:
        """List the recorded runs: the name of each, its program, length, verdict and
        caveats; or why a file cannot be read. Other tools take the name, or a part."""
        numbers = range(1, len(self._files) + 1)
        return answer(map(self._facts, numbers), len(self._files))

    def _facts(self, run: int) -> Row:
        named = {"run": self._name(run)}
        try:
            model = self.model(run)
        except (errors.ThreadmodelError, OSError) as failure:
            return {**named, "error": str(failure)}
        return {
            **named,
            "program": model.run.command,
            "length_ns": model.length_ns,
            "threads": len(model.threads()),
            "events": model.event_count,
            "findings": len(model.findings()),
            "verdict": _verdict(model),
            "damage": model.damage,
            "caveats": list(model.caveats)[:3],
        }

    def why(
        self,
        run: str | int | None = None,
        kind: str | None = None,
        slowest: bool = False,
        from_ns: int | None = None,
        to_ns: int | None = None,
        skip_start: bool = False,
    ) -> str:
        """Divide the time of requests by cause, as a tree; without them, the time of
        threads. A wait is divided among what those that held the lock, or ended the
        wait, did meanwhile. The children of a row, by `parent`, add up to it; what is
        below 1 % is left out. `kind`: only such requests. `slowest`: only the slowest
        hundredth. `run` is a part of a file's name, needed where there are several."""
        model = self.model(run)
        if kind is not None:
            known = [row["kind"] for row in model.unit_kinds() if row["kind"]]
            kind = names.one(kind, known, "kind of request or task")
        part = _part(model, from_ns, to_ns, skip_start)
        tree = model.causes(
            part, kind=kind, slowest=slowest, main=kind is None, depth=12
        )
        shown = ("id", "parent", "text", "time_ns", "share", "count", "provenance")
        rows = [
            {name: row[name] for name in shown if row[name] is not None}
            for row in tree
            if row["share"] >= LEAST_SHARE
        ]
        return answer(rows, len(rows), **own_caveats(model, tree))

    def findings(
        self,
        run: str | int | None = None,
        from_ns: int | None = None,
        to_ns: int | None = None,
        skip_start: bool = False,
    ) -> str:
        """List what is worth a look, the greatest impact first. `evidence_id` names a
        finding for `evidence`; `impact_ns` is what threads lost by it. The data does
        not support kinds in `not_looked_for`. A part of the run has no evidence_id;
        `caveats` states what is then not examined."""
        model = self.model(run)
        name = self._name(self._number(run))
        part = _part(model, from_ns, to_ns, skip_start)
        found = model.findings(part)
        shown = (
            *("kind", "title", "impact_ns", "suspected", "minor", "waits", "holds"),
            *("gain", "advice", "caveat"),
        )
        rows = [
            {
                **({"evidence_id": f"{name}:{row['rank']}"} if part == ALL else {}),
                **{key: row[key] for key in shown if row[key] not in (None, False)},
            }
            for row in found
        ]
        missing = not_looked_for(model)
        more = {"not_looked_for": missing, **own_caveats(model, found)}
        return answer(rows, len(rows), **more)

    def evidence(self, evidence_id: str) -> str:
        """List the rows of a table that a finding rests on, by its evidence_id."""
        run, _, rank = evidence_id.rpartition(":")
        if not (run and rank.isdecimal() and len(rank) < 10):
            raise errors.InvalidArgumentError(f"no evidence_id: {evidence_id!r:.100}")
        model = self.model(run)
        for row in model.findings():
            if row["rank"] == int(rank):
                rows = rows_of_finding(model, row)
                return answer(
                    named(model, rows),
                    len(rows),
                    table=row["evidence_table"],
                    where=row["evidence_where"],
                )
        raise errors.InvalidArgumentError(f"run {run} has no finding {rank}")

    def explain(
        self,
        run: str | int | None = None,
        thread: str | None = None,
        at_ns: int | None = None,
        from_ns: int | None = None,
        to_ns: int | None = None,
        skip_start: bool = False,
    ) -> str:
        """Say why a thread did not run at an instant, down to the root cause. `thread`
        is a name, or a part of one. Without it: the longest wait of the first finding,
        which `finding` then names; of a part of the run, that of the part."""
        model = self.model(run)
        part = _part(model, from_ns, to_ns, skip_start)
        if part != ALL and at_ns is not None:
            raise errors.InvalidArgumentError("at_ns and a part of the run")
        wanted = _thread(model, thread)
        if wanted is None and at_ns is None:
            first = first_to_explain(model, part)
            if first is not None:
                finding, waits, middle_ns = first
                steps = model.explain(thread=waits, at_ns=middle_ns)
                return table_answer(model, steps, finding=finding["title"])
        if part != ALL:
            longest = longest_wait(model, wanted, part)
            if longest is None:
                raise errors.NotFoundError("no thread was blocked in this part")
            wanted, at_ns = longest
        return table_answer(model, model.explain(thread=wanted, at_ns=at_ns))

    def path(
        self,
        run: str | int | None = None,
        thread: str | None = None,
        from_ns: int | None = None,
        to_ns: int | None = None,
        skip_start: bool = False,
    ) -> str:
        """List the critical path, summed up by thread, method and state: what decided
        when the run, or this thread, ended."""
        model = self.model(run)
        part = _part(model, from_ns, to_ns, skip_start)
        summed = model.path_rollup(
            ("thread", "method", "state"),
            thread=_thread(model, thread),
            from_ns=part.start_ns,
            to_ns=tables.last_ns(model, part),
        )
        return table_answer(model, summed)

    def whatif(
        self,
        run: str | int | None = None,
        class_name: str | None = None,
        method: str | None = None,
        endpoint: str | None = None,
        change: Literal[
            "holds", "method", "uses", "permits", "io", "processors"
        ] = "holds",
        factor: float = 0.5,
        permits: int = 1,
        from_ns: int | None = None,
        to_ns: int | None = None,
        skip_start: bool = False,
    ) -> str:
        """Predict the run with one change, and a service's requests a second. `holds`:
        locks of the class, or acquired in the method, are held for `factor` of the
        time. `method`: sleeps, I/O and running in the method take `factor` of it.
        `uses`: so do uses of what threads wait for in the method. `io`: so does I/O
        with the endpoint. `permits`: there are so many more of those, such as
        connections. `processors`: so many more of these. Names may be parts. Without a
        name: what gains most. Of a part of the run, only what begins in it changes."""
        model = self.model(run)
        window = _part(model, from_ns, to_ns, skip_start).window
        if endpoint is not None:
            change = "io"
        is_named = change == "processors" or endpoint is not None
        if class_name is None and method is None and not is_named:
            if change != "holds":
                raise errors.InvalidArgumentError(f"{change} of what? Name a method")
            return table_answer(model, model.whatif_rank(factor=factor, window=window))
        return table_answer(
            model,
            model.whatif(
                names.known_class(model, class_name),
                method=names.known_method(model, method, change),
                object=names.known_object(model, endpoint),
                change=change,
                factor=factor,
                permits=permits,
                window=window,
            ),
        )

    def sql(self, statement: str, run: str | int | None = None) -> str:
        """Run one SQL statement (DuckDB) over the tables of a run; `show tables` lists
        these, `describe threads` the columns of one."""
        return sealed_sql.ask(self.model(run), statement, SQL_SECONDS, SQL_BYTES)

    def questions(self) -> tuple[Callable[..., str], ...]:
        """Return the server with its tools."""
        return (
            self.runs,
            self.why,
            self.findings,
            self.evidence,
            self.explain,
            self.path,
            self.whatif,
            self.sql,
        )


def _part(
    model: Model, from_ns: int | None, to_ns: int | None, skip_start: bool
) -> Selection:
    """Return the part of a run that these arguments choose."""
    try:
        window = ranges.window(model, from_ns, to_ns, skip_start)
    except click.UsageError as failure:
        raise errors.InvalidArgumentError(failure.message) from None
    return Selection(window=window)


def _thread(model: Model, name: str | None) -> int | None:
    if name is not None and name.isdecimal():
        name = f"#{name}"
    return names.thread_id(model, name)


@click.command(cls=FileCommand, short_help="Answer an assistant's questions (MCP).")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=INPUT)
def mcp(files: tuple[str, ...]) -> None:
    """Serve the runs in FILE... to a program that speaks the Model Context Protocol.

    It is spoken over stdin and stdout. There are eight tools: runs, why, findings,
    evidence, explain, path, whatif, sql. Only these files are opened, each answer is
    shorter than 8 KB, and nothing is written. Needs pip install 'threadmodel[mcp]'.

    \b
    threadmodel mcp before.tmt after.tmt
    """
    if "-" in files:
        raise click.UsageError("stdin is for the protocol: name files")
    made = server(Runs(files).questions())
    say(f"{len(files)} file{'s' if len(files) > 1 else ''}, MCP on stdin and stdout")
    sys.stdout.flush()
    mcp_stdio.run(made)
