# SPDX-License-Identifier: Apache-2.0
"""Names, texts and damage of Go's traces."""

import re
import sys
from pathlib import Path

import pytest

import threadmodel
from go_traces import GO, PROGRAMS, RECORDED, ROOT, run
from threadmodel.cli import terminal
from threadmodel.cli.grid import Grid


def damage_of(content: bytes, folder: Path) -> str | None:
    path = folder / "trace.out"
    path.write_bytes(content)
    return threadmodel.open(path).damage


def test_waits_are_named_as_go_names_them() -> None:
    model = threadmodel.open(RECORDED)
    classes = {row["class"] for row in model.timeline()}
    assert {"sync.Mutex", "sync.Cond", "chan receive", "network"} <= classes
    assert model.damage is None
    assert model.run.vm == "Go 1.25"


def test_goroutines_are_named_by_their_function() -> None:
    names = {row["name"] for row in threadmodel.open(RECORDED).threads()}
    assert {"main.main #1", "runtime.bgsweep #3"} <= names
    assert any(name.startswith("main.consumer #") for name in names)


def test_the_caller_is_no_function_of_the_runtime() -> None:
    rows = threadmodel.open(RECORDED).timeline()
    callers = {row["method"] for row in rows if row["class"] == "sync.Cond"}
    assert callers == {"main.main.func2"}


def test_goroutines_of_the_runtime_that_wait_for_work_are_idle() -> None:
    table = threadmodel.open(RECORDED).statistics("method")
    idle = dict(zip(table["method"], table["idle"], strict=True))
    assert idle["runtime.gcBgMarkWorker"]
    assert idle["runtime.bgsweep"]
    assert not idle["main.(*account).move"]


def test_who_waits_for_work_is_not_ranked_among_the_blocked() -> None:
    model = threadmodel.open(RECORDED)
    table = next(
        part
        for section in terminal.sections(model, 30)
        if section.heading.startswith("Threads,")
        for part in section.body
        if isinstance(part, Grid)
    )
    titles = [column.title for column in table.columns]
    names = [row[0] for row in table.rows]
    worker = next(name for name in names if name.startswith("runtime.traceStart"))
    found = {row[0]: (row[titles.index("waiting")], row[-1]) for row in table.rows}
    assert titles[-1] == "idle"
    assert found[worker][0] == "-"
    assert found[worker][1] != "-"
    assert found["main.main #1"][1] == "-"
    assert names.index("main.main #1") < names.index(worker)


def test_a_stretch_without_a_processor_needs_no_reason() -> None:
    path = threadmodel.open(RECORDED).critical_path()
    found = {
        why
        for state, why in zip(path["state"], path["unexplained"], strict=True)
        if state == "runnable"
    }
    assert "not recorded" not in found
    assert None in found


def test_a_trace_of_an_older_release_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(threadmodel.NewerVersionError, match=r"Go 1\.21; .* 1\.22 to"):
        damage_of(b"go 1.21 trace\0\0\0" + RECORDED.read_bytes()[16:], tmp_path)


def test_a_cut_trace_is_read_as_far_as_it_is_whole(tmp_path: Path) -> None:
    content = RECORDED.read_bytes()
    with pytest.warns(threadmodel.DamagedTraceWarning):
        damage = damage_of(content[: len(content) - 100], tmp_path)
    assert damage is not None
    assert "no whole batch of events is at byte" in damage


def test_a_trace_without_the_rate_of_its_clock_is_not_guessed_at(
    tmp_path: Path,
) -> None:
    with pytest.warns(threadmodel.DamagedTraceWarning):
        damage = damage_of(RECORDED.read_bytes()[:40], tmp_path)
    assert damage is not None
    assert len(damage.splitlines()) == 1


JAVA = re.compile(r"\b(Java|JVM|VM|JDK|HotSpot|monitors?|carriers?)\b", re.IGNORECASE)


@pytest.mark.parametrize("command", ["report", "path", "whatif", "stats", "timeline"])
def test_texts_about_go_speak_no_java(command: str) -> None:
    said = run(
        sys.executable, "-m", "threadmodel", command, RECORDED, folder=ROOT
    ).splitlines()
    assert len(said) > 2
    assert not [line for line in said if JAVA.search(line)]


@pytest.mark.skipif(GO is None, reason="there is no go")
def test_what_goroutines_waited_for_before_the_trace_is_known_by_their_stacks(
    tmp_path: Path,
) -> None:
    path = tmp_path / "trace.out"
    run("go", "run", ".", path, folder=PROGRAMS / "before")
    model = threadmodel.open(path)
    seen = {
        row["thread"].split(" ")[0]: (row["state"], row["class"])
        for row in model.timeline()
        if row["thread"].startswith("main.")
        and not row["thread"].startswith("main.main ")
    }
    assert seen == {
        "main.sleeps": ("sleeping", None),
        "main.receives": ("waiting", "chan receive"),
        "main.locks": ("waiting", "sync.Mutex"),
        "main.accepts": ("io", "network"),
    }
