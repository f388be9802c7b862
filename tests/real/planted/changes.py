# SPDX-License-Identifier: Apache-2.0
"""Changes of the planted programs, each asked about beforehand as a what-if."""

from dataclasses import dataclass

from cases import CASES, LOCAL
from predict import Callee, Hold, Question, Resource

BY_NAME = {case.name: case for case in CASES}
LOCK = "java.util.concurrent.locks.ReentrantLock$NonfairSync"
READ_WRITE = "java.util.concurrent.locks.ReentrantReadWriteLock$NonfairSync"
CAFFEINE = "com.github.benmanes.caffeine.cache.UnboundedLocalCache.computeIfAbsent"
LOG4J = "org.apache.logging.log4j.core.appender.OutputStreamManager"


@dataclass(frozen=True)
class Change:
    """Settings that a case with its bottleneck is run with, and what that asks."""

    case: str
    what: str
    settings: tuple[str, ...]
    question: Question


SHORTER_JOURNAL = Change(
    LOCAL.name,
    "a shorter hold: the journal takes 5 ms and not 15",
    ("journal_ms=5",),
    Hold("java.lang.Object", 1 / 3),
)

CHANGES = (
    SHORTER_JOURNAL,
    Change(
        "local",
        "a lock that nobody has to wait for",
        ("journal_inside=0",),
        Resource("Local.deposit", more_permits=5),
    ),
    Change(
        "logback",
        "a shorter hold: the disk takes 1 ms and not 3",
        ("write_ms=1",),
        Hold(LOCK, 1 / 3),
    ),
    Change(
        "logback",
        "a split lock: two appenders",
        ("logs=2",),
        Resource("ch.qos.logback.core.OutputStreamAppender.writeBytes", more_permits=1),
    ),
    Change(
        "log4j",
        "a shorter hold: the disk takes 1 ms and not 3",
        ("write_ms=1",),
        Hold(LOG4J, 1 / 3),
    ),
    Change(
        "freemarker-map",
        "a shorter hold: a fetch takes 5 ms and not 10",
        ("fetch_ms=5",),
        Hold("java.util.Collections$SynchronizedMap", 0.5),
    ),
    Change(
        "freemarker-parallel",
        "a shorter hold: a part takes 10 ms and not 20",
        ("part_ms=10",),
        Hold("java.lang.Object", 0.5),
    ),
    Change(
        "caffeine-bin",
        "a faster callee: a load takes 5 ms and not 10",
        ("load_ms=5",),
        Hold(None, 0.5, CAFFEINE),
    ),
    Change(
        "config-readers",
        "a shorter hold: readers use what they read for 10 ms and not 25",
        ("use_ms=10",),
        Hold(READ_WRITE, 0.4),
    ),
    Change(
        "hikari",
        "a larger pool: 6 connections and not 3",
        ("connections=6",),
        Resource("com.zaxxer.hikari.util.ConcurrentBag.borrow", more_permits=3),
    ),
    Change(
        "hikari",
        "a faster callee: a query takes 20 ms and not 40",
        ("query_ms=20",),
        Resource("com.zaxxer.hikari.util.ConcurrentBag.borrow", factor=0.5),
    ),
    Change(
        "c3p0",
        "a larger pool: 6 connections and not 3",
        ("connections=6",),
        Resource(
            "com.mchange.v2.resourcepool.BasicResourcePool.awaitAvailable",
            more_permits=3,
        ),
    ),
    Change(
        "h2-row",
        "a faster callee: the partner takes 5 ms and not 10",
        ("partner_ms=5",),
        Resource("org.h2.mvstore.tx.Transaction.waitForThisToEnd", factor=0.5),
    ),
    Change(
        "hsqldb-table",
        "a faster callee: the partner takes 5 ms and not 10",
        ("partner_ms=5",),
        Resource("org.hsqldb.lib.CountUpDownLatch.await", factor=0.5),
    ),
    Change(
        "caffeine-pool",
        "a larger pool: 8 workers of its own and not 2",
        ("own_workers=8",),
        Resource("java.util.concurrent.CompletableFuture.get", more_permits=6),
    ),
    Change(
        "tailer-poll",
        "a sleep half as long",
        ("poll_ms=20",),
        Callee("org.apache.commons.io.input.Tailer.run", 0.5),
    ),
    Change(
        "netty-loop",
        "a faster callee: the handler takes 4 ms and not 8",
        ("handler_ms=4",),
        Callee("NettyLoop$Slow.lookUp", 0.5),
    ),
    Change(
        "reactor-sink",
        "a removed sleep: a row is stored at once",
        ("store_ms=0",),
        Callee("ReactorSink.store", 0.0),
    ),
)
