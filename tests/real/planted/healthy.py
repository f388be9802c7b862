# SPDX-License-Identifier: Apache-2.0
"""Programs in which nothing is wrong."""

from dataclasses import dataclass

from cases import LAST


@dataclass(frozen=True)
class Healthy:
    """A program in which nothing is wrong, and no finding is expected."""

    name: str
    program: str
    why: str
    settings: tuple[str, ...] = ()
    since: int = 17
    until: int = LAST
    flags: tuple[str, ...] = ()
    fetched: bool = True


def _service(
    number: int, name: str, why: str, *settings: str, since: int = 17
) -> Healthy:
    return Healthy(
        f"service-{name}",
        "HealthyServices",
        why,
        (f"service={number}", *settings),
        since=since,
        fetched=False,
    )


# Programs without jars. Each is paced by a sleep, a timed wait or a timed park.
HEALTHY_SERVICES = (
    _service(0, "executor", "tasks come every 5 ms to 8 workers that take 8 ms each"),
    _service(1, "virtual", "a virtual thread for each task, every 5 ms", since=21),
    _service(2, "scheduled", "a scheduler has tasks of 0.5 ms every 10 and 20 ms"),
    _service(3, "poller", "nobody waits for one that looks every 10 ms"),
    _service(4, "paced", "a consumer is faster than a producer that is paced"),
    _service(5, "sockets", "4 clients think for 8 to 14 ms; 4 threads serve them"),
    _service(6, "cache", "a write lock is held every 50 ms for a moment"),
    _service(7, "flusher", "a writer of batches waits for at most 10 ms"),
    _service(8, "futures", "chains of futures go on after a delay"),
    _service(9, "timers", "a timer, a timed wait and a timed park tick"),
    _service(10, "thinkers", "3 clients think for 8 to 12 ms, and seldom meet"),
    _service(11, "ticker", "the only thread works every 20 ms"),
    _service(12, "sampler", "a thread reads figures every 50 ms"),
)

HEALTHY = (
    Healthy(
        "hikari-enough",
        "HikariShop",
        "2 clients have a connection each and a database that answers at once",
        ("clients=2", "each=6000", "query_ms=0"),
    ),
    Healthy(
        "tomcat-enough",
        "TomcatSite",
        "2 customers have a worker each and a backend that answers at once",
        ("customers=2", "each=3000", "backend_ms=0"),
    ),
    Healthy("jackson-alone", "JacksonAlone", "one thread computes all the time"),
    Healthy(
        "lucene-writers",
        "LuceneCommit",
        "2 clients index documents, as many as there are processors",
        ("clients=2", "each=60000", "sync_ms=0"),
    ),
    Healthy(
        "guava-apart",
        "GuavaTurns",
        "2 clients compute, and seldom want the same monitor",
        ("clients=2", "each=20000", "held=20", "own=100000"),
    ),
    Healthy(
        "disruptor-blocking",
        "DisruptorSpin",
        "one thread computes, and who follows blocks",
    ),
    *HEALTHY_SERVICES,
)
