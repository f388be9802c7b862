# SPDX-License-Identifier: Apache-2.0
"""Small runs with known answers, for any sink."""

from threadmodel import Event, EventFlag, EventKind, Frame, Run, Sink

MAIN, WORKER, WRITER, LEFT, RIGHT = 1, 12, 13, 14, 15
ACCOUNT, QUEUE, FORK = 1, 2, 3
ACCOUNT_OBJECT, QUEUE_OBJECT, FORK_A, FORK_B = 100, 200, 301, 302
TRANSFER, TAKE, EAT, THREAD_RUN = 1, 2, 3, 4

MS = 1_000_000


def define(sink: Sink) -> None:
    """Define the classes, methods, stacks, threads and objects of the run."""
    sink.define_run(
        Run(
            producer="tests",
            vm="Test VM 1",
            command="demo.Main",
            pid=4711,
            start_wall_ns=1_700_000_000_000_000_000,
            start_ns=5 * MS,
            kinds=frozenset({1, 2, 3, 4, 5, 6, 7}),
        )
    )
    for id_, name in ((ACCOUNT, "Account"), (QUEUE, "Queue"), (FORK, "Fork")):
        sink.define_class(id_, f"demo.{name}", f"{name}.java")
    sink.define_class(4, "java.lang.Thread", "Thread.java")
    sink.define_method(TRANSFER, ACCOUNT, "transfer", "(J)V", [(0, 40), (7, 42)])
    sink.define_method(TAKE, QUEUE, "take", "()V", [(0, 11)])
    sink.define_method(EAT, FORK, "eat", "()V", [(0, 77)])
    sink.define_method(THREAD_RUN, 4, "run", "()V")
    for stack, method, location in ((1, TRANSFER, 9), (2, TAKE, 0), (3, EAT, 0)):
        sink.define_stack(stack, [Frame(method, location), Frame(THREAD_RUN)])
    names = {
        MAIN: "main",
        WORKER: "worker",
        WRITER: "writer",
        LEFT: "left",
        RIGHT: "right",
    }
    for id_, name in names.items():
        sink.define_thread(id_, name, "main", daemon=id_ in (LEFT, RIGHT))
    sink.define_object(ACCOUNT_OBJECT, ACCOUNT, hash=0xABC)
    sink.define_object(QUEUE_OBJECT, QUEUE, hash=0xDEF)
    sink.define_object(FORK_A, FORK, hash=1)
    sink.define_object(FORK_B, FORK, hash=2)


def events() -> list[Event]:
    """Return events in which

    * worker blocks on the account for 2 ms and for 4 ms, writer for 10 ms,
    * worker waits on the queue for 20 ms,
    * left and right want each other's fork, for ever.
    """
    kind = EventKind
    reported = EventFlag.PEER_REPORTED

    def at(ms: int, thread: int, what: EventKind, **fields: int) -> Event:
        return Event(5 * MS + ms * MS, thread, what, **fields)

    account = {"object": ACCOUNT_OBJECT, "stack": 1}
    return [
        at(0, MAIN, kind.THREAD_START),
        at(1, WORKER, kind.THREAD_START, peer=MAIN),
        at(1, WRITER, kind.THREAD_START, peer=MAIN),
        at(2, LEFT, kind.THREAD_START, peer=MAIN),
        at(2, RIGHT, kind.THREAD_START, peer=MAIN),
        at(10, WORKER, kind.CONTENDED_ENTER, peer=WRITER, flags=reported, **account),
        at(12, WORKER, kind.CONTENDED_ENTERED, object=ACCOUNT_OBJECT),
        at(20, WORKER, kind.CONTENDED_ENTER, **account),
        at(24, WORKER, kind.CONTENDED_ENTERED, object=ACCOUNT_OBJECT),
        at(30, WRITER, kind.CONTENDED_ENTER, **account),
        at(40, WRITER, kind.CONTENDED_ENTERED, object=ACCOUNT_OBJECT),
        at(50, WORKER, kind.WAIT, object=QUEUE_OBJECT, stack=2, value=20 * MS),
        at(
            70,
            WORKER,
            kind.WAITED,
            object=QUEUE_OBJECT,
            flags=EventFlag.TIMED_OUT,
        ),
        at(
            80,
            LEFT,
            kind.CONTENDED_ENTER,
            object=FORK_B,
            peer=RIGHT,
            stack=3,
            flags=reported,
        ),
        at(
            81,
            RIGHT,
            kind.CONTENDED_ENTER,
            object=FORK_A,
            peer=LEFT,
            stack=3,
            flags=reported,
        ),
        at(90, WORKER, kind.THREAD_END),
        at(100, MAIN, kind.THREAD_END),
    ]


def fill(sink: Sink) -> None:
    """Emit the whole run into a sink."""
    define(sink)
    sink.ingest(events())


HOSTILE_NAMES = {
    "markup": "<script>alert('x')</script>&amp;<b>",
    "escapes": "\x1b[31mred\x1b[0m\x1b]0;title\x07\x9b2J",
    "lines": "one\ntwo\r\nthree\u2028four\ttab",
    "long": "n" * 10_000,
    "rich": "[bold red]x[/bold red] [/] :smile:",
    "direction": "abc\u202edef\u2066",
    "wide": "線程" * 30,
    "csv": 'a,"b"\n=1+1',
    "empty": "",
    "percent": "%s %n {} \\",
}
