# SPDX-License-Identifier: Apache-2.0
"""Services under a closed load, each with changes that are asked about beforehand.

A service's run is as long as its load, so what a change gains is requests a second and
their latency, as its own clients measure them.
"""

import shutil
import statistics
from dataclasses import dataclass
from pathlib import Path

import threadmodel
from cases import Case
from predict import Callee, Hold, Question, Resource, row_of
from rounds import Workshop

# The middle of a rate is right within this share of the real one, a percentile within
# the other.
RATE_RIGHT = 0.15
P99_RIGHT = 0.25

SERVICES = Case(
    name="services",
    program="Services",
    kind="service",
    cause="requests queue for one another",
    removal="more of it, or less of it for each",
    lock=(),
    place=(),
    holder=(),
    fetched=False,
)


@dataclass(frozen=True)
class ServiceChange:
    """Settings of a service as it is, those that change, and what that asks."""

    service: str
    what: str
    settings: tuple[str, ...]
    changed: tuple[str, ...]
    question: Question

    @property
    def before(self) -> tuple[str, ...]:
        return (self.service, *self.settings)

    @property
    def after(self) -> tuple[str, ...]:
        names = {setting.partition("=")[0] for setting in self.changed}
        kept = [it for it in self.settings if it.partition("=")[0] not in names]
        return (self.service, *kept, *self.changed)


QUERY = "Services.query"

SERVICE_CHANGES = (
    ServiceChange(
        "semaphore",
        "8 permits and not 2",
        (),
        ("permits=8",),
        Resource("Services.borrow", more_permits=6),
    ),
    ServiceChange(
        "semaphore",
        "3 fair permits and not 2",
        ("fair=1",),
        ("permits=3",),
        Resource("Services.borrow", more_permits=1),
    ),
    ServiceChange(
        "semaphore",
        "uses half as long",
        (),
        ("query_ms=5",),
        Resource("Services.borrow", factor=0.5),
    ),
    ServiceChange(
        "queue",
        "9 connections and not 3",
        (),
        ("permits=9",),
        Resource("Services.take", more_permits=6),
    ),
    ServiceChange(
        "monitor",
        "the monitor is held for 1 ms and not 3",
        (),
        ("hold_ms=1",),
        Hold("java.lang.Object", 1 / 3, "Services.reserve"),
    ),
    ServiceChange(
        "monitor",
        "a query of 1 ms and not 3, with the monitor held",
        (),
        ("hold_ms=1",),
        Callee(QUERY, 1 / 3),
    ),
    ServiceChange(
        "lock",
        "the lock is held for nothing",
        (),
        ("hold_ms=0",),
        Hold("java.util.concurrent.locks.ReentrantLock$NonfairSync", 0),
    ),
    ServiceChange(
        "stripes",
        "4 locks and not 1",
        (),
        ("stripes=4",),
        Resource("Services.update", more_permits=3),
    ),
    ServiceChange(
        "workers",
        "8 workers and not 2",
        (),
        ("workers=8",),
        Resource("Services.quote", more_permits=6),
    ),
    ServiceChange(
        "workers",
        "a worker's query of 2 ms and not 6",
        (),
        ("query_ms=2",),
        Callee(QUERY, 1 / 3),
    ),
    ServiceChange(
        "readers",
        "the writer holds the lock for 2 ms and not 8",
        (),
        ("hold_ms=2",),
        Hold(
            "java.util.concurrent.locks.ReentrantReadWriteLock$FairSync",
            0.25,
            "Services.reprice",
        ),
    ),
    ServiceChange(
        "readers",
        "the writer's query of 2 ms and not 8",
        (),
        ("hold_ms=2",),
        Callee(QUERY, 0.25),
    ),
    ServiceChange(
        "batches",
        "the sender lingers for 2 ms and not 10",
        (),
        ("linger_ms=2",),
        Callee("Services.linger", 0.2),
    ),
    ServiceChange(
        "semaphore",
        "a query of 6 ms and not 12, of two server threads that need no pool",
        ("threads=2", "permits=9", "query_ms=12"),
        ("query_ms=6",),
        Callee(QUERY, 0.5),
    ),
)


# Of services on which no rule was developed.
HELD_OUT_CHANGES = (
    ServiceChange(
        "limiter",
        "tokens every 10 ms and not every 20",
        (),
        ("refill_ms=10",),
        Callee("MoreServices.pause", 0.5),
    ),
    ServiceChange(
        "cache",
        "the refresher holds the lock for 5 ms and not 15",
        (),
        ("reload_ms=5",),
        Hold(
            "java.util.concurrent.locks.ReentrantReadWriteLock$NonfairSync",
            1 / 3,
            "MoreServices.refresh",
        ),
    ),
    ServiceChange(
        "cache",
        "a reload of 5 ms and not 15",
        (),
        ("reload_ms=5",),
        Callee("MoreServices.reload", 1 / 3),
    ),
    ServiceChange(
        "shards",
        "a shard is held for 2 ms and not 5",
        (),
        ("put_ms=2",),
        Hold("MoreServices$Shard", 0.4),
    ),
    ServiceChange(
        "shards",
        "8 shards and not 2",
        (),
        ("shards=8",),
        Resource("MoreServices$Shard.put", more_permits=6),
    ),
    ServiceChange(
        "bounded",
        "the consumer stores for 2 ms and not 4",
        (),
        ("store_ms=2",),
        Callee("MoreServices.store", 0.5),
    ),
    ServiceChange(
        "bounded",
        "2 consumers and not 1",
        (),
        ("consumers=2",),
        Resource("MoreServices.enqueue", more_permits=1),
    ),
    ServiceChange(
        "endpoint",
        "6 permits and not 3",
        (),
        ("permits=6",),
        Resource("MoreServices.enter", more_permits=3),
    ),
    ServiceChange(
        "endpoint",
        "an answer of 4 ms and not 9",
        (),
        ("answer_ms=4",),
        Resource("MoreServices.enter", factor=4 / 9),
    ),
)


@dataclass(frozen=True)
class Measured:
    """The measurements of a service's clients: medians of rounds."""

    rate: float
    mean_ns: float
    p99_ns: float


@dataclass(frozen=True)
class ServiceOutcome:
    """A prediction for a change of a service, and the effect of the change."""

    change: ServiceChange
    jdk: int
    before: Measured
    after: Measured
    now: float | None
    low: float | None
    rate: float | None
    high: float | None
    p99_ns: int | None
    note: str | None

    @property
    def inside(self) -> bool:
        if self.low is None or self.high is None:
            return False
        return self.low <= self.after.rate <= self.high

    @property
    def close(self) -> bool:
        if self.rate is None:
            return False
        return abs(self.rate / self.after.rate - 1) <= RATE_RIGHT

    @property
    def p99_close(self) -> bool:
        if self.p99_ns is None:
            return False
        return abs(self.p99_ns / self.after.p99_ns - 1) <= P99_RIGHT


def measured(workshop: Workshop, settings: tuple[str, ...], rounds: int) -> Measured:
    runs = [workshop.run(SERVICES, ("service", *settings)) for _ in range(rounds)]
    return Measured(
        statistics.median(run["per_s"] for run in runs),
        statistics.median(run["mean_ns"] for run in runs),
        statistics.median(run["p99_ns"] for run in runs),
    )


def judge_service(
    workshop: Workshop, change: ServiceChange, rounds: int, kept: Path | None
) -> ServiceOutcome:
    """Predict from a recording of the service as it is, then really change it.

    The recording goes to the folder `kept`, if there is one.
    """
    trace, _ = workshop.record(SERVICES, ("service", *change.before))
    row = row_of(threadmodel.open(trace), change.question) or {}
    if kept is None:
        trace.unlink()
    else:
        name = f"{workshop.jdk.release} {change.service} {change.what}.tmt"
        shutil.move(trace, kept / name.replace("/", "|"))
    return ServiceOutcome(
        change,
        workshop.jdk.release,
        measured(workshop, change.before, rounds),
        measured(workshop, change.after, rounds),
        row.get("throughput_now"),
        row.get("throughput_low"),
        row.get("throughput"),
        row.get("throughput_high"),
        row.get("latency_p99_ns"),
        row.get("note"),
    )


def print_service(outcome: ServiceOutcome) -> None:
    before, after = outcome.before, outcome.after
    print(
        f"jdk{outcome.jdk} {outcome.change.service}: {outcome.change.what}\n"
        f"    {before.rate:.0f} a second, then {after.rate:.0f}; p99"
        f" {before.p99_ns / 1e6:.1f} ms, then {after.p99_ns / 1e6:.1f} ms"
    )
    if outcome.rate is None:
        print(f"    {outcome.note or 'no prediction'}", flush=True)
        return
    print(
        f"    predicted {outcome.rate:.0f} ({outcome.low:.0f} to {outcome.high:.0f},"
        f" from {outcome.now:.0f}):"
        f" {'inside' if outcome.inside else 'outside *'}, middle"
        f" {outcome.rate / after.rate - 1:+.0%}{'' if outcome.close else ' *'};"
        f" p99 {(outcome.p99_ns or 0) / 1e6:.1f} ms"
        f"{'' if outcome.p99_close else ' *'}",
        flush=True,
    )


def print_sum_of_services(outcomes: list[ServiceOutcome]) -> None:
    print(
        f"of {len(outcomes)} changes of services predicted"
        f" {sum(it.rate is not None for it in outcomes)}: real rate inside in"
        f" {sum(it.inside for it in outcomes)}, middle within {RATE_RIGHT:.0%} in"
        f" {sum(it.close for it in outcomes)}, 99th percentile within"
        f" {P99_RIGHT:.0%} in {sum(it.p99_close for it in outcomes)}",
        flush=True,
    )
