# SPDX-License-Identifier: Apache-2.0
"""Sinks, which take definitions and events: a model is one, and so is a writer."""

import threading
from collections.abc import Iterable
from typing import Any, NamedTuple

from threadmodel import errors
from threadmodel._enums import ObjectKind as ObjectKind
from threadmodel._library import (
    MAX_INT32,
    MAX_INT64,
    MAX_UINT32,
    MAX_UINT64,
    c_string,
    check,
    ffi,
    options,
    whole,
)
from threadmodel.event import EVENT_BYTES, event_dtype, pack
from threadmodel.run import Run

# Events for each call of C. Ctrl-C takes effect between two calls.
BATCH_EVENTS = 1 << 18


class Frame(NamedTuple):
    """One frame of a stack.

    Attributes:
        method: id of a defined method; 0: unknown
        location: bytecode index, to be looked up in the method's lines; -1: unknown
        line: source line where it is known without a table
    """

    method: int
    location: int = -1
    line: int = 0


class Sink:
    """Takes definitions and events; used by one thread at a time, others queue.

    Ids are the producer's own numbers, never 0. To define an id again replaces what
    was known; what is then left out stays.
    """

    def __init__(self) -> None:
        """Make the lock, so that one thread at a time uses the sink."""
        self._lock = threading.Lock()

    def _sink(self) -> Any:
        """Return the ``const tm_sink *``; called with the lock held."""
        raise NotImplementedError

    def _emit(self, callback: str, *arguments: Any) -> None:
        with self._lock:
            sink = self._sink()
            check(getattr(sink, callback)(sink.payload, *arguments))

    def define_run(self, run: Run) -> None:
        """Set facts of the run; those that are None or 0 stay as they were."""
        kept = {
            name: c_string(value, name)
            for name in ("source", "format", "producer", "vm", "command")
            if (value := getattr(run, name)) is not None
        }
        struct = options(
            "tm_run",
            **kept,
            pid=whole(run.pid, "pid", MAX_UINT64),
            start_wall_ns=_time(run.start_wall_ns, "start_wall_ns"),
            start_ns=_time(run.start_ns, "start_ns"),
            end_ns=_time(run.end_ns, "end_ns"),
            threshold_ns=_time(run.threshold_ns, "threshold_ns"),
            kinds=_mask(run.kinds, "event kind"),
            policy=whole(run.policy, "policy", MAX_INT32),
            identity=whole(run.identity, "identity", MAX_INT32),
            id=whole(run.id, "id", MAX_UINT64),
            cost_events=whole(run.cost_events, "cost_events", MAX_UINT64),
            cost_dropped=whole(run.cost_dropped, "cost_dropped", MAX_UINT64),
            cost_bytes=whole(run.cost_bytes, "cost_bytes", MAX_UINT64),
            cost_threads_ns=_time(run.cost_threads_ns, "cost_threads_ns"),
            cost_stacks_ns=_time(run.cost_stacks_ns, "cost_stacks_ns"),
            cost_recorder_ns=_time(run.cost_recorder_ns, "cost_recorder_ns"),
            processors=whole(run.processors, "processors", MAX_UINT64),
            ending=whole(run.ending, "ending", MAX_INT32),
            ending_status=whole(run.ending_status, "ending_status", MAX_INT32),
            object_kinds=_mask(run.object_kinds, "object kind"),
            stopped_ns=_time(run.stopped_ns, "stopped_ns"),
        )
        self._emit("run", struct)

    def add_caveat(self, sentence: str) -> None:
        """Add a sentence on what the data cannot show."""
        self._emit("caveat", c_string(sentence, "caveat"))

    def define_class(
        self,
        id: int,
        name: str,
        source: str | None = None,
        *,
        library: bool = False,
        build_id: str | None = None,
    ) -> None:
        """Define a class.

        Args:
            id: of the class
            name: as a person writes it, ``java.util.HashMap``
            source: file name without folders
            library: of a runtime or a library, no caller that a person means; Java's,
                Go's and C++'s own are known
            build_id: of native code: hexadecimal, of the executable or library that the
                class is named after
        """
        kept = _strings(name=name, source=source, build_id=build_id)
        self._emit(
            "define_class",
            options("tm_class", id=_id(id, "class"), flags=int(library), **kept),
        )

    def define_method(
        self,
        id: int,
        class_id: int,
        name: str,
        signature: str | None = None,
        lines: Iterable[tuple[int, int]] = (),
        *,
        idles: bool = False,
        monitors: Iterable[tuple[int, int]] | None = None,
    ) -> None:
        """Define a method of a class.

        Args:
            id: of the method
            class_id: of its class; 0: unknown
            name: without class
            signature: as the VM writes it, ``(ILjava/lang/String;)V``
            lines: pairs of bytecode index and the source line from there on
            idles: a thread that is blocked in it waits for work
            monitors: of each monitor that it enters the bytecode indices where it does,
                and from which on it has exited; None: not known
        """
        table = ffi.new(
            "tm_line[]",
            [
                (_time(location, "location"), whole(line, "line", MAX_INT32), 0)
                for location, line in sorted(lines)
            ],
        )
        ranges = [
            (_time(enter, "location"), _time(end, "location"))
            for enter, end in monitors or ()
        ]
        # A pointer also states that the method enters no monitor.
        held = ffi.new("tm_monitor_range[]", ranges or 1)
        kept = _strings(name=name, signature=signature)
        self._emit(
            "define_method",
            options(
                "tm_method",
                id=_id(id, "method"),
                class_id=whole(class_id, "class id", MAX_UINT64),
                lines=table if len(table) else ffi.NULL,
                line_count=len(table),
                flags=int(idles),
                monitors=ffi.NULL if monitors is None else held,
                monitor_count=len(ranges),
                **kept,
            ),
        )

    def define_stack(
        self,
        id: int,
        frames: Iterable[Frame | tuple[int, int] | tuple[int, int, int]],
        truncated: bool = False,
    ) -> None:
        """Define a call stack.

        Args:
            id: of the stack, 32 bits
            frames: innermost first
            truncated: the producer cut it, there are more frames below
        """
        known = [Frame(*frame) for frame in frames]
        array = ffi.new(
            "tm_frame[]",
            [
                (
                    whole(frame.method, "method id", MAX_UINT64),
                    _time(frame.location, "location"),
                    whole(frame.line, "line", MAX_INT32),
                    0,
                )
                for frame in known
            ],
        )
        flags = 1 if truncated else 0
        number = whole(id, "stack id", MAX_UINT32, 1)
        self._emit(
            "define_stack",
            options(
                "tm_stack",
                id=number,
                flags=flags,
                frames=array,
                frame_count=len(known),
            ),
        )

    def define_thread(
        self,
        id: int,
        name: str | None = None,
        group: str | None = None,
        *,
        object: int = 0,
        os_id: int = 0,
        priority: int = 0,
        virtual: bool = False,
        daemon: bool = False,
        carrier: bool = False,
        agent: bool = False,
        pid: int = 0,
    ) -> None:
        """Define a thread.

        Args:
            id: for Java the number that Thread.threadId() gives
            name: None is unknown, the empty text a name
            group: thread group or container
            object: the thread object's own id, for joins on it
            os_id: the operating system's number
            priority: as the program set it
            virtual: a virtual thread
            daemon: does not keep the program alive
            carrier: runs virtual threads
            agent: belongs to the producer or the VM, not to the program
            pid: process that it is of, in a run of several; 0: the run's
        """
        flags = virtual | daemon << 1 | carrier << 2 | agent << 3
        kept = _strings(name=name, group=group)
        self._emit(
            "define_thread",
            options(
                "tm_thread",
                id=_id(id, "thread"),
                object=whole(object, "object id", MAX_UINT64),
                os_id=whole(os_id, "os id", MAX_UINT64),
                priority=whole(priority, "priority", MAX_INT32),
                flags=flags,
                pid=whole(pid, "pid", MAX_UINT32),
                **kept,
            ),
        )

    def define_object(
        self,
        id: int,
        class_id: int = 0,
        *,
        hash: int | None = None,
        thread: int = 0,
        maybe_many: bool = False,
        synchronizer: bool = False,
        name: str | None = None,
        kind: ObjectKind = ObjectKind.UNKNOWN,
    ) -> None:
        """Define an object that threads lock, wait on or park for.

        Args:
            id: of the object
            class_id: of its class; 0: unknown
            hash: identity hash code, where it is known
            thread: id of the thread that it is the object of
            maybe_many: two objects may share the id, as it was made from a hash
            synchronizer: a j.u.c. lock or other park blocker, no monitor
            name: what it is shown as, ``orders.lock``; None: its class and number
            kind: what it is to threads
        """
        flags = (hash is not None) | maybe_many << 1 | synchronizer << 2
        self._emit(
            "define_object",
            options(
                "tm_object",
                id=_id(id, "object"),
                class_id=whole(class_id, "class id", MAX_UINT64),
                thread=whole(thread, "thread id", MAX_UINT64),
                hash=whole(hash or 0, "hash", MAX_UINT32),
                flags=flags,
                kind=whole(kind, "kind", max(ObjectKind)),
                **_strings(name=name),
            ),
        )

    def ingest(self, events: Any) -> None:
        """Take events, best by rising time; any order is legal.

        Args:
            events: an iterable of Event, or without a copy a contiguous buffer of
                48-byte events: a numpy array of ``event_dtype()``, or bytes

        Raises:
            InvalidArgumentError: events of another layout, or a field out of range
        """
        array = _event_array(events)
        for start in range(0, len(array), BATCH_EVENTS):
            count = min(BATCH_EVENTS, len(array) - start)
            self._emit("events", array + start, count)


def _strings(**values: str | None) -> dict[str, Any]:
    return {
        name: c_string(value, name)
        for name, value in values.items()
        if value is not None
    }


def _id(value: int, what: str) -> int:
    return whole(value, f"{what} id", MAX_UINT64, 1)


def _time(value: int, what: str) -> int:
    return whole(value, what, MAX_INT64, -MAX_INT64 - 1)


def _mask(numbers: Iterable[int], what: str) -> int:
    mask = 0
    for number in numbers:
        mask |= 1 << whole(number, what, 63)
    return mask


def _event_array(events: Any) -> Any:
    """View or make a ``tm_event[]``."""
    try:
        view = memoryview(events)
    except TypeError:
        try:
            view = memoryview(pack(events))
        except TypeError:
            raise errors.InvalidArgumentError(
                f"{type(events).__name__} holds no events"
            ) from None
    dtype = getattr(events, "dtype", None)
    if dtype is not None and dtype != event_dtype():
        raise errors.InvalidArgumentError(
            f"events of dtype {dtype!s:.200} are not of event_dtype()"
        )
    if not view.c_contiguous:
        raise errors.InvalidArgumentError("events are not contiguous: copy them first")
    if dtype is None and view.itemsize != 1:
        raise errors.InvalidArgumentError(
            f"a buffer of {view.itemsize}-byte items holds no events"
        )
    if view.nbytes % EVENT_BYTES:
        raise errors.InvalidArgumentError(
            f"{view.nbytes} bytes are not a whole number of events of {EVENT_BYTES}"
        )
    if not view.nbytes:
        return ffi.new("tm_event[]", 0)
    array = ffi.from_buffer("tm_event[]", view)
    if int(ffi.cast("uintptr_t", array)) % ffi.alignof("tm_event"):
        aligned = ffi.new("tm_event[]", len(array))
        ffi.memmove(aligned, array, view.nbytes)
        return aligned
    return array
