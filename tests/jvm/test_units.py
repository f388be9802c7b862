# SPDX-License-Identifier: Apache-2.0
"""Units of work that a program states with Unit.java, compared with its own log."""

import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

import threadmodel
from conftest import FLAGS, TIMEOUT_S, UNIT, Java
from threadmodel import attach

WORKERS, ORDERS, QUERY_MS, SEND_MS = 3, 12, 20, 5
LABELS = {"/orders/new", "/orders/old"}
QUERY = 'SELECT * FROM "Bücher" \U0001f600'
# The clocks are read one after the other, and JFR counts ticks.
SLACK_NS = 50_000
QUIET = "-XX:+EnableDynamicAgentLoading"


def run(java: Java, *flags: str) -> str:
    """Run the program without an agent, and return its output."""
    command = [java.jdk.tool("java"), *FLAGS, *flags, "-cp", str(java.classes)]
    arguments = map(str, ("Orders", WORKERS, ORDERS, QUERY_MS, SEND_MS))
    return subprocess.run(
        [*command, *arguments],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        cwd=java.folder,
        check=True,
    ).stdout


def agrees(model: threadmodel.Model, said: str) -> None:
    """Each unit has a line in the log, whose two lengths bound that of the unit."""
    log = defaultdict(list)
    for line in said.splitlines():
        if line.startswith("unit\t"):
            _, kind, label, least, most = line.split("\t")
            log[kind, label].append((int(least), int(most)))
    found = [row for row in model.units() if row["provenance"] == "reported"]
    kinds = {"order": "order", QUERY: "query"}
    lengths = defaultdict(list)
    for row in found:
        assert row["finished"]
        lengths[kinds[row["kind"]], row["label"] or "-"].append(row["duration_ns"])
    assert {name: len(them) for name, them in lengths.items()} == {
        name: len(them) for name, them in log.items()
    }
    assert {label for _, label in lengths} == LABELS | {"-"}
    for name, them in lengths.items():
        # In sorted order, each length lies between the bounds of the log.
        least = sorted(line[0] for line in log[name])
        most = sorted(line[1] for line in log[name])
        for i, length in enumerate(sorted(them)):
            assert least[i] - SLACK_NS <= length <= most[i] + SLACK_NS
    by_number = {row["unit"]: row for row in found}
    for row in found:
        if row["kind"] == QUERY:
            assert by_number[row["parent"]]["kind"] == "order"
            assert row["thread"].startswith("pool-1-thread-")
        else:
            assert row["parent"] is None
            # It waits for the sender, without a thread.
            assert 0 <= row["elsewhere_ns"] < row["duration_ns"]


@pytest.mark.every_release
def test_the_agent_records_each_unit(java: Java) -> None:
    recording = java.record("Orders", WORKERS, ORDERS, QUERY_MS, SEND_MS)
    assert recording.said["recorded"] == 1
    agrees(recording.model, recording.stdout)
    for row in recording.model.units():
        if row["kind"] == QUERY:
            assert row["sleeping_ns"] >= QUERY_MS * 1_000_000 - SLACK_NS


def test_jfr_records_each_unit(java: Java) -> None:
    file = java.folder / "run.jfr"
    said = run(java, f"-XX:StartFlightRecording=filename={file}")
    agrees(threadmodel.open(file), said)


def test_an_agent_that_is_attached_later_records_what_begins_then(java: Java) -> None:
    trace = java.folder / "late.tmt"
    command = [java.jdk.tool("java"), *FLAGS, QUIET, "-cp", str(java.classes), "Orders"]
    arguments = map(str, (WORKERS, ORDERS, QUERY_MS, SEND_MS, "late"))
    with subprocess.Popen(
        [*command, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=java.folder,
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stdout.readline() == "recorded=0\n"
        with attach.record(process.pid, trace):
            said, _ = process.communicate("go on\n", timeout=TIMEOUT_S)
    assert process.returncode == 0
    agrees(threadmodel.open(trace), said)


def test_without_a_recording_nothing_is_stated_and_nothing_fails(java: Java) -> None:
    assert "recorded=0" in run(java)


def test_the_class_imports_nothing_but_the_jdk() -> None:
    imports = {
        line.split()[1]
        for line in Path(UNIT).read_text().splitlines()
        if line.startswith("import ")
    }
    assert {name.split(".")[0] for name in imports} <= {"java", "jdk"}
