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
)
