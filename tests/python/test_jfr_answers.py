# SPDX-License-Identifier: Apache-2.0
"""Answers for JFR: parks without wakers, empty files and folders of chunks."""

import shutil
import warnings
from pathlib import Path
from typing import Any

import pytest

import threadmodel
from conftest import Cli
from story import JDK, KIND, QUEUE, TAKE, Story
from threadmodel import Event, Writer

PARKS = frozenset({KIND.PARK, KIND.UNPARKED, KIND.CONTENDED_ENTER})


def parks(
    threads: int = 3,
    times: int = 4,
    kinds: frozenset[Any] = PARKS,
    stack: int = TAKE,
    length: int = 20,
) -> list[dict[str, Any]]:
    """Return the finding on threads that park at one place many times."""
    story = Story(threads, kinds)
    for thread in range(1, threads + 1):
        story.at(0, thread, KIND.THREAD_START)
        for number in range(times):
            start = number * 25 + thread
            story.at(start, thread, KIND.PARK, object=QUEUE, stack=stack)
            story.at(start + length, thread, KIND.UNPARKED, object=QUEUE)
        story.at(times * 25 + 10, thread, KIND.THREAD_END)
    return list(story.findings("long_park"))


def test_threads_that_park_at_one_place_are_named() -> None:
    (row,) = parks()
    assert row["title"] == "3 threads wait in Queue.take"
    assert row["waits"] == (
        "3 threads waited 12 times in Queue.take:30 for Queue, 240 ms in all; the "
        "longest wait took 20.0 ms."
    )
    assert row["suspected"]
    assert (row["impact_ns"], row["bound_ns"]) == (240_000_000, 80_000_000)
    assert "does not say who wakes" in row["caveat"]


@pytest.mark.parametrize(
    "choices",
    [
        {"threads": 1, "times": 12},
        {"threads": 3, "times": 2},
        {"length": 1},
        {"stack": JDK},
        {"kinds": PARKS | {KIND.UNPARK_CALLED}},
    ],
    ids=["one thread", "seldom", "short", "a library", "wakers are recorded"],
)
def test_what_is_no_finding(choices: dict[str, Any]) -> None:
    assert parks(**choices) == []


def test_a_file_without_events_cannot_be_judged(cli: Cli, tmp_path: Any) -> None:
    path = tmp_path / "empty.tmt"
    with Writer(path):
        pass
    done = cli("report", path)
    assert done.returncode == 2
    assert b"no event of threads or locks was found" in done.stderr
    assert b"Cannot tell" in done.stdout


def test_samples_alone_have_no_duration(cli: Cli, tmp_path: Any) -> None:
    path = tmp_path / "samples.tmt"
    with Writer(path) as writer:
        writer.define_thread(1, "main")
        writer.ingest([Event(at, 1, KIND.CPU_SAMPLE) for at in (1_000, 2_000)])
    done = cli("report", path)
    assert done.returncode == 2
    assert b"no duration was found, only 2 samples or single events" in done.stderr


RECORDING = Path(__file__).parents[1] / "fuzz/corpus/jfr/recording"


def test_a_folder_of_chunks_is_read_as_one_recording(tmp_path: Path) -> None:
    shutil.copy(RECORDING, tmp_path / "2026_01_01_00_00_00.jfr")
    (tmp_path / "2026_01_01_00_00_01.jfr.part").touch()
    (tmp_path / "notes.txt").write_text("not a chunk")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alone, folder = threadmodel.open(RECORDING), threadmodel.open(tmp_path)
    assert folder.event_count == alone.event_count > 0


def test_the_folder_that_jvms_are_given_has_one_for_each(tmp_path: Path) -> None:
    for name in ("1", "2"):
        chunk = tmp_path / name / "2026_01_01_00_00_00.jfr"
        chunk.parent.mkdir()
        shutil.copy(RECORDING, chunk)
        if name == "1":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert threadmodel.open(tmp_path).event_count > 0
    with pytest.raises(threadmodel.FormatError, match=r"2 JVMs: name one of .*/1, "):
        threadmodel.open(tmp_path)


def test_a_recording_of_an_older_version_is_named(tmp_path: Path) -> None:
    path = tmp_path / "old.jfr"
    path.write_bytes(b"FLR\0\0\0\0\x09" + bytes(100))
    with pytest.raises(threadmodel.FormatError, match=r"version 0\.9, which is not"):
        threadmodel.open(path)


def test_a_folder_without_chunks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(threadmodel.FormatError, match="a folder without recordings"):
        threadmodel.open(tmp_path)
