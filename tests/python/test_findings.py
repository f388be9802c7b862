# SPDX-License-Identifier: Apache-2.0
"""Properties of all findings: their order, their evidence, their completeness."""

import re
from typing import Any

import pytest

from campaign import campaign, run_of
from threadmodel import Event, EventKind, Model
from threadmodel.errors import InvalidArgumentError
from threadmodel.evidence import conditions

Row = dict[str, Any]
MOST = 5
TITLE_WORDS = 12
PARTS = ("waits", "holds", "gain", "advice", "caveat")
LOCK_KINDS = (
    "hot_lock",
    "lock_convoy",
    "oversubscribed_lock",
    "held_while_sleeping",
    "held_while_io",
    "held_while_waiting",
    "held_while_parked",
    "held_while_blocked",
)
LIBRARIES = ("java.", "javax.", "jdk.", "sun.")


def blocked_ns(rows: list[Row]) -> int:
    """Add up the blocks that shares of blame belong to, each once."""
    blocks = {(r["thread_id"], r["start_ns"], r["object"], r["end_ns"]) for r in rows}
    return sum(end - start for _, start, _, end in blocks)


def check_evidence(model: Model, finding: Row, rows: list[Row]) -> None:
    """The figures of a finding are those of the rows that it names."""
    kind, stake = finding["kind"], finding["impact_ns"]
    if kind in LOCK_KINDS:
        assert blocked_ns(rows) == stake
        assert finding["class"] in {row["class"] for row in rows}
        # If there are several locks, all are named, and each was contended.
        named = conditions(finding["evidence_where"])["object"]
        assert {row["object"] for row in rows} == named
    elif kind == "resource_wait":
        # Waits that timed out are in the table, and not in the finding.
        assert sum(row["wait_total_ns"] for row in rows) >= stake
    elif kind == "deadlock":
        ends = [row["resolved_ns"] for row in rows]
        ends = [model.length_ns if end is None else end for end in ends]
        starts = [row["time_ns"] for row in rows]
        assert sum(ends) - sum(starts) == stake
        assert f"of {len(rows)} threads" in finding["title"]
    elif kind == "sleep_on_critical_path":
        assert sum(row["end_ns"] - row["start_ns"] for row in rows) == stake
        assert finding["thread_id"] in {row["thread_id"] for row in rows}
    elif kind == "useless_notify":
        said = re.match(r"(\d+) of", finding["text"])
        # The table's rows are of a method, the finding's of a line.
        assert said
        assert len(rows) >= int(said[1])
    elif kind == "wait_always_times_out":
        assert len(rows) == 1
        assert rows[0]["waiting_total_ns"] >= stake
    elif kind == "long_wait":
        assert len(rows) == 1
        assert rows[0]["state"] == "waiting"
        assert rows[0]["end_ns"] - rows[0]["start_ns"] >= stake
    elif kind == "lock_inversion":
        assert len(rows) >= 2


@campaign(300, 3000)
def test_each_finding_rests_on_the_rows_that_it_names(seed: int) -> None:
    model = run_of(seed)
    for finding in model.findings():
        rows = list(model.evidence(finding))
        assert rows, finding
        check_evidence(model, finding, rows)


def tier(row: Row, standing: set[int]) -> tuple[int, int]:
    """The order: present hangs, known findings, suspected ones, minor ones; then by the
    gain, or by the bound if no gain is known."""
    stands = row["kind"] in ("stuck", "partly_stuck", "starved") or (
        row["kind"] == "deadlock"
        and conditions(row["evidence_where"])["deadlock"] <= standing
    )
    worth = row["bound_ns"] if row["gain_ns"] is None else row["gain_ns"]
    if row["minor"]:
        return 3, -worth
    return 2 if row["suspected"] else 0 if stands else 1, -worth


@campaign(150, 2000)
def test_findings_are_ranked_by_what_is_gained(seed: int) -> None:
    model = run_of(seed)
    rows = list(model.findings())
    standing = {
        row["deadlock"] for row in model.deadlocks() if row["resolved_ns"] is None
    }
    tiers = [tier(row, standing) for row in rows]
    assert tiers == sorted(tiers)
    assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
    assert all(row["text"].endswith(".") for row in rows)
    assert all(row["bound_ns"] <= row["impact_ns"] for row in rows)
    for row in rows:
        parts = [row[part] for part in PARTS]
        assert row["text"] == " ".join(part for part in parts if part is not None)
        assert 1 < len(row["title"].split()) <= TITLE_WORDS
    for kind in {row["kind"] for row in rows}:
        assert sum(row["kind"] == kind for row in rows) <= MOST


def impacts_of(model: Model, kind: str) -> list[int]:
    return [row["impact_ns"] for row in model.findings() if row["kind"] == kind]


def lock_groups(model: Model) -> dict[tuple[Any, ...], dict[str, list[Row]]]:
    """The blocks of each lock by the key that makes several locks one cause: the outer
    class, and the place of the longest block; (None,) if there are several places.
    """
    blocks: dict[str, dict[Any, Row]] = {}
    for row in model.blame():
        if row["object"] is not None:
            key = (row["thread_id"], row["block_start_ns"], row["block_end_ns"])
            blocks.setdefault(row["object"], {})[key] = row
    groups: dict[tuple[Any, ...], dict[str, list[Row]]] = {}
    for lock, found in blocks.items():
        rows = list(found.values())
        longest = max(map(block_ns, rows))
        places = {
            (row["method"], row["source"], row["line"])
            for row in rows
            if block_ns(row) == longest
        }
        outer = (rows[0]["class"] or "").partition("$")[0]
        one = (outer, *places.pop()) if len(places) == 1 else (None,)
        groups.setdefault(one, {})[lock] = rows
    return groups


def block_ns(row: Row) -> int:
    """Return the length of the block of a share."""
    return int(row["block_end_ns"] - row["block_start_ns"])


@campaign(300, 3000)
def test_what_blocks_for_long_is_one_finding_a_cause(seed: int) -> None:
    model = run_of(seed)
    findings = list(model.findings())
    found = {
        conditions(row["evidence_where"])["object"]: row["impact_ns"]
        for row in findings
        if row["kind"] in LOCK_KINDS
    }
    named = [lock for locks in found for lock in locks]
    assert len(named) == len(set(named))
    groups = lock_groups(model)
    doubtful = groups.pop((None,), {})
    for (outer, *_), locks in groups.items():
        rows = [row for of_lock in locks.values() for row in of_lock]
        total = sum(map(block_ns, rows))
        # Blocks that begin and end at once at one object cannot be distinguished here.
        if len(rows) < 5 or not total or total < model.length_ns // 100 or doubtful:
            continue
        if sum(impact >= total for impact in found.values()) >= MOST:
            continue
        # The finding has all its locks, or is part of one that explains more.
        assert found.get(frozenset(locks)) == total or any(
            row["kind"] not in LOCK_KINDS
            and (row["class"] or "").partition("$")[0] == outer
            for row in findings
        )


@campaign(150, 2000)
def test_what_sleeps_on_the_path_for_long_is_found(seed: int) -> None:
    model = run_of(seed)
    totals: dict[Any, int] = {}
    path = list(model.critical_path())
    for row in path:
        ns = row["end_ns"] - row["start_ns"]
        # A sleep of half the run by the thread that it ends with is its given length.
        is_given = row["thread"] == path[-1]["thread"] and ns >= model.length_ns // 2
        if row["state"] == "sleeping" and not is_given:
            key = (row["method"], row["source"], row["line"])
            totals[key] = totals.get(key, 0) + ns
    # A sleep that a finding on a lock, resource or executor reports is not repeated.
    reported = "\n".join(
        str(row["holds"])
        for row in model.findings()
        if row["kind"] != "sleep_on_critical_path"
    )
    expected = [
        total
        for (method, *_), total in totals.items()
        if method
        and total >= model.length_ns // 20
        and not method.startswith(LIBRARIES)
        and ".".join(method.split(".")[-2:]) not in reported
    ]
    found = impacts_of(model, "sleep_on_critical_path")
    assert set(sorted(expected, reverse=True)[:MOST]) <= set(found)
    assert set(found) <= set(totals.values())


@campaign(100, 1500)
def test_the_longest_deadlocks_are_found(seed: int) -> None:
    model = run_of(seed)
    totals: dict[int, int] = {}
    for row in model.deadlocks():
        end = row["resolved_ns"]
        ns = (model.length_ns if end is None else end) - row["time_ns"]
        totals[row["deadlock"]] = totals.get(row["deadlock"], 0) + ns
    expected = sorted(totals.values(), reverse=True)[:MOST]
    assert sorted(impacts_of(model, "deadlock"), reverse=True) == expected


def test_conditions_are_read_as_sql() -> None:
    assert conditions("") == {}
    where = "class = 'it''s and x = ''1''' and line is null and thread_id = -7"
    assert conditions(where) == {
        "class": {"it's and x = '1'"},
        "line": {None},
        "thread_id": {-7},
    }
    where = "object in ('a', 'it''s, ''b''') and line = 1"
    assert conditions(where) == {"object": {"a", "it's, 'b'"}, "line": {1}}
    for wrong in ("class", "class = x", "class = 'a' or line = 1", "a = 'b", "a in ()"):
        with pytest.raises(InvalidArgumentError, match="no condition"):
            conditions(wrong)


def test_a_name_that_is_too_long_leaves_no_condition() -> None:
    model = Model()
    name = "x" * 2000
    model.define_class(1, name)
    model.define_object(100, 1)
    for at in range(0, 100, 10):
        model.ingest(
            [
                Event(1 + at, 1, EventKind.CONTENDED_ENTER, object=100),
                Event(9 + at, 1, EventKind.CONTENDED_ENTERED, object=100),
            ]
        )
    (row,) = model.findings()
    assert (row["class"], row["evidence_where"]) == (name, "")
    assert len(model.evidence(row)) == 0


def test_a_model_without_events_has_no_findings() -> None:
    assert len(Model().findings()) == 0
