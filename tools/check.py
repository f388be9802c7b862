# SPDX-License-Identifier: Apache-2.0
"""Run every test of the tree, group by group, and count; called by `./dev check`.

Groups are found, not listed: each suite of C tests that Meson knows, each folder of
tests/ that holds test_*.py, then the C tests once more under the sanitizers and once
under valgrind, and the linters. What a group says is shown when something failed.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import analyze
import branches
import commits
import portable

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
RESULTS = BUILD / "check"
SHOWN_LINES = 200
# Groups that run for minutes: with --full, or by their name.
FULL_ONLY = (
    "real",
    "chaos",
    "analyze",
    "tsan",
    "coverage",
    "layout",
    "dist",
    "portable",
    "spark",
)
# A VM whose objects have compact headers, and whose monitors lie in a table; and the
# tests that read owners or objects there.
LAYOUT = (
    "-XX:+UnlockDiagnosticVMOptions -XX:+UseCompactObjectHeaders"
    " -XX:+UseObjectMonitorTable"
)
LAYOUT_RELEASE = "25"
LAYOUT_TESTS = ("calls", "counts", "deadlocks", "held", "synchronizers", "virtual")
# C tests that start threads.
SHARED_BY_THREADS = ("agent", "arrow", "parallel", "recorder", "rings_shared")
# Tests that look at no clock: a worker a processor. All others run one by one; browsers
# take all processors as it is.
PARALLEL = (
    "abi/*",
    "python/*",
    *(
        f"jvm/test_{name}.py"
        for name in (
            "answers",
            "attach",
            "attach_cycles",
            "calls",
            "code",
            "deadlocks",
            "documents",
            "dumps",
            "explain",
            "killed",
            "life",
            "limits",
            "machine",
            "meddled",
            "notebooks",
            "other_vms",
            "owners",
            "recordings",
            "stacks",
            "synchronizers",
            "virtual",
        )
    ),
)
FRONT_END = ROOT / "bindings/python/report"
C_FOLDERS = ("include", "libthreadmodel", "agent", "bindings", "tests", "docs")
# Files that are made to cost much memory: they do, under valgrind.
NOT_UNDER_VALGRIND = ("trace_cost",)
# Memory that a forked child still had in hand when it ended is no leak.
VALGRIND = (
    "valgrind --quiet --error-exitcode=99 --leak-check=full"
    " --errors-for-leak-kinds=definite,indirect,possible --num-callers=30"
    # A handler of faults finds all registers as they were.
    " --vex-iropt-register-updates=allregs-at-mem-access"
)


@dataclass
class Outcome:
    """What became of a group's tests; `text` is for who must mend it."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    text: str = ""
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Outcome") -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.text += other.text
        self.reasons += other.reasons


def call(command: list[str], **variables: str) -> tuple[int, str]:
    """Run a command without input; its status and all that it wrote."""
    done = subprocess.run(
        command,
        check=False,
        cwd=ROOT,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    return done.returncode, done.stdout


def counted(status: int, text: str, junit: Path) -> Outcome:
    """The counts of a JUnit file. A runner that fails without a failing test (it
    crashed), or that ran nothing, is one failure."""
    outcome = Outcome(text=text)
    if junit.exists():
        for case in ElementTree.parse(junit).getroot().iter("testcase"):
            skip = case.find("skipped")
            if case.find("failure") is not None or case.find("error") is not None:
                outcome.failed += 1
            elif skip is not None:
                outcome.skipped += 1
                said = skip.get("message") or (skip.text or "").strip()
                outcome.reasons[said or f"{case.get('name')}, without a reason"] += 1
            else:
                outcome.passed += 1
    ran = outcome.passed + outcome.failed + outcome.skipped
    if outcome.failed == 0 and (status != 0 or ran == 0):
        outcome.failed = 1
    return outcome


def run_meson(build: Path, *arguments: str, **variables: str) -> Outcome:
    logs = build / "meson-logs"
    for old in logs.glob("check*.junit.xml"):
        old.unlink()
    command = ["meson", "test", "-C", str(build), "--no-rebuild", "--print-errorlogs"]
    command += ["--logbase", "check", *arguments]
    status, text = call(command, **variables)
    # Meson appends the name of a wrapper to that of the log.
    junit = next(logs.glob("check*.junit.xml"), logs / "none")
    return counted(status, text, junit)


def run_layout() -> Outcome:
    """Tests of the agent once more, where the VM keeps its objects otherwise."""
    junit = RESULTS / "layout.xml"
    junit.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += [f"--junitxml={junit}", "-k", f"jdk{LAYOUT_RELEASE}"]
    command += [f"tests/jvm/test_{name}.py" for name in LAYOUT_TESTS]
    done = call(command, TM_TEST_JDKS=LAYOUT_RELEASE, TM_TEST_FLAGS=LAYOUT)
    return counted(*done, junit)


def run_pytest(folder: Path) -> Outcome:
    """A folder's tests: first those that run beside others, then those one by one."""
    files = set(folder.glob("test_*.py"))
    beside = {one for name in PARALLEL for one in folder.parent.glob(name)} & files
    # By file: what a file's tests share is made once.
    workers = ["-n", str(os.cpu_count()), "--dist=loadfile"]
    outcome = Outcome()
    for name, chosen, options in (
        ("beside", beside, workers),
        ("alone", files - beside, []),
    ):
        if not chosen:
            continue
        junit = RESULTS / f"{folder.name}-{name}.xml"
        junit.unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        command += [f"--junitxml={junit}", *options, *sorted(map(str, chosen))]
        outcome.add(counted(*call(command), junit))
    return outcome


def build_with(build: Path, *options: str) -> Outcome | None:
    """Bring a build folder up to date. @return what is wrong; None: nothing"""
    commands = [["ninja", "-C", str(build), "--quiet"]]
    if not (build / "build.ninja").exists():
        commands.insert(0, ["meson", "setup", str(build), str(ROOT), *options])
    for command in commands:
        status, text = call(command)
        if status:
            return Outcome(failed=1, text=text)
    return None


def run_sanitized() -> Outcome:
    """The C tests where a bad access, a leak or undefined behaviour ends them."""
    build = ROOT / "build-asan"
    wrong = build_with(
        build,
        "-Db_lundef=false",
        "-Db_sanitize=address,undefined",
        "-Dc_args=-fno-sanitize-recover=undefined -fno-omit-frame-pointer",
    )
    if wrong:
        return wrong
    told = {
        "ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    run = partial(run_meson, build, "--timeout-multiplier=10")
    outcome = run("--no-suite=threadmodel:oracle", **told)
    # What they find out was right without the sanitizers: a tenth shows bad accesses.
    if os.environ.get("TM_TEST_FULL") is None:
        told["TM_TEST_SLOW_MACHINE"] = "1"
    outcome.add(run("--suite=threadmodel:oracle", **told))
    return outcome


def run_threads() -> Outcome:
    """The C tests of what several threads share, where a race ends them."""
    build = ROOT / "build-tsan"
    options = ["-Db_lundef=false", "-Db_sanitize=thread", "-Dpython=disabled"]
    wrong = build_with(build, *options)
    return wrong or run_meson(
        build,
        "--timeout-multiplier=10",
        *SHARED_BY_THREADS,
        TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1",
    )


def run_valgrind() -> Outcome:
    """The C tests once more, where a read of unset memory or a leak ends them."""
    names = {test["name"] for test in known_tests()} - set(NOT_UNDER_VALGRIND)
    return run_meson(
        BUILD,
        f"--wrapper={VALGRIND}",
        "--timeout-multiplier=40",
        *sorted(names),
        TM_TEST_SLOW_MACHINE="1",
    )


def run_analysis() -> Outcome:
    """Each known finding is a test that passes; one that is new, or gone, fails."""
    known, wrong = analyze.judge()
    return Outcome(passed=known, failed=len(wrong), text="\n".join([*wrong, ""]))


def run_portable() -> Outcome:
    """The C tests of the core and the readers on every target. A build that warns is a
    failure; one whose programs nothing here can run is a test that passes."""
    total = Outcome()
    for target in portable.TARGETS:
        command = portable.missing(target)
        if command:
            total.skipped += 1
            total.reasons[f"{target.name}: {command} is not installed"] += 1
            continue
        folder, options = portable.prepare(target)
        wrong = build_with(folder, *options)
        if wrong:
            wrong.text = f"{target.name}:\n{wrong.text}"
            total.add(wrong)
        elif portable.is_run(target):
            total.add(run_meson(folder, "--timeout-multiplier=10"))
        else:
            total.passed += 1
    return total


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
    for command, (status, text) in zip(commands, results, strict=True):
        if status:
            outcome.add(Outcome(failed=1, text=f"$ {command[0]}\n{text}"))
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


def known_tests() -> list[dict[str, Any]]:
    """The C tests, as Meson describes them."""
    tests: list[dict[str, Any]] = json.loads(
        (BUILD / "meson-info" / "intro-tests.json").read_text()
    )
    return tests


def find_groups() -> dict[str, Callable[[], Outcome]]:
    """Every group by name, the quick ones first."""
    suites = {
        suite.split(":")[-1]: suite for test in known_tests() for suite in test["suite"]
    }
    groups: dict[str, Callable[[], Outcome]] = {"lint": run_lint}
    for name, suite in suites.items():
        # A machine that has other work is slow, and no test hangs for so long.
        groups[name] = partial(
            run_meson, BUILD, f"--suite={suite}", "--timeout-multiplier=10"
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
    return groups


def run_both(first: Callable[[], Outcome] | None, folder: Path) -> Outcome:
    """A folder's C tests and its Python tests are one group."""
    outcome = first() if first else Outcome()
    outcome.add(run_pytest(folder))
    return outcome


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
    total = Outcome()
    chosen = [name for name in groups if options.full or name not in FULL_ONLY]
    for name in options.names or chosen:
        print(f"{name:10}", end=" ", flush=True)
        began = time.monotonic()
        outcome = groups[name]()
        print(
            f"{outcome.passed:5} passed {outcome.failed:3} failed"
            f" {outcome.skipped:3} skipped {time.monotonic() - began:7.1f} s",
            flush=True,
        )
        for reason, count in outcome.reasons.items():
            print(f"    {count} skipped: {reason}")
        if outcome.failed:
            show(outcome.text, RESULTS / f"{name}.log")
        total.add(outcome)
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
