# SPDX-License-Identifier: Apache-2.0
"""HPROF's two formats and the report at exit, compared with the program's output."""

import re
from collections import Counter
from pathlib import Path

import pytest

import hprof
from conftest import Java
from test_life import lines_of_agent

ROUNDS = 8


def write(java: Java, program: str, *arguments: object, agent: str) -> Path:
    path = java.folder / "run.out"
    done = java.run(java.command(program, *arguments, agent=f"file={path},{agent}"))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert [file.name for file in java.folder.iterdir()] == ["run.out"]
    (path.parent / "said").write_text(done.stdout)
    return path


def said(path: Path) -> dict[str, int]:
    lines = (path.parent / "said").read_text().splitlines()
    return {key: int(value) for key, value in (line.split("=") for line in lines)}


def test_text_has_the_program_s_own_monitor_times(java: Java):
    path = write(java, "Blocks", ROUNDS, agent="format=a,cutoff=0,stacks=all")
    text = hprof.read_text(path)
    gates = [row for row in text.monitors if row.name == "Blocks$Gate (Java)"]
    assert sum(row.count for row in gates) == ROUNDS
    share = sum(row.self_percent for row in gates) / 100
    measured = share * text.monitor_total_ms * 1e6
    # The precision of the format is milliseconds and hundredths of a percent.
    slack = 1e6 + 0.0002 * text.monitor_total_ms * 1e6 * len(text.monitors)
    assert said(path)["least_ns"] - slack <= measured <= said(path)["most_ns"] + slack
    (top,) = {text.traces[row.trace][0] for row in gates}
    assert re.fullmatch(r"Blocks\$Gate\.pass\(Blocks\.java:\d+\)", top)


def test_text_is_in_order_and_adds_up(java: Java):
    text = hprof.read_text(write(java, "Blocks", ROUNDS, agent="format=a,cutoff=0"))
    assert [row.rank for row in text.monitors] == list(range(1, len(text.monitors) + 1))
    shares = [row.self_percent for row in text.monitors]
    assert shares == sorted(shares, reverse=True)
    assert abs(sum(shares) - 100) < 0.01 * len(shares)
    assert abs(text.monitors[-1].accumulated_percent - 100) < 0.01
    names = Counter(name for name, _ in text.threads.values())
    assert names["blocked"] == 2 * ROUNDS
    assert names["main"] == 1
    assert {text.threads[number][0] for number in text.ended} >= {"blocked", "main"}
    assert min(text.threads) == 200001
    assert min(text.traces) == 300001


def test_text_distinguishes_threads_and_leaves_lines_out_if_asked(java: Java):
    path = write(
        java, "Blocks", ROUNDS, agent="format=a,cutoff=0,thread=y,lineno=n,stacks=all"
    )
    text = hprof.read_text(path)
    gates = [row for row in text.monitors if row.name == "Blocks$Gate (Java)"]
    assert len(gates) == ROUNDS
    assert len({text.trace_threads[row.trace] for row in gates}) == ROUNDS
    assert not re.search(r":\d+\)", path.read_text())


def test_text_leaves_out_what_is_below_the_cutoff(java: Java):
    text = hprof.read_text(write(java, "Blocks", ROUNDS, agent="format=a,cutoff=0.9"))
    assert text.monitor_total_ms > 0
    assert all(row.self_percent >= 90 for row in text.monitors)
    assert len(text.traces) <= len(text.monitors)


def test_binary_has_threads_and_the_stacks_at_which_they_were_blocked(java: Java):
    path = write(java, "Blocks", ROUNDS, agent="format=b,stacks=all")
    read = hprof.read_binary(path)
    names = Counter(name for name, _ in read.threads.values())
    assert names["blocked"] == 2 * ROUNDS
    assert ("main", "main") in read.threads.values()
    assert len(set(read.ended)) == len(read.ended)
    assert [read.threads[number][0] for number in read.ended].count("blocked") == (
        2 * ROUNDS
    )
    tops = {frames[0] for frames in map(tuple_of, read.traces.values()) if frames}
    passing = {top for top in tops if top[:2] == ("Blocks$Gate", "pass")}
    assert {(source, line > 0) for _, _, source, line in passing} == {
        ("Blocks.java", True)
    }
    assert read.tags[-1] == 0x0D
    assert sum(read.samples.values()) == read.sample_total == 0
    assert read.depth == 128
    assert read.times_us == sorted(read.times_us)


def tuple_of(
    frames: list[hprof.Frame],
) -> list[tuple[str | None, str, str | None, int]]:
    return [
        (frame.class_name, frame.method, frame.source, frame.line) for frame in frames
    ]


def test_binary_has_no_lines_and_each_thread_s_stacks_if_asked(java: Java):
    path = write(java, "Blocks", ROUNDS, agent="format=b,lineno=n,thread=y,stacks=all")
    read = hprof.read_binary(path)
    assert {frame.line for frame in read.frames.values()} == {0}
    threads = {
        read.trace_threads[number]
        for number, frames in read.traces.items()
        if frames
        and (frames[0].class_name, frames[0].method) == ("Blocks$Gate", "pass")
    }
    assert len(threads) == ROUNDS


@pytest.mark.parametrize(("format_", "suffix"), [("a", "txt"), ("b", "hprof")])
def test_files_are_named_after_process_and_format(
    java: Java, format_: str, suffix: str
):
    done = java.run(java.command("Blocks", 1, agent=f"format={format_}"))
    assert done.returncode == 0
    (path,) = java.folder.iterdir()
    assert re.fullmatch(rf"threadmodel-\d+\.{suffix}", path.name)


def test_report_at_exit_names_locks_and_threads(java: Java):
    done = java.run(java.command("Blocks", ROUNDS, agent="doe=y,file=/dev/null"))
    assert done.returncode == 0
    assert "Threads were blocked" in done.stderr
    row = next(line for line in done.stderr.splitlines() if "Blocks$Gate " in line)
    assert re.search(r"Blocks\$Gate\.pass:\d+ +8 ", row)
    without = java.run(
        java.command("Blocks", ROUNDS, agent="doe=y,file=/dev/null,lineno=n")
    )
    assert "Blocks$Gate.pass " in without.stderr


def test_report_at_exit_reports_a_deadlock(java: Java):
    done = java.run(java.command("Stuck", 100, agent="doe=y,file=/dev/null"))
    assert done.returncode == 0
    assert "Deadlock at " in done.stderr
    assert re.search(
        r"one wants Stuck\$Right@\w+ \(monitor\), which is held by other", done.stderr
    )


def test_verbose_reports_where_it_goes_and_what_came_of_it(java: Java):
    done = java.run(java.command("Blocks", 1, agent="verbose=y,file=run.tmt"))
    first, last = lines_of_agent(done.stderr)
    assert first.endswith("recording to run.tmt")
    size = (java.folder / "run.tmt").stat().st_size
    assert f"{size} bytes are written, " in last


def test_samples_add_up_in_both_formats(java: Java):
    arguments = (3_000_000, "waited")
    path = write(java, "Flood", *arguments, agent="format=b,cpu=samples,cutoff=0")
    binary = hprof.read_binary(path)
    assert sum(binary.samples.values()) == binary.sample_total
    for file in java.folder.iterdir():
        file.unlink()
    path = write(java, "Flood", *arguments, agent="format=a,cpu=samples,cutoff=0")
    text = hprof.read_text(path)
    assert all(row.trace in text.traces for row in text.samples)
    if text.samples:
        assert abs(text.samples[-1].accumulated_percent - 100) < 0.01
