# SPDX-License-Identifier: Apache-2.0
"""Groups of tests that need a build of their own, or a VM with another layout."""

import os
import sys
from functools import partial

import portable
from runners import (
    RESULTS,
    ROOT,
    Outcome,
    build_with,
    call,
    counted,
    run_meson,
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
SHARED_BY_THREADS = (
    *("agent", "arrow", "parallel", "recorder", "recorder_ends", "recorder_faults"),
    "rings_shared",
)


def run_layout() -> Outcome:
    """Tests of the agent once more, where the VM keeps its objects otherwise."""
    junit = RESULTS / "layout.xml"
    junit.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += [f"--junitxml={junit}", "-k", f"jdk{LAYOUT_RELEASE}"]
    command += [f"tests/jvm/test_{name}.py" for name in LAYOUT_TESTS]
    done = call(command, TM_TEST_JDKS=LAYOUT_RELEASE, TM_TEST_FLAGS=LAYOUT)
    return counted(done, junit)


def run_sanitized() -> Outcome:
    """The C tests where a bad access, a leak or undefined behaviour ends them."""
    build = ROOT / "build-asan"
    outcome = build_with(
        build,
        "-Db_lundef=false",
        "-Db_sanitize=address,undefined",
        # Half the time to compile; lines of a report are known as well.
        "-Doptimization=1",
        "-Dc_args=-fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1",
    )
    if outcome.failed:
        return outcome
    options = {
        "ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    run = partial(run_meson, build, "--timeout-multiplier=10")
    outcome.add(run("--no-suite=threadmodel:oracle", **options))
    # Their answers are checked without the sanitizers: a tenth shows bad accesses.
    if os.environ.get("TM_TEST_FULL") is None:
        options["TM_TEST_SLOW_MACHINE"] = "1"
    outcome.add(run("--suite=threadmodel:oracle", **options))
    return outcome


def run_threads() -> Outcome:
    """The C tests of what several threads share, where a race ends them."""
    build = ROOT / "build-tsan"
    options = ["-Db_lundef=false", "-Db_sanitize=thread", "-Dpython=disabled"]
    outcome = build_with(build, *options)
    if not outcome.failed:
        outcome.add(
            run_meson(
                build,
                "--timeout-multiplier=10",
                *SHARED_BY_THREADS,
                TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1",
            )
        )
    return outcome


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
        built = build_with(folder, *options)
        if built.failed:
            built.text = f"{target.name}:\n{built.text}"
        total.add(built)
        if built.failed:
            continue
        if portable.is_run(target):
            total.add(run_meson(folder, "--timeout-multiplier=10"))
        else:
            total.passed += 1
    return total
