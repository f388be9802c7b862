# SPDX-License-Identifier: Apache-2.0
"""The model: it takes events, and answers questions on threads and locks."""

import html
import os
from collections.abc import Callable, Iterable
from typing import Any

from threadmodel import causes as of_causes
from threadmodel import errors, page, private
from threadmodel import locks as of_locks
from threadmodel import path as of_path
from threadmodel import statistics as of_statistics
from threadmodel import timeline as of_timeline
from threadmodel import units as of_units
from threadmodel._library import (
    MAX_INT32,
    MAX_INT64,
    check,
    ffi,
    lib,
    options,
    whole,
)
from threadmodel.evidence import rows_of_finding
from threadmodel.exports import export
from threadmodel.plots import Plots
from threadmodel.run import Policy, Run, from_struct
from threadmodel.selection import ALL, Selection, to_struct
from threadmodel.sink import Sink
from threadmodel.sql import query
from threadmodel.table import Table, Target
from threadmodel.text import clean, count, duration


class Model(Sink):
    """What the threads of one run did to one another.

    ``threadmodel.open(path)`` makes one of a file; those who bring their own events
    make an empty one and fill it as a :class:`~threadmodel.sink.Sink`. It may be asked
    between any two events. Times in answers are nanoseconds since the run began.

    Most questions take a :class:`~threadmodel.selection.Selection`, the part of the run
    that they are about:

        model.blame(("owner",), Selection(threads="main", window=(0, 5_000_000)))

    They raise NotFoundError, a LookupError, for a thread or class that the run does
    not have, and InvalidArgumentError, a ValueError, for values that cannot be, such
    as a window that begins after the run's end. Of a run without events every answer
    is empty.

    Attributes:
        damage: what is missing of a damaged file, in one line; None: nothing
    """

    def __init__(
        self,
        *,
        memory_limit_bytes: int = 0,
        policy: int = Policy.UNKNOWN,
        workers: int = 0,
    ) -> None:
        """Make an empty model.

        Args:
            memory_limit_bytes: evict old intervals into sums beyond this; 0: no limit
            policy: a number of Policy, in place of what the producer says
            workers: threads that a question may use at once; answers are the same for
                any number; 0: one for each processor that this process may use
        """
        super().__init__()
        out = ffi.new("tm_model **")
        executor = ffi.new("tm_executor *")
        lib.threadmodel_threads_executor(
            executor,
            whole(workers, "workers", MAX_INT32) or len(os.sched_getaffinity(0)),
        )
        choices = options(
            "tm_model_options",
            memory_limit_bytes=whole(memory_limit_bytes, "memory limit", 2**63 - 1),
            policy=whole(policy, "policy", MAX_INT32),
            executor=executor,
        )
        check(lib.tm_model_new(out, choices))
        self._model = ffi.gc(out[0], lib.tm_model_free)
        self.damage: str | None = None

    @property
    def run(self) -> Run:
        """Facts of the run and of its producer."""
        with self._lock:
            return from_struct(lib.tm_model_run(self._model))

    @property
    def length_ns(self) -> int:
        """From the run's beginning to its last event, in ns."""
        with self._lock:
            return int(lib.tm_model_length_ns(self._model))

    @property
    def event_count(self) -> int:
        """How many events were ingested."""
        with self._lock:
            return int(lib.tm_model_event_count(self._model))

    @property
    def memory_bytes(self) -> int:
        """The bytes that the model holds."""
        with self._lock:
            return int(lib.tm_model_memory_bytes(self._model))

    @property
    def caveats(self) -> tuple[str, ...]:
        """Sentences on what the data cannot show."""
        return tuple(self._ask(lib.tm_caveat_list)["caveat"])

    # The questions; the modules document each.
    threads = of_statistics.threads
    locks = of_statistics.locks
    callers = of_statistics.callers
    objects = of_statistics.objects
    statistics = of_statistics.statistics
    total = of_statistics.total
    histogram = of_statistics.histogram

    blame = of_locks.blame
    blockers = of_locks.blockers
    holds = of_locks.holds
    hold_times = of_locks.hold_times
    resources = of_locks.resources
    resource_uses = of_locks.resource_uses
    deadlocks = of_locks.deadlocks
    lock_order = of_locks.lock_order
    lock_edges = of_locks.lock_edges

    critical_path = of_path.critical_path
    path_rollup = of_path.path_rollup
    explain = of_path.explain
    whatif = of_path.whatif
    whatif_rank = of_path.whatif_rank

    timeline = of_timeline.timeline
    tiles = of_timeline.tiles
    tile_ns = of_timeline.tile_ns
    interactions = of_timeline.interactions
    context = of_timeline.context
    context_totals = of_timeline.context_totals
    stacks = of_timeline.stacks

    units = of_units.units
    unit_kinds = of_units.unit_kinds
    unit_parts = of_units.unit_parts
    causes = of_causes.causes

    evidence = rows_of_finding
    sql = query
    export = export

    def findings(self, selection: Selection = ALL) -> Table:
        """List what is worth a developer's time; what is only suspected comes last.

        ``threadmodel/findings.h`` lists the kinds and their thresholds.

        Columns (table ``findings``): rank int32 (1, 2, ...), kind string (deadlock,
        stuck, partly_stuck, starved, resource_wait, executor_too_small,
        event_loop_blocked, virtual_threads_pinned, hot_lock, lock_convoy,
        oversubscribed_lock, wake_up_latency, held_while_sleeping, held_while_io,
        held_while_waiting, held_while_parked, held_while_blocked, notify_all_herd,
        useless_notify, class_initialisation, class_loading, long_wait, unended_wait,
        long_park, wait_always_times_out, sleep_on_critical_path, unbalanced_join,
        straggler, io_wait, too_few_processors, lock_inversion, sampled_block,
        sampled_wait, sampled_io, sampled_processor, blocking_thread, pool_starved,
        carriers_taken), title string (at most twelve words), impact_ns int64 (time
        lost, of all threads added up), bound_ns int64 (the most that one thread lost:
        no thread can gain more), gain_ns int64 (by so much the run would be shorter if
        no thread had to wait for it, or if these sleeps, or this I/O, took no time; of
        a service, whose run is as long as its load, by so much the time in which the
        same requests would be served; None: unknown), gain_low_ns int64 (the least that
        the gain may be; None: unknown), gain_high_ns int64 (the most; None: unknown),
        minor bool (little or nothing is gained from it), suspected bool (it rests on
        inference; caveat says what would confirm it), waits string (which threads wait
        where, how often, for how long; None: nobody), holds string (which thread holds
        or uses it where, for how long; None: not known, or nobody), gain string (what
        would be gained, or the bound of it; None: nothing is known), advice string
        (what to try; None: nothing), caveat string (what the data cannot show; None:
        nothing is in doubt), text string (waits, holds, gain, advice and caveat, one
        after the other), class string, method string (where to look), source string,
        line int32, thread_id uint64 (None: nobody), thread string (the first that it
        names; None: nobody), object string (the endpoint of I/O that it is about; None:
        it is about none), evidence_table string (deadlocks, blame, callers,
        interactions, timeline, lock_order, critical_path, resources, threads; the table
        that shows it), evidence_where string (which rows of that table: conditions
        ``column = value``, ``column = 'text'``, ``column in ('text', ...)``, ``column
        in (1, ...)`` and ``column is null``, joined as in SQL by ``and``; empty: no
        row, for names are too long).

        Args:
            selection: a window alone; findings that judge the run as a whole are
                only of the whole run, as a caveat of the table states
        """
        return self._ask(lib.tm_finding_list_part, self._select(selection))

    def finding_kinds(self) -> Table:
        """List the kinds of findings, and which of them the run's data supports.

        Columns (table ``finding_kinds``): kind string (as in ``findings``), looked_for
        bool (the data supports it), why string (what the data lacks; None: it is looked
        for), remedy string (what would allow it; None: nothing has to).
        """
        return self._ask(lib.tm_finding_kind_list)

    def verdict(self, selection: Selection = ALL) -> Table:
        """Say whether the program could go on, and if not, since when and why: one row.

        Columns (table ``verdict``): kind string, title string (the same in one
        sentence), since_ns int64 (no thread in question has gone on since, since the
        run began; None: not known, or no such thread), suspected bool (it rests on
        inference), threads int32 (that cannot go on; table ``verdict_members`` lists
        them), thread_id uint64 (None: no such thread), thread string (that of them
        which waits longest), object string, class string (of that object), method
        string (where it waits), source string, line int32, text string (why, in some
        sentences), advice string (what to try; None: nothing), examined string (what
        the verdict rests on, and what was not recorded), remedy string (what would make
        it more certain; None: nothing has to).

        Args:
            selection: a window alone: whether threads could go on when it ended, and
                what bounds the time in it
        """
        return self._ask(lib.tm_verdict_list_part, self._select(selection))

    def verdict_members(self, selection: Selection = ALL) -> Table:
        """List the threads that cannot go on, and what each waits for.

        Columns (table ``verdict_members``): position int32 (0, 1, ...; what a thread
        waits for follows it where it can), thread_id uint64, thread string, state
        string, start_ns int64 (of its wait, since the run began), object string, class
        string, method string, source string, line int32, edge string (what could end
        the wait), by_id uint64 (the thread that could, or the first of them), by string
        (its name), alternatives int32 (threads that could, any of them; 0: not known),
        provenance string (of that), why string (why none of them does, in a sentence).

        Args:
            selection: as for verdict
        """
        return self._ask(lib.tm_verdict_member_list_part, self._select(selection))

    def modules(self) -> Table:
        """List the executables and libraries of a native program.

        Columns (table ``modules``): module string (name of the executable or library),
        build_id string (hexadecimal).
        """
        return self._ask(lib.tm_module_list)

    def diagnostics(self) -> Table:
        """List what was inconsistent in the events.

        Columns (table ``diagnostics``): cause string, count uint64 (how often).
        """
        return self._ask(lib.tm_diagnostic_list)

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
            with open(target, "w", encoding="utf-8", opener=private.owner_only) as file:
                file.write(text)
        else:
            target.write(text.encode())
        return None

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the report of the run to a file; the same as :meth:`to_html`."""
        self.to_html(path)

    def _sink(self) -> Any:
        return lib.tm_model_sink(self._model)

    def _answer(self, question: Callable[..., int], *arguments: Any) -> Any:
        """Return the ``tm_table *`` that answers a question; the caller frees it."""
        out = ffi.new("tm_table **")
        with self._lock:
            check(question(out, self._model, *arguments))
        return out[0]

    def _ask(self, question: Callable[..., int], *arguments: Any) -> Table:
        return Table(self._answer(question, *arguments))

    def _select(self, selection: Selection) -> Any:
        """Return the ``tm_selection *`` of a selection."""
        if not isinstance(selection, Selection):
            raise errors.InvalidArgumentError(f"no Selection: {selection!r:.100}")
        threads = selection.threads
        return to_struct(selection, None if threads is None else self._ids(threads))

    def _ids(self, threads: Iterable[int | str]) -> list[int]:
        """Return the ids of threads that are given by id or by name."""
        wanted = list(threads)
        if not any(isinstance(thread, str) for thread in wanted):
            return [thread for thread in wanted if not isinstance(thread, str)]
        if not self.event_count:
            return []
        by_name: dict[Any, list[Any]] = {}
        table = self.threads()
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
        """Describe the run in one line."""
        facts = dict(self._facts())
        size = f"{facts['threads']} threads, {count(self.event_count, 'event')}"
        return f"<Model of {facts['source']}: {size}, {facts['length']}>"

    def _repr_html_(self) -> str:
        """Show the facts of the run in a notebook; texts are escaped."""
        rows = "".join(
            f"<tr><th>{name}</th><td>{html.escape(value)}</td></tr>"
            for name, value in self._facts()
        )
        limits = "".join(
            f"<p>{html.escape(clean(caveat))}</p>" for caveat in self.caveats
        )
        return f'<table class="threadmodel">{rows}</table>{limits}'
