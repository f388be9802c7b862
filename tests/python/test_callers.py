# SPDX-License-Identifier: Apache-2.0
"""The caller in a stack, classes that are libraries, and idle threads."""

from collections.abc import Sequence

import pytest

from threadmodel import Event, EventKind, Frame, Model

PARK = (
    "jdk.internal.misc.Unsafe.park",
    "java.util.concurrent.locks.LockSupport.park",
)
CONDITION = (
    *PARK,
    "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionNode.block",
    "java.util.concurrent.ForkJoinPool.unmanagedBlock",
    "java.util.concurrent.ForkJoinPool.managedBlock",
    "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await",
)
REENTRANT = (
    *PARK,
    "java.util.concurrent.locks.AbstractQueuedSynchronizer.acquire",
    "java.util.concurrent.locks.ReentrantLock$Sync.lock",
    "java.util.concurrent.locks.ReentrantLock.lock",
)
WAIT = ("java.lang.Object.wait0", "java.lang.Object.wait")
POOL = "java.util.concurrent.ThreadPoolExecutor"
WORKER = (f"{POOL}.runWorker", f"{POOL}$Worker.run", "java.lang.Thread.run")
TAKE = "java.util.concurrent.LinkedBlockingQueue.take"
REMOVE = "java.lang.ref.ReferenceQueue.remove"


def parked_in(
    frames: Sequence[str], libraries: Sequence[str] | None = None
) -> tuple[str | None, bool]:
    """Return the caller's method of a park with this stack, and whether it is idle."""
    model = Model()
    for number, frame in enumerate(frames, 1):
        class_name, _, method = frame.rpartition(".")
        model.define_class(number, class_name)
        model.define_method(number, number, method)
    model.define_stack(1, [Frame(number) for number in range(1, len(frames) + 1)])
    model.ingest(
        [
            Event(1, 1, EventKind.PARK, stack=1),
            Event(9, 1, EventKind.UNPARKED),
        ]
    )
    (row,) = model.statistics(("caller",), libraries=libraries)
    (same,) = model.statistics(("method",), libraries=libraries)
    assert (same["method"], same["idle"]) == (row["method"], row["idle"])
    return row["method"], row["idle"]


@pytest.mark.parametrize(
    "idle",
    [
        (*CONDITION, TAKE, f"{POOL}.getTask", *WORKER),
        (*CONDITION, "app.Queue.take", f"{POOL}.getTask", *WORKER),
        (
            *PARK,
            "java.util.concurrent.ForkJoinPool.awaitWork",
            "java.util.concurrent.ForkJoinPool.runWorker",
        ),
        (*WAIT, "java.util.TimerThread.mainLoop", "java.util.TimerThread.run"),
        (*WAIT, REMOVE, REMOVE, "java.lang.ref.Finalizer$FinalizerThread.run"),
        (*WAIT, REMOVE, "jdk.internal.ref.CleanerImpl.run", "java.lang.Thread.run"),
        # The frames of JDK 21 to 24.
        (
            *WAIT,
            "java.lang.ref.NativeReferenceQueue.await",
            "java.lang.ref.ReferenceQueue.remove0",
            "java.lang.ref.NativeReferenceQueue.remove",
            "java.lang.ref.Finalizer$FinalizerThread.run",
        ),
        (
            *CONDITION,
            "org.apache.tomcat.util.threads.TaskQueue.poll",
            "org.apache.tomcat.util.threads.ThreadPoolExecutor.getTask",
            "org.apache.tomcat.util.threads.ThreadPoolExecutor.runWorker",
        ),
    ],
    ids=lambda frames: frames[-1],
)
def test_who_waits_for_work_is_idle(idle: Sequence[str]) -> None:
    method, is_idle = parked_in(idle)
    assert is_idle
    assert method in idle
    assert method.split(".")[-1] not in ("take", "poll", "park", "wait", "remove")


@pytest.mark.parametrize(
    ("frames", "caller"),
    [
        # A task that waits is not idle.
        ((*CONDITION, TAKE, "app.Task.run", *WORKER), "app.Task.run"),
        # So is a task of the timer, and a cleaning action.
        (
            (*WAIT, "app.Tick.run", "java.util.TimerThread.mainLoop"),
            "app.Tick.run",
        ),
        (
            (*PARK, "sun.nio.ch.Util.free", "jdk.internal.ref.CleanerImpl.run"),
            "sun.nio.ch.Util.free",
        ),
        # A worker that queues for the lock of the pool's queue has work to do.
        ((*REENTRANT, TAKE, f"{POOL}.getTask", *WORKER), TAKE),
        # The program's own loop takes from a queue: only it knows whether that is idle.
        ((*CONDITION, TAKE, "app.Loop.run", "java.lang.Thread.run"), "app.Loop.run"),
    ],
)
def test_who_waits_for_anything_else_is_not(frames: Sequence[str], caller: str) -> None:
    assert parked_in(frames) == (caller, False)


def test_named_library_prefixes_leave_the_rest_as_it_is() -> None:
    frames = (*CONDITION, TAKE, f"{POOL}.getTask", *WORKER)
    assert parked_in(frames, ()) == (frames[0], False)
    assert parked_in(frames, ("java.", "jdk.")) == (f"{POOL}.getTask", True)
    assert parked_in(frames, ("jdk.",)) == (frames[1], False)


@pytest.mark.parametrize(
    ("class_name", "is_library"),
    [
        ("com.sun.net.httpserver.HttpServer", True),
        ("com.sun.jmx.mbeanserver.Repository", True),
        ("com.sun.org.apache.xerces.internal.dom.CoreDocumentImpl", True),
        ("com.sun.proxy.$Proxy7", True),
        ("com.sun.jna.Native", False),
        ("com.sun.mail.smtp.SMTPTransport", False),
        ("com.sun.faces.lifecycle.Phase", False),
        ("com.sun.enterprise.v3.server.AppServerStartup", False),
        ("com.sun.tools.javac.main.JavaCompiler", False),
        ("com.sunshine.App", False),
        ("javax.servlet.http.HttpServlet", True),
        ("javaxtras.App", False),
        ("libstdc++", True),
        ("libstdc++.so.6", True),
        ("libc++.so.1", True),
        ("libc.so.6", True),
        ("ld-musl-x86_64.so.1", True),
        ("libjemalloc.so.2", True),
        ("libtcmalloc_minimal.so.4", True),
        ("libcurl.so.4", False),
        ("libcrypto.so.3", False),
        ("sunny.App", False),
        ("jdkhome.App", False),
    ],
)
def test_what_counts_as_a_library(class_name: str, is_library: bool) -> None:
    frames = (*PARK, f"{class_name}.run", "app.Main.main")
    caller, _ = parked_in(frames)
    assert caller == ("app.Main.main" if is_library else f"{class_name}.run")


def two_lines() -> Model:
    """Two lines of one method; another method of the file shares one of them."""
    model = Model()
    model.define_class(1, "app.Box", "Box.java")
    model.define_method(1, 1, "put")
    model.define_method(2, 1, "get")
    events = []
    for number, (method, line) in enumerate(((1, 7), (1, 9), (2, 9)), 1):
        model.define_stack(number, [Frame(method, line=line)])
        begin = 10 * number
        events += [
            Event(begin, 1, EventKind.CONTENDED_ENTER, object=5, stack=number),
            Event(begin + number, 1, EventKind.CONTENDED_ENTERED, object=5),
        ]
    model.ingest(events)
    return model


def test_methods_and_lines_are_keys_of_their_own() -> None:
    model = two_lines()
    by_method = model.statistics("method")
    assert by_method.columns[:2] == ("method", "idle")
    assert {row["method"]: row["blocked_total_ns"] for row in by_method} == {
        "app.Box.put": 3,
        "app.Box.get": 3,
    }
    by_line = model.statistics("line")
    assert by_line.columns[:2] == ("source", "line")
    assert {row["line"]: row["blocked_total_ns"] for row in by_line} == {7: 1, 9: 5}
    both = model.statistics(("method", "line"))
    assert both.columns[:4] == ("method", "source", "line", "idle")
    assert list(both) == list(model.statistics("caller"))
