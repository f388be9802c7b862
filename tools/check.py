# SPDX-License-Identifier: Apache-2.0
"""Run every test of the tree, group by group, and count; called by `./dev check`.

Groups are found, not listed: each suite of C tests that Meson knows, each folder of
tests/ that holds test_*.py, then the C tests once more under the sanitizers and once
under valgrind, and the linters. What a group says is shown when something failed.
"""

import argparse
import json
import os
import re
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import analyze
import branches
import commits
from other_builds import run_layout, run_portable, run_sanitized, run_threads
from runners import (
    BUILD,
    RESULTS,
    ROOT,
    Outcome,
    call,
    counted,
    run_meson,
    run_pytest,
)

SHOWN_LINES = 200
# Groups that run for minutes, with --full or by their names; nightly CI runs them.
FULL_ONLY = {
    "analyze": "static analysis of all C",
    "chaos": "a program under disturbances, for ten minutes",
    "coverage": "the branches that tests take",
    "dist": "two releases in two places, compared",
    "fresh": "the commands of the README in an empty Debian 12",
    "layout": "a VM with compact headers and a monitor table",
    "portable": "other compilers and processors",
    "real": "H2, Tomcat and Graal",
    "spark": "recordings summed up in Spark",
    "tsan": "the agent under the thread sanitizer",
}
# The parts that groups leave out without --full, and runs beside tests: for nightly CI.
NIGHTLY = {
    "./dev check --full valgrind": "long C tests, simulated runs and fuzz inputs",
    "./dev check --full jvm": "all tests on JDK 11, 17, 21 and 25",
    "./dev fuzz --seconds 600": "mutated input for each reader",
    "./dev chaos --hours 0.5": "a program under other disturbances",
}
# Groups that look at a clock or have a browser. All others run beside them, while no
# other process wants the processor, and two at a time when these have ended.
TIMED = ("jvm", "native", "truth", "browser", "chaos", "layout", "real")
LANES = 2
# Groups that look at what others made.
LAST = ("sizes",)
# What a change breaks most often shows here, in a minute.
LONG_TESTS = ("model_hostile", "trace_cost", "trace_damage")
QUICK_FILES = (
    "abi/test_abi.py",
    "abi/test_describe.py",
    "abi/test_programs.py",
    "abi/test_symbols.py",
    "python/test_columns.py",
    "python/test_core.py",
    "python/test_findings.py",
    "python/test_model.py",
    "python/test_scenarios.py",
    "python/test_table.py",
    "python/test_table_text.py",
    "words/test_words.py",
)
FRONT_END = ROOT / "bindings/python/report"
C_FOLDERS = ("include", "libthreadmodel", "agent", "bindings", "tests", "docs")
# Files that are made to cost much memory: they do, under valgrind.
NOT_UNDER_VALGRIND = ("trace_cost",)
# Tests that fail each allocation in turn, cut a file at each byte, or replay hundreds
# of runs: nine tenths of the time that all take under valgrind. The sanitizers run them
# as well.
LONG_UNDER_VALGRIND = (
    *("answer_bounds", "answers", "definitions", "eviction", "groups", "jfr_damage"),
    *("leftover_damage", "model_hostile", "model_memory", "parallel", "trace"),
    *("trace_damage", "trace_faults", "whatif", "whatif_networks"),
    *("whatif_refusals", "whatif_services"),
)
# Memory that a forked child still owned when it ended is not a leak.
VALGRIND = (
    "valgrind --quiet --error-exitcode=99 --leak-check=full"
    " --errors-for-leak-kinds=definite,indirect,possible --num-callers=30"
    # A handler of faults finds all registers as they were.
    " --vex-iropt-register-updates=allregs-at-mem-access"
)


def run_valgrind() -> Outcome:
    """The C tests of one function or room once more, where a read of unset memory or a
    leak ends them; with --full also the long ones, and those of scenarios, inputs of
    the fuzzers and simulated runs."""
    tests, suites, left_out = known_tests(), [], {*NOT_UNDER_VALGRIND}
    if "TM_TEST_FULL" not in os.environ:
        # Tests of other suites have the same names.
        tests = [it for it in tests if "threadmodel:unit" in it["suite"]]
        suites = ["--suite=threadmodel:unit"]
        left_out |= {*LONG_UNDER_VALGRIND}
    return run_meson(
        BUILD,
        f"--wrapper={VALGRIND}",
        "--timeout-multiplier=40",
        *suites,
        *sorted({test["name"] for test in tests} - left_out),
        TM_TEST_SLOW_MACHINE="1",
    )


def run_analysis() -> Outcome:
    """Each known finding is a test that passes; one that is new, or gone, fails."""
    known, wrong = analyze.judge()
    return Outcome(passed=known, failed=len(wrong), text="\n".join([*wrong, ""]))


def run_coverage() -> Outcome:
    """A layer whose branches are taken as they should be is a test that passes."""
    try:
        good, lines = branches.judge()
    except RuntimeError as failure:
        return Outcome(failed=1, text=f"{failure}\n")
    for line in lines:
        print(f"\n    {line}", end="", flush=True)
    print(f"\n    (what is left is in {branches.LEFT})", end=" ", flush=True)
    return Outcome(passed=good, failed=len(lines) - good, text="\n".join(lines))


def run_lint() -> Outcome:
    sources = sorted(
        str(path.relative_to(ROOT))
        for folder in C_FOLDERS
        for path in (ROOT / folder).rglob("*.[ch]")
    )
    python = (
        ["tools", "tests", "bindings"] if (ROOT / "bindings").exists() else ["tools"]
    )
    commands = [
        ["ruff", "check", "--quiet", *python],
        ["ruff", "format", "--check", "--quiet", *python],
        ["clang-format", "--dry-run", "-Werror", *sources],
        ["bash", "-n", "dev", ".ci/run"],
        ["mypy", "--strict", "tools"],
    ]
    if (ROOT / "pyproject.toml").exists():
        commands.append(["mypy"])
    # It is there where the front end was built.
    if (FRONT_END / "node_modules").exists():
        commands.append(["npm", "--prefix", str(FRONT_END), "run", "--silent", "check"])
    outcome = Outcome()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(call, commands))
    for command, done in zip(commands, results, strict=True):
        outcome.processor_s += done.processor_s
        if done.status:
            outcome.add(Outcome(failed=1, text=f"$ {command[0]}\n{done.text}"))
        else:
            outcome.passed += 1
    wrong = commits.faults()
    outcome.add(Outcome(passed=not wrong, failed=len(wrong), text="\n".join(wrong)))
    return outcome


def show(text: str, log: Path) -> None:
    """Print what a failed group said; the whole of it, when long, is in the log."""
    lines = text.splitlines()
    log.write_text(text)
    print("\n".join(lines[-SHOWN_LINES:]), flush=True)
    if len(lines) > SHOWN_LINES:
        print(f"({len(lines) - SHOWN_LINES} lines before these are in {log})")


def run_quick() -> Outcome:
    """The tests that show most faults of a change, in a minute."""
    wanted = {"threadmodel:unit", "threadmodel:scenarios"}
    known = (it for it in known_tests() if wanted & set(it["suite"]))
    names = {test["name"] for test in known} - set(LONG_TESTS)
    outcome = run_meson(BUILD, *sorted(names))
    junit = RESULTS / "quick.xml"
    junit.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += [f"--junitxml={junit}", "-n", str(os.cpu_count()), "--dist=loadfile"]
    command += [f"tests/{name}" for name in QUICK_FILES]
    outcome.add(counted(call(command), junit))
    return outcome


def known_tests() -> list[dict[str, Any]]:
    """The C tests, as Meson describes them."""
    tests: list[dict[str, Any]] = json.loads(
        (BUILD / "meson-info" / "intro-tests.json").read_text()
    )
    return tests


def find_groups() -> dict[str, Callable[[], Outcome]]:
    """Every group by name, the quick ones first. Nothing need be built for that."""
    suites = [
        suite
        for file in sorted((ROOT / "tests").rglob("meson.build"))
        for suite in re.findall(r"suite: '(\w+)'", file.read_text())
    ]
    groups: dict[str, Callable[[], Outcome]] = {"lint": run_lint}
    for name in suites:
        # A machine that has other work is slow, and no test hangs for so long.
        groups[name] = partial(
            run_meson, BUILD, f"--suite=threadmodel:{name}", "--timeout-multiplier=10"
        )
    for folder in sorted(
        {path.parent for path in (ROOT / "tests").glob("*/test_*.py")}
    ):
        groups[folder.name] = partial(run_both, groups.get(folder.name), folder)
    groups["asan"] = run_sanitized
    groups["tsan"] = partial(run_both, run_threads, ROOT / "tests/tsan")
    groups["analyze"] = run_analysis
    groups["valgrind"] = run_valgrind
    groups["coverage"] = run_coverage
    groups["portable"] = run_portable
    groups["layout"] = run_layout
    groups["quick"] = run_quick
    return groups


def run_both(first: Callable[[], Outcome] | None, folder: Path) -> Outcome:
    """A folder's C tests and its Python tests are one group."""
    outcome = first() if first else Outcome()
    outcome.add(run_pytest(folder))
    return outcome


SAYING = threading.Lock()


def run_group(name: str, run: Callable[[], Outcome]) -> Outcome:
    """Run a group, and say what became of it."""
    began = time.monotonic()
    outcome = run()
    with SAYING:
        print(
            f"{name:10} {outcome.passed:5} passed {outcome.failed:3} failed"
            f" {outcome.skipped:3} skipped {time.monotonic() - began:7.1f} s,"
            f" processor {outcome.processor_s:6.1f} s",
            flush=True,
        )
        for reason, count in outcome.reasons.items():
            print(f"    {count} skipped: {reason}", flush=True)
        if outcome.failed:
            show(outcome.text, RESULTS / f"{name}.log")
    return outcome


def run_groups(names: list[str], groups: dict[str, Callable[[], Outcome]]) -> Outcome:
    """Run groups in turn."""
    total = Outcome()
    for name in names:
        outcome = run_group(name, groups[name])
        total.add(outcome)
        total.where.extend((name, *it) for it in outcome.reasons.items())
    return total


def yield_processors() -> None:
    """Let what this thread starts run while no others want the processor."""
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def run_lane(names: deque[str], groups: dict[str, Callable[[], Outcome]]) -> Outcome:
    """Run groups in turn that no other lane has taken."""
    total = Outcome()
    while True:
        try:
            name = names.popleft()
        except IndexError:
            return total
        total.add(run_groups([name], groups))


def run_all(names: list[str], groups: dict[str, Callable[[], Outcome]]) -> Outcome:
    """Run groups that look at a clock in turn, and the others beside them."""
    timed = [name for name in names if name in TIMED]
    last = [name for name in names if name in LAST]
    others = deque(name for name in names if name not in timed + last)
    if not timed or not others:
        return run_groups(names, groups)
    with ThreadPoolExecutor(LANES, initializer=yield_processors) as pool:
        lanes = [pool.submit(run_lane, others, groups)]
        total = run_groups(timed, groups)
        # Two at a time would delay what is timed.
        while len(lanes) < LANES:
            lanes.append(pool.submit(run_lane, others, groups))
        for lane in lanes:
            total.add(lane.result())
    total.add(run_groups(last, groups))
    return total


def left_out(total: Outcome, ran: list[str]) -> Iterator[tuple[str, str]]:
    """Yield, for all that a run without --full leaves out, a command and a text."""
    for name, text in FULL_ONLY.items():
        if name not in ran:
            yield f"./dev check {name}", text
    yield from NIGHTLY.items()
    for name, reason, count in total.where:
        yield f"./dev check --full {name}", f"{count} skipped: {reason}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev check", description=__doc__)
    parser.add_argument("--full", action="store_true", help="longer campaigns")
    parser.add_argument("--list", action="store_true", help="name the groups, run none")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these groups")
    options = parser.parse_args()
    groups = find_groups()
    unknown = [name for name in options.names if name not in groups]
    if unknown:
        print(
            f"dev: no group of tests {unknown[0]!r}: {' '.join(groups)}",
            file=sys.stderr,
        )
        return 2
    if options.list:
        print("\n".join(groups))
        return 0
    if options.full:
        os.environ["TM_TEST_FULL"] = "1"
    RESULTS.mkdir(exist_ok=True)
    # All that `quick` has is in other groups.
    chosen = [it for it in groups if it != "quick"]
    chosen = [it for it in chosen if options.full or it not in FULL_ONLY]
    began = time.monotonic()
    total = run_all(options.names or chosen, groups)
    if not options.names and not options.full:
        print("not run here; nightly CI does, by these commands:")
        for command, text in left_out(total, chosen):
            print(f"    {command:28} {text}")
    print(f"{time.monotonic() - began:.0f} s in all")
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
