# SPDX-License-Identifier: Apache-2.0
"""Deadlocks are reported on stderr as they happen, and the trace confirms them."""

import re
from datetime import UTC, datetime

import pytest

from conftest import VIRTUAL_SINCE, Java, Recording

STAY_MS = 400
WITHIN_MS = 100
# During one attempt, the machine may run another program.
ATTEMPTS = 5

HEAD = re.compile(r"threadmodel: deadlock of (\d+) threads, found at (\S+), \d+ ms ")
MEMBER = re.compile(r'  "(\w+)" \(thread \d+\) (.+) "(\w+)" \(thread \d+\)')

KINDS = {
    "monitors": {
        ("one", "wants monitor Deadlocks$Right", "other"),
        ("other", "wants monitor Deadlocks$Left", "one"),
    },
    "locks": {
        ("one", "wants synchronizer java.util.concurrent.locks", "other"),
        ("other", "wants synchronizer java.util.concurrent.locks", "one"),
    },
    "mixed": {
        ("one", "wants synchronizer java.util.concurrent.locks", "other"),
        ("other", "wants monitor Deadlocks$Left", "one"),
    },
    "readers": {
        ("one", "wants synchronizer java.util.concurrent.locks", "other"),
        ("other", "wants synchronizer java.util.concurrent.locks", "one"),
    },
    "join": {
        ("one", "waits for the end of", "other"),
        ("other", "wants monitor Deadlocks$Left", "one"),
    },
}


def reported(stderr: str) -> tuple[int, set[tuple[str, str, str]]]:
    """The time at which the deadlock was found, in ms since 1970, and its waits."""
    (head,) = HEAD.finditer(stderr)
    members = MEMBER.findall(stderr)
    assert len(members) == int(head.group(1))
    at = datetime.fromisoformat(head.group(2))
    since = at - datetime.fromtimestamp(0, UTC)
    return round(since.total_seconds() * 1000), set(members)


def assert_recorded(members: set[tuple[str, str, str]], kind: str) -> None:
    for thread, does, other in KINDS[kind]:
        (said,) = (m for m in members if m[0] == thread)
        assert said[1].startswith(does)
        assert said[2] == other


def assert_certain(run: Recording) -> None:
    rows = run.rows("deadlocks")
    assert {(row["thread"], row["owner"]) for row in rows} == {
        ("one", "other"),
        ("other", "one"),
    }
    assert {row["resolved_ns"] for row in rows} == {None}
    assert {row["provenance"] for row in rows} <= {"reported", "exact"}


@pytest.mark.parametrize(
    ("kind", "threads"),
    [
        *((kind, threads) for kind in KINDS for threads in ("platform", "virtual")),
        ("join", "both"),
    ],
)
def test_a_deadlock_is_reported_within_100_ms(java: Java, kind: str, threads: str):
    if threads != "platform" and java.jdk.release < VIRTUAL_SINCE:
        pytest.skip(f"JDK {java.jdk.release} has no virtual threads")
    took_ms = []
    while len(took_ms) < ATTEMPTS and min(took_ms, default=WITHIN_MS + 1) > WITHIN_MS:
        run = java.record("Deadlocks", kind, threads, STAY_MS)
        found_ms, members = reported(run.stderr)
        assert_recorded(members, kind)
        assert_certain(run)
        took_ms.append(found_ms - run.said["last_ms"])
    assert min(took_ms) <= WITHIN_MS


@pytest.mark.every_release
@pytest.mark.parametrize("threads", ["platform", "virtual"])
def test_no_reference_of_another_thread_is_looked_at(java: Java, threads: str):
    """Before JDK 25 JVM TI returns such references for monitors that a virtual thread
    holds. The VM crashes at once if it checks references, else when the carrier has
    gone on."""
    if threads == "virtual" and java.jdk.release < VIRTUAL_SINCE:
        pytest.skip(f"JDK {java.jdk.release} has no virtual threads")
    arguments = ("Deadlocks", "monitors", threads, STAY_MS)
    run = java.record(*arguments, flags=("-Xcheck:jni",))
    assert "FATAL" not in run.stdout + run.stderr
    reported(run.stderr)


def test_a_deadlock_that_a_timeout_will_break_is_reported_as_such(java: Java):
    run = java.record("Deadlocks", "timed", "platform", STAY_MS)
    _, members = reported(run.stderr)
    assert_recorded(members, "locks")
    (head,) = (line for line in run.stderr.splitlines() if HEAD.match(line))
    assert head.endswith("; a timeout will break it")
    (other,) = (
        line for line in run.stderr.splitlines() if line.startswith('  "other"')
    )
    # The rest of an hour when it parks: on a busy machine it parks later.
    most = re.search(r", for at most (\d+) ms$", other)
    assert most
    assert 3_540_000 < int(most[1]) <= 3_600_000


def test_one_that_no_timeout_breaks_is_not_reported_to_be_broken(java: Java):
    run = java.record("Deadlocks", "locks", "platform", STAY_MS)
    reported(run.stderr)
    assert "timeout" not in run.stderr


def test_a_deadlock_is_reported_with_both_places_of_every_member(java: Java):
    run = java.record("Deadlocks", "monitors", "platform", STAY_MS)
    lines = run.stderr.splitlines()
    for wanted in ("Left", "Right"):
        took = next(
            i for i, line in enumerate(lines) if f"- took Deadlocks${wanted}@" in line
        )
        assert "at Deadlocks.monitors(Deadlocks.java:" in lines[took - 1]


def test_a_program_that_only_contends_is_not_reported_to_be_deadlocked(java: Java):
    for program, argument in (("Storm", 20_000), ("Blocks", 3)):
        assert "deadlock" not in java.record(program, argument).stderr
