# SPDX-License-Identifier: Apache-2.0
"""Questions about locks: who had them, in which order they were taken."""

from collections.abc import Iterable
from typing import Final

from threadmodel._library import lib, options
from threadmodel.questions import Questions, bits, set_libraries
from threadmodel.selection import Window
from threadmodel.table import Table

_BLAME_KEYS: Final = {
    "thread": lib.TM_BLAME_BY_THREAD,
    "caller": lib.TM_BLAME_BY_CALLER,
    "class": lib.TM_BLAME_BY_CLASS,
    "object": lib.TM_BLAME_BY_OBJECT,
    "owner": lib.TM_BLAME_BY_OWNER,
    "owner_method": lib.TM_BLAME_BY_OWNER_METHOD,
}
_HOLD_KEYS: Final = {
    "class": lib.TM_HOLD_BY_CLASS,
    "caller": lib.TM_HOLD_BY_CALLER,
    "object": lib.TM_HOLD_BY_OBJECT,
    "owner": lib.TM_HOLD_BY_OWNER,
}
_BLOCK_STATES: Final = {
    "blocked": 1 << lib.TM_STATE_BLOCKED,
    "reentering": 1 << lib.TM_STATE_REENTERING,
    "parked": 1 << lib.TM_STATE_PARKED,
}


class LockQuestions(Questions):
    """What a model can be asked about its locks; see Model for the keywords."""

    def blame(
        self,
        by: Iterable[str] = (),
        *,
        states: Iterable[str] = (),
        libraries: Iterable[str] | None = None,
        threads: Iterable[int | str] | None = None,
        classes: Iterable[str] | None = None,
        window: Window | None = None,
    ) -> Table:
        """List who had the lock while others were blocked by it.

        Columns without keys, a row for each stretch of each block: thread_id, thread,
        block_start_ns, block_end_ns, state, object, class, method, source, line,
        start_ns, end_ns (of the stretch), share (owner: it had the lock; latency: it
        had let go, and the next owner was being woken; unknown), owner_id, owner (null:
        none, or not known), owner_method, owner_source, owner_line (where it got the
        lock), fraction (of the block), provenance.

        Columns with keys, a row a group, the longest total first: those of the keys,
        count (blocks), total_ns, max_ns, latency_ns (of total_ns: nobody had the
        lock), share (of all blocked time asked about),
        reported_share, exact_share, inferred_share (of total_ns).

        Args:
            by: any of ``thread``, ``caller``, ``class``, ``object``, ``owner``,
                ``owner_method``
            states: any of ``blocked``, ``reentering``, ``parked``; none: all
            libraries: see :meth:`Model.statistics`
            threads: who was blocked
            classes: of the locks
            window: blocks are cut at its edges
        """
        selection = self._select(threads, classes, window)
        choices = options(
            "tm_blame_options",
            keys=bits(by, _BLAME_KEYS, "key"),
            states=bits(states, _BLOCK_STATES, "state"),
            selection=selection.struct,
        )
        kept = set_libraries(choices, libraries)
        table = self._ask(lib.tm_blame_list, choices)
        del kept
        return table

    def blockers(
        self,
        *,
        threads: Iterable[int | str] | None = None,
        classes: Iterable[str] | None = None,
        window: Window | None = None,
    ) -> Table:
        """List who blocks whom, a row for each two threads, the longest total first.

        Columns: thread_id, thread, owner_id, owner, count, total_ns, max_ns, share (of
        the time that the thread was blocked), reported_share, exact_share,
        inferred_share.
        """
        selection = self._select(threads, classes, window)
        return self._ask(lib.tm_blame_matrix, selection.struct)

    def holds(
        self,
        *,
        threads: Iterable[int | str] | None = None,
        classes: Iterable[str] | None = None,
        window: Window | None = None,
    ) -> Table:
        """List who had a lock, a row for each time, by rising start.

        Columns: object, class, kind (monitor, synchronizer), thread_id, thread,
        start_ns, end_ns (null: it has it still, or nothing shows), start_earliest_ns,
        start_latest_ns, end_earliest_ns, end_latest_ns (between which it got it and
        let it go; null: not known), start_provenance, end_provenance, to_thread_id,
        to_thread (who was blocked and got it next), method, source, line (where it got
        it), shared, contested (another was said to have it too), not_running_ns and
        not_running_state (of the hold: its owner did not run, and what most of that
        was; null: it ran).

        Args:
            threads: the owners
            classes: of the locks
            window: holds that touch it, uncut
        """
        selection = self._select(threads, classes, window)
        return self._ask(lib.tm_hold_list, selection.struct)

    def hold_times(
        self,
        by: Iterable[str] = ("class", "caller"),
        *,
        libraries: Iterable[str] | None = None,
        threads: Iterable[int | str] | None = None,
        classes: Iterable[str] | None = None,
        window: Window | None = None,
    ) -> Table:
        """Sum up how long locks were held, the longest total first.

        Columns: those of the keys, count, total_ns, min_ns, max_ns, mean_ns, p50_ns,
        p90_ns, p99_ns, not_running_ns (of total_ns: the owner did not run), exact (of
        count: the producer told both ends), unmeasured (holds besides, of which start
        or end is not known).

        Args:
            by: any of ``class``, ``caller`` (columns method, source, line: where the
                owner got it), ``object``, ``owner`` (columns thread_id, thread)
            libraries: see :meth:`Model.statistics`
            threads: the owners
            classes: of the locks
            window: holds that touch it, uncut
        """
        selection = self._select(threads, classes, window)
        choices = options(
            "tm_hold_options",
            keys=bits(by, _HOLD_KEYS, "key"),
            selection=selection.struct,
        )
        kept = set_libraries(choices, libraries)
        table = self._ask(lib.tm_hold_group, choices)
        del kept
        return table

    def resources(
        self,
        *,
        threads: Iterable[int | str] | None = None,
        classes: Iterable[str] | None = None,
        window: Window | None = None,
    ) -> Table:
        """List what threads waited for and nobody owns, the longest waited for first.

        Columns: class, waiting_method, releasing_method (null: not known, timed out, or
        it waits still), objects, threads, waits, wait_total_ns, wait_max_ns, permits
        (most uses of one object at once), uses (from the end of a wait to a release by
        the same thread), use_p50_ns, use_max_ns, use_total_ns, use_method and
        use_method_ns (where uses spent most of the time in which they did not run),
        releasers, releaser_id, releaser (who ended most of the time waited), idle (a
        worker that waits for work), provenance (of who released).

        Args:
            threads: that waited
            classes: waited for
            window: waits that begin in it, uncut
        """
        selection = self._select(threads, classes, window)
        return self._ask(lib.tm_resource_list, selection.struct)

    def lock_order(self) -> Table:
        """List cycles of lock order that can deadlock, smallest first, an edge a row.

        Columns: cycle, position, level (object or class), held_class, wanted_class,
        held_object, wanted_object, thread_id, thread, method, source, line (where the
        thread was blocked), held_method, held_source, held_line (where it got the held
        lock), time_ns, count, stack, provenance (that the lock was held).
        """
        return self._ask(lib.tm_lock_order_list)

    def lock_edges(self) -> Table:
        """List all orders in which locks were seen to be taken, most frequent first.

        Columns: those of :meth:`lock_order` from held_class on.
        """
        return self._ask(lib.tm_lock_edge_list)

    def findings(self) -> Table:
        """List what is worth a developer's time; what is only suspected comes last.

        Columns: rank, kind, at_stake_ns, text, class, method, source, line, thread_id,
        thread, suspected, evidence (the table that shows it), evidence_where (which of
        its rows, as a condition in SQL). The kinds and their
        thresholds stand in ``threadmodel/findings.h``.
        """
        return self._ask(lib.tm_findings_list)
