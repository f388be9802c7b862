# SPDX-License-Identifier: Apache-2.0
"""The model: events in, the story of every thread and monitor out."""

import html
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from threadmodel import errors, page, sql
from threadmodel._library import check, ffi, lib, options
from threadmodel.evidence import rows_of
from threadmodel.exports import Exports
from threadmodel.lanes import Timeline
from threadmodel.locks import LockQuestions
from threadmodel.path import PathQuestions
from threadmodel.plots import Plots
from threadmodel.run import Policy, Run, from_struct
from threadmodel.selection import MAX_INT64, Selection, Window, whole
from threadmodel.sink import MAX_INT32, Sink
from threadmodel.statistics import StatisticsQuestions
from threadmodel.table import Table, Target, answer
from threadmodel.text import clean, count, duration


class Model(StatisticsQuestions, LockQuestions, PathQuestions, Exports, Sink):
    """What the threads of one run did to one another.

    ``threadmodel.open(path)`` makes one of a file; those who bring their own events
    make an empty one and fill it as a :class:`~threadmodel.sink.Sink`. It may be asked
    between any two events. Times in answers are nanoseconds since the run began.

    Questions that take a selection take these keywords:

    * ``threads``: ids of threads (column ``thread_id``), or names, which stand for all
      threads that have them
    * ``classes``: names of the classes of the objects that threads waited for
    * ``window``: a pair of times in ns since the run began, the second not included;
      None in either place leaves that side open

    They raise NotFoundError, a LookupError, for a thread or class that the run does
    not have, and InvalidArgumentError, a ValueError, for values that cannot be, such
    as a window that is empty or begins after the run's end. Of a run without events
    every answer is empty.

    Attributes:
        damage: what is missing of a damaged file, in one line; None: nothing
    """

    def __init__(
        self, *, memory_limit_bytes: int = 0, policy: int = Policy.UNKNOWN
    ) -> None:
        """Make an empty model.

        Args:
            memory_limit_bytes: fold old intervals into sums beyond this; 0: no limit
            policy: a number of Policy, in place of what the producer says
        """
        super().__init__()
        out = ffi.new("tm_model **")
        choices = options(
            "tm_model_options",
            memory_limit_bytes=whole(memory_limit_bytes, "memory limit", 2**63 - 1),
            policy=whole(policy, "policy", MAX_INT32),
        )
        check(lib.tm_model_new(out, choices))
        self._model = ffi.gc(out[0], lib.tm_model_free)
        self.damage: str | None = None

    def _sink(self) -> Any:
        return lib.tm_model_sink(self._model)

    def _ask(self, question: Any, *arguments: Any) -> Table:
        with self._lock:
            return answer(question, self._model, *arguments)

    def _select(
        self,
        threads: Iterable[int | str] | None,
        classes: Iterable[str] | None,
        window: Window | None,
    ) -> Selection:
        if threads is not None:
            threads = self._thread_ids(threads)
        return Selection(threads, classes, window)

    def _thread_ids(self, threads: Iterable[int | str]) -> list[int]:
        wanted = [threads] if isinstance(threads, (int, str)) else list(threads)
        if not any(isinstance(thread, str) for thread in wanted):
            return [thread for thread in wanted if not isinstance(thread, str)]
        if not self.event_count:
            return []
        table = self._ask(lib.tm_statistics_threads, ffi.NULL)
        by_name: dict[Any, list[Any]] = {}
        for id_, name in zip(table["thread_id"], table["name"], strict=True):
            by_name.setdefault(name, []).append(id_)
        found: list[int] = []
        for thread in wanted:
            if not isinstance(thread, str):
                found.append(thread)
            elif thread in by_name:
                found += by_name[thread]
            else:
                raise errors.NotFoundError(f"no thread has the name {thread!r:.200}")
        return found

    @property
    def run(self) -> Run:
        """What is known of the run and of who reported it."""
        with self._lock:
            return from_struct(lib.tm_model_run(self._model))

    @property
    def length_ns(self) -> int:
        """From the run's beginning to its last event, in ns."""
        with self._lock:
            return int(lib.tm_model_length_ns(self._model))

    @property
    def event_count(self) -> int:
        """How many events were taken."""
        with self._lock:
            return int(lib.tm_model_event_count(self._model))

    @property
    def memory_bytes(self) -> int:
        """The bytes that the model holds."""
        with self._lock:
            return int(lib.tm_model_memory_bytes(self._model))

    @property
    def limits(self) -> tuple[str, ...]:
        """Sentences on what the data cannot show."""
        return tuple(self._ask(lib.tm_model_limits)["limit"])

    def threads(
        self,
        *,
        threads: Iterable[int | str] | None = None,
        classes: Iterable[str] | None = None,
        window: Window | None = None,
    ) -> Table:
        """List the threads, one a row, in the order of first sight.

        Columns: thread_id, name, group, virtual, daemon, state (at the end), start_ns,
        end_ns; for each of blocked, waiting, reentering, joining, sleeping, parked:
        ``_count`` and ``_total_ns``.
        """
        selection = self._select(threads, classes, window)
        return self._ask(lib.tm_statistics_threads, selection.struct)

    def timeline(
        self,
        *,
        threads: Iterable[int | str] | None = None,
        classes: Iterable[str] | None = None,
        window: Window | None = None,
    ) -> Timeline:
        """List what each thread was doing when, thread by thread, by rising time.

        Columns: thread_id, thread, start_ns, end_ns, state, object, class, method,
        source, line, peer_id, peer, provenance, open, stack (for :meth:`stacks`).
        In a notebook it is shown as lanes, where anywidget is installed.
        """
        chosen: dict[str, Any] = {
            "threads": None if threads is None else self._thread_ids(threads),
            "classes": [classes] if isinstance(classes, str) else classes,
            "window": window,
        }
        if chosen["classes"] is not None:
            chosen["classes"] = list(chosen["classes"])
        selection = self._select(**chosen)
        out = ffi.new("tm_table **")
        with self._lock:
            check(lib.tm_timeline_list(out, self._model, selection.struct))
        return Timeline(out[0], self, chosen)

    def tiles(
        self,
        tile_ns: int,
        *,
        threads: Iterable[int | str] | None = None,
        classes: Iterable[str] | None = None,
        window: Window | None = None,
    ) -> Table:
        """List the timeline with less detail: short neighbours are merged.

        Columns: thread_id, thread, start_ns, end_ns, intervals (how many the row stands
        for), state (that took most of it), for each state ``<state>_ns``; and, None
        where ``intervals`` is not 1, object, class, method, source, line, peer_id,
        peer, provenance, open, stack, unsplit, sampled.

        Args:
            tile_ns: intervals of at least this length are kept as they are, and merged
                ones end when they are so long; 0: all are kept
            threads: see the class
            classes: see the class
            window: see the class
        """
        selection = self._select(threads, classes, window)
        length = whole(tile_ns, "tile_ns", MAX_INT64)
        return self._ask(lib.tm_timeline_tiles, selection.struct, length)

    def tile_ns(
        self,
        rows: int,
        *,
        threads: Iterable[int | str] | None = None,
        classes: Iterable[str] | None = None,
        window: Window | None = None,
    ) -> int:
        """Return the least ``tile_ns``, 0 or a power of two, at which tiles fit.

        Args:
            rows: that there may be; a thread has one at least
            threads: see the class
            classes: see the class
            window: see the class
        """
        selection = self._select(threads, classes, window)
        out = ffi.new("int64_t *")
        limit = whole(rows, "rows", MAX_INT64)
        with self._lock:
            check(lib.tm_timeline_tile_ns(out, self._model, selection.struct, limit))
        return int(out[0])

    def interactions(
        self,
        *,
        threads: Iterable[int | str] | None = None,
        classes: Iterable[str] | None = None,
        window: Window | None = None,
    ) -> Table:
        """List what threads did that let others go on, by time.

        Columns: kind, time_ns, woken_ns, from_thread_id, from_thread, to_thread_id,
        to_thread, object, class, from_method, to_method, provenance, effect,
        candidates, group.
        """
        selection = self._select(threads, classes, window)
        return self._ask(lib.tm_interaction_list, selection.struct)

    def context(
        self,
        *,
        threads: Iterable[int | str] | None = None,
        classes: Iterable[str] | None = None,
        window: Window | None = None,
    ) -> Table:
        """List what went on beside the threads' states, in the order of its ends.

        Columns: kind (gc_pause, pinned, submit_failed, inflated, cpu_sample), start_ns,
        end_ns, thread_id, thread (null: all threads), object, class, method, source,
        line, stack, cause (of an inflation).
        """
        selection = self._select(threads, classes, window)
        return self._ask(lib.tm_model_context, selection.struct)

    def context_totals(self) -> Table:
        """Sum the same up by kind, for the whole run.

        Columns: kind, count, total_ns, max_ns, share (of the run's length).
        """
        return self._ask(lib.tm_model_context_totals)

    def evidence(self, finding: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the rows that a finding rests on; none where it names none.

        Args:
            finding: a row of :meth:`findings`; its column ``evidence`` names the table
        """
        questions: dict[str, Callable[[], Table]] = {
            "blame": self.blame,
            "holds": self.holds,
            "resources": self.resources,
            "callers": self.callers,
            "critical_path": self.critical_path,
            "deadlocks": self.deadlocks,
            "interactions": self.interactions,
            "lock_order": self.lock_order,
            "timeline": self.timeline,
        }
        return rows_of(finding, questions[finding["evidence"]]())

    def deadlocks(self) -> Table:
        """List the deadlocks, one row a member of a cycle.

        Columns: deadlock, position (0 closed the cycle), time_ns, resolved_ns (null: it
        stands), thread_id, thread, object, class, owner_id, owner (the next member),
        kind, method, source, line, stack, provenance.
        """
        return self._ask(lib.tm_deadlock_list)

    def stacks(self) -> Table:
        """List the frames of all stacks.

        Columns: stack, depth (0 innermost), method, class, source, line.
        """
        return self._ask(lib.tm_stack_list)

    def diagnostics(self) -> Table:
        """List what was odd about the events. Columns: cause, count."""
        return self._ask(lib.tm_diagnostics_list)

    def sql(self, statement: str) -> Any:
        """Run one SQL statement over the tables of the run, by DuckDB.

        Tables have the names of the questions: threads, monitors, callers, objects,
        timeline, interactions, context, context_totals, deadlocks, critical_path,
        whatif, lock_order, blame, blockers, holds, resources, findings, diagnostics and
        stacks. Only those that the statement names are made.

        Returns:
            a DuckDBPyRelation, which shows itself: ``.df()``, ``.pl()``,
            ``.to_arrow_table()``, ``.fetchall()``

        Raises:
            MissingExtraError: duckdb or pyarrow is not installed
            InvalidArgumentError: the statement is wrong; the text is DuckDB's
        """
        return sql.query(self, statement)

    @property
    def plot(self) -> Plots:
        """Pictures of the run for papers and pages: see :class:`Plots`."""
        return Plots(self)

    def to_html(
        self, target: Target | None = None, *, detail: int = page.TILE_ROWS
    ) -> str | None:
        """Write the report of the run: one HTML file that needs nothing else.

        Args:
            target: a path or binary file; None: return the text
            detail: rows of the timeline to hold at most; where there are more
                intervals, the shortest are merged, which the report says

        Raises:
            UnsupportedError: the package was built without the front end
        """
        text = page.render(self, detail=whole(detail, "detail", MAX_INT64))
        if target is None:
            return text
        if isinstance(target, (str, os.PathLike)):
            with open(target, "w", encoding="utf-8") as file:
                file.write(text)
        else:
            target.write(text.encode())
        return None

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the report of the run to a file; the same as :meth:`to_html`."""
        self.to_html(path)

    def _facts(self) -> list[tuple[str, str]]:
        run = self.run
        facts = [
            ("source", run.source or "events"),
            ("vm", run.vm),
            ("command", run.command),
            ("start", run.start),
            ("length", duration(self.length_ns)),
            ("threads", f"{len(self.threads()):,}"),
            ("events", f"{self.event_count:,}"),
            ("damage", self.damage),
        ]
        return [(name, clean(value, 200)) for name, value in facts if value]

    def __repr__(self) -> str:
        """Say in one line what it is a model of."""
        facts = dict(self._facts())
        size = f"{facts['threads']} threads, {count(self.event_count, 'event')}"
        return f"<Model of {facts['source']}: {size}, {facts['length']}>"

    def _repr_html_(self) -> str:
        """Show the facts of the run in a notebook; texts are escaped."""
        rows = "".join(
            f"<tr><th>{name}</th><td>{html.escape(value)}</td></tr>"
            for name, value in self._facts()
        )
        limits = "".join(f"<p>{html.escape(clean(limit))}</p>" for limit in self.limits)
        return f'<table class="threadmodel">{rows}</table>{limits}'
