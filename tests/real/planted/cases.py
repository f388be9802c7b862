# SPDX-License-Identifier: Apache-2.0
"""The planted causes: programs whose bottleneck is known, and healthy ones.

A program is a Java main of programs/ that drives a real library. `--planted` has the
bottleneck, `--removed` has not, and `name=value` after either changes one setting.

A case lists words, and a finding must contain one of them: for the object that threads
waited for (`lock`), for the place where they waited (`place`), and for the thread that
held it, used it or was to release it (`holder`). A finding is about the cause if it
names the lock or the place, and its impact is at least half of the gain. The gain is
not declared here but measured.
"""

from dataclasses import dataclass

COMMON_POOL = "-Djava.util.concurrent.ForkJoinPool.common.parallelism="
TWO_CARRIERS = (
    "-Djdk.virtualThreadScheduler.parallelism=2",
    "-Djdk.virtualThreadScheduler.maxPoolSize=2",
    "--enable-native-access=ALL-UNNAMED",
)
LAST = 1000  # of a case that no release removes


@dataclass(frozen=True)
class Case:
    """A program and what is wrong with it."""

    name: str
    program: str
    kind: str
    cause: str
    removal: str
    lock: tuple[str, ...]
    place: tuple[str, ...]
    holder: tuple[str, ...]
    since: int = 17
    until: int = LAST
    flags: tuple[str, ...] = ()
    fetched: bool = True


# Needs nothing but a JDK: what shows that a harness works.
LOCAL = Case(
    name="local",
    program="Local",
    kind="hot monitor",
    cause="clients write to a slow journal while they hold the account's monitor",
    removal="the journal is written to after the monitor is released",
    lock=("java.lang.Object",),
    place=("Local.deposit",),
    holder=("Local.journal",),
    fetched=False,
)
CASES = (
    LOCAL,
    Case(
        name="hikari",
        program="HikariShop",
        kind="connection pool too small",
        cause="12 clients share 3 connections, each in use for a query of 40 ms",
        removal="a connection for each client",
        lock=("HikariPool", "HikariDataSource", "ConcurrentBag"),
        place=("ConcurrentBag.borrow", "HikariPool.getConnection", "PooledShop.order"),
        holder=("executeQuery", "PooledShop.remote", "ConcurrentBag.requite"),
    ),
    Case(
        name="c3p0",
        program="C3p0Shop",
        kind="connection pool too small",
        cause="12 clients share 3 connections, each in use for a query of 40 ms",
        removal="a connection for each client",
        lock=("BasicResourcePool", "C3P0PooledConnectionPool"),
        place=("BasicResourcePool.awaitAvailable", "getConnection", "PooledShop.order"),
        holder=("executeQuery", "PooledShop.remote", "checkinResource"),
    ),
    Case(
        name="h2-row",
        program="H2Rows",
        kind="row lock",
        cause="8 clerks update one row and ask a partner for 10 ms before the commit",
        removal="the row is updated after the partner was asked",
        lock=("org.h2.mvstore.tx.Transaction",),
        place=("Transaction.waitFor", "executeUpdate"),
        holder=("H2Rows.askPartner", "commit"),
    ),
    Case(
        name="hsqldb-table",
        program="HsqldbTable",
        kind="table lock",
        cause="an insert locks the table until the commit, 10 ms of a partner later",
        removal="multiversion concurrency control, which locks no table",
        lock=("org.hsqldb.lib.CountUpDownLatch", "CountUpDownLatch$Sync"),
        place=("CountUpDownLatch.await", "executeUpdate"),
        holder=("HsqldbTable.askPartner", "commit"),
    ),
    Case(
        name="derby-row",
        program="DerbyRows",
        kind="row lock",
        cause="8 clerks update one row and ask a partner for 10 ms before the commit",
        removal="a row for each clerk",
        lock=("org.apache.derby.impl.services.locks",),
        place=("ActiveLock.waitForGrant", "ConcurrentLockSet", "executeUpdate"),
        holder=("DerbyRows.askPartner", "commit"),
    ),
    Case(
        name="logback",
        program="LogbackFile",
        kind="synchronous logger",
        cause="8 clients write each line to a disk of 3 ms under the appender's lock",
        removal="lines are flushed by the buffer and not one by one",
        lock=("ReentrantLock",),
        place=("OutputStreamAppender.writeBytes", "LogbackFile.lambda", "Logger.info"),
        holder=("SlowDisk.write", "OutputStreamAppender.writeBytes"),
    ),
    Case(
        name="log4j",
        program="Log4jFile",
        kind="synchronous logger",
        cause="8 clients write each line to a disk of 3 ms in the stream's manager",
        removal="an asynchronous appender with a queue for all lines",
        lock=("OutputStreamManager",),
        place=("OutputStreamManager.", "OutputStreamAppender", "AbstractLogger"),
        holder=("SlowDisk.write", "OutputStreamManager."),
    ),
    Case(
        name="logback-queue",
        program="LogbackQueue",
        kind="queue between stages",
        cause="8 clients put into a queue of 16 lines, which one worker empties to a"
        " disk of 3 ms",
        removal="a queue that all lines fit into",
        lock=("ArrayBlockingQueue", "ch.qos.logback.core.AsyncAppenderBase"),
        place=("AsyncAppenderBase.put", "ArrayBlockingQueue.put"),
        holder=("SlowDisk.write", "AsyncAppenderBase$Worker", "AsyncAppender-Worker"),
    ),
    Case(
        name="caffeine-bin",
        program="CaffeineBins",
        kind="computeIfAbsent with colliding keys",
        cause="all keys have one hash, so that loads of 10 ms lock one another out",
        removal="keys whose hashes differ",
        lock=("java.util.concurrent.ConcurrentHashMap",),
        place=("LocalCache.computeIfAbsent", "CaffeineBins.get"),
        holder=("CaffeineBins.load",),
    ),
    Case(
        name="caffeine-pool",
        program="CaffeinePool",
        kind="blocking tasks in the common pool",
        cause="loads of 15 ms block the common pool's 2 workers, and 8 clients wait",
        removal="an executor with a thread for each client",
        lock=("java.util.concurrent.ForkJoinPool", "CompletableFuture"),
        place=("CompletableFuture.get", "CaffeinePool.lambda"),
        holder=("CaffeinePool.load",),
        flags=(COMMON_POOL + "2",),
    ),
    Case(
        name="freemarker-map",
        program="FreemarkerMap",
        kind="hot synchronizedMap",
        cause="templates are fetched, 10 ms each, inside computeIfAbsent of a"
        " synchronizedMap",
        removal="a ConcurrentHashMap",
        lock=("java.util.Collections$SynchronizedMap",),
        place=("SynchronizedMap.computeIfAbsent", "FreemarkerMap.lambda"),
        holder=("FreemarkerMap.fetch", "FreemarkerMap.compile"),
    ),
    Case(
        name="freemarker-parallel",
        program="FreemarkerParallel",
        kind="parallelStream inside a lock",
        cause="6 clients fill a page by a parallel stream while they hold its monitor",
        removal="the stream runs before the monitor is entered",
        lock=("java.lang.Object",),
        place=("FreemarkerParallel.fill",),
        holder=("FreemarkerParallel.part",),
        # So many that all clients' streams run at once: with two workers JDK 17 gained
        # nothing from the removal.
        flags=(COMMON_POOL + "16",),
    ),
    Case(
        name="tomcat-workers",
        program="TomcatSite",
        kind="executor too small",
        cause="12 customers have 2 of Tomcat's workers, each 10 ms at a backend",
        removal="a worker for each customer",
        lock=("ThreadPoolExecutor", "executor"),
        place=("TaskQueue", "TomcatSite.visit"),
        holder=("TomcatSite$Page.askBackend", "TomcatSite$Page.doGet"),
    ),
    Case(
        name="sqlite-pinned",
        program="SqlitePinned",
        kind="virtual threads pinned in native code",
        cause="10 clients sleep below SQLite's native frames, and keep both carriers",
        removal="threads of the platform",
        lock=("pinned", "carrier"),
        place=("pinned", "carrier"),
        holder=("SqlitePinned$Remote.xFunc", "org.sqlite"),
        since=24,
        flags=TWO_CARRIERS,
    ),
    Case(
        name="hsqldb-pinned",
        program="HsqldbPinned",
        kind="virtual threads pinned by synchronized",
        cause="10 clients sleep in a synchronized method of HSQLDB's session",
        removal="threads of the platform",
        lock=("pinned", "carrier"),
        place=("pinned", "carrier"),
        holder=("HsqldbPinned.remote", "org.hsqldb.Session"),
        since=21,
        until=23,
        flags=TWO_CARRIERS,
    ),
    Case(
        name="config-readers",
        program="ConfigReaders",
        kind="read-write lock held by readers",
        cause="a writer waits for 6 readers, who hold the read lock for 25 ms of use",
        removal="the readers use what they read after they released the lock",
        lock=("ReentrantReadWriteLock", "ReadWriteSynchronizer"),
        place=("ReadWriteSynchronizer.beginWrite", "setProperty"),
        holder=("ConfigReaders.use", "ConfigReaders.reader"),
    ),
    Case(
        name="pool-herd",
        program="PoolHerd",
        kind="notifyAll herd",
        cause="each return to Commons Pool 1.3 wakes all of 300 clients who wait",
        removal="Commons Pool 2, which wakes one",
        lock=("org.apache.commons.pool.impl.GenericObjectPool",),
        place=("GenericObjectPool.borrowObject",),
        holder=("GenericObjectPool.addObjectToPool", "GenericObjectPool.returnObject"),
    ),
    Case(
        name="tailer-poll",
        program="TailerPoll",
        kind="sleep used for polling",
        cause="each line waits until the Tailer looks, every 40 ms",
        removal="it looks every millisecond",
        lock=("java.util.concurrent.Semaphore", "Tailer.run"),
        place=("Tailer.run", "ThreadUtils.sleep", "Semaphore.acquire"),
        holder=("Tailer.run", "ThreadUtils.sleep"),
    ),
    Case(
        name="netty-loop",
        program="NettyLoop",
        kind="slow handler in an event loop",
        cause="the only event loop of the server blocks for 8 ms in a handler",
        removal="the handler runs in an executor of 8 threads",
        lock=("ArrayBlockingQueue", "EventLoop", "server-"),
        place=("NettyLoop.ask", "NettyLoop$Slow.lookUp", "NettyLoop$Slow.channelRead"),
        holder=("NettyLoop$Slow.lookUp", "NettyLoop$Slow.channelRead"),
    ),
    Case(
        name="reactor-sink",
        program="ReactorSink",
        kind="slow consumer",
        cause="one consumer stores all rows of a stream, 10 ms each",
        removal="8 consumers",
        lock=("sink-", "CountDownLatch", "BlockingLastSubscriber", "Flux.blockLast"),
        place=("ReactorSink.store", "Flux.blockLast", "ReactorSink.lambda"),
        holder=("ReactorSink.store", "ReactorSink.lambda"),
    ),
    Case(
        name="h2-straggler",
        program="H2Import",
        kind="CountDownLatch with one straggler",
        cause="one of 4 parts has 280 of 400 rows, and all wait for it",
        removal="parts of the same size",
        lock=("java.util.concurrent.CountDownLatch",),
        place=("CountDownLatch.await", "H2Import.main"),
        holder=("import-0",),
    ),
    Case(
        name="jackson-catalog",
        program="JacksonCatalog",
        kind="class initialisation",
        cause="a class fetches data for 2 s when it is initialised, and 6 clients wait",
        removal="nothing is fetched",
        lock=("JacksonCatalog$Catalog",),
        place=("JacksonCatalog.lambda", "initialis", "initializ"),
        holder=("JacksonCatalog$Catalog.load", "JacksonCatalog$Catalog.<clinit>"),
    ),
    Case(
        name="dbcp",
        program="DbcpShop",
        kind="connection pool too small",
        cause="12 clients share 3 connections, each in use for a query of 40 ms",
        removal="a connection for each client",
        lock=("GenericObjectPool", "BasicDataSource", "LinkedBlockingDeque"),
        place=("GenericObjectPool.borrowObject", "getConnection", "PooledShop.order"),
        holder=("executeQuery", "PooledShop.remote", "GenericObjectPool.returnObject"),
    ),
    Case(
        name="tomcat-jdbc",
        program="TomcatPoolShop",
        kind="connection pool too small",
        cause="12 clients share 3 connections, each in use for a query of 40 ms",
        removal="a connection for each client",
        lock=("tomcat.jdbc.pool", "FairBlockingQueue", "ConnectionPool"),
        place=("ConnectionPool.borrowConnection", "getConnection", "PooledShop.order"),
        holder=("executeQuery", "PooledShop.remote", "returnConnection"),
    ),
    Case(
        name="guava-stripes",
        program="GuavaStripes",
        kind="lock striping too coarse",
        cause="8 clients change accounts of their own for 8 ms under one lock",
        removal="256 locks, so that no two clients have the same one",
        lock=("Striped", "ReentrantLock"),
        place=("GuavaStripes.change",),
        holder=("GuavaStripes.store",),
    ),
    Case(
        name="guava-turns",
        program="GuavaTurns",
        kind="wake-up latency of a fair lock",
        cause="a fair monitor is given to a client who must be woken, at each use",
        removal="a monitor that is not fair",
        lock=("ReentrantLock$FairSync", "util.concurrent.Monitor"),
        place=("Monitor.enter", "GuavaTurns.count"),
        # Nobody holds it most of the time: this is to be said.
        holder=("woken", "wake-up"),
    ),
    Case(
        name="jetty-workers",
        program="JettySite",
        kind="executor too small",
        cause="12 customers have 2 of Jetty's workers, each 10 ms at a backend",
        removal="a worker for each customer",
        lock=("QueuedThreadPool", "executor", "qtp"),
        place=("QueuedThreadPool", "JettySite.visit"),
        holder=("JettySite$Page.askBackend", "JettySite$Page.handle"),
    ),
    Case(
        name="disruptor-spin",
        program="DisruptorSpin",
        kind="too few processors",
        cause="5 followers of a Disruptor spin, and main has no processor to compute",
        removal="followers that block until there is a price",
        lock=("processor",),
        place=("main",),
        holder=("follower-",),
    ),
    Case(
        name="lucene-commit",
        program="LuceneCommit",
        kind="commit of each document",
        cause="8 clients commit each document, and wait for one another's disk",
        removal="one commit for all documents",
        lock=("java.lang.Object", "IndexWriter"),
        place=("IndexWriter.commit", "LuceneCommit.lambda"),
        holder=("LuceneCommit$SlowDirectory.sync", "IndexWriter.startCommit"),
    ),
)
