# SPDX-License-Identifier: Apache-2.0
"""Run tests by Meson or pytest, and count them; see check.py."""

import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
RESULTS = BUILD / "check"
# A number for each call of Meson.
CALLS = count()
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


@dataclass
class Outcome:
    """The counts of a group's tests, and the output of those that failed."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    text: str = ""
    reasons: Counter[str] = field(default_factory=Counter)
    #: of groups: the name, a reason, and how many tests were skipped for it
    where: list[tuple[str, str, int]] = field(default_factory=list)
    #: seconds that the group's processes were on a processor
    processor_s: float = 0.0

    def add(self, other: "Outcome") -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.text += other.text
        self.reasons += other.reasons
        self.where += other.where
        self.processor_s += other.processor_s


@dataclass
class Done:
    """What became of a command."""

    status: int
    text: str
    processor_s: float


def call(command: list[str], **variables: str) -> Done:
    """Run a command without input; its status, all that it wrote, and its cost."""
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout
        text = process.stdout.read()
        # Groups run beside each other: only this call tells their costs apart.
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return Done(process.returncode, text, used.ru_utime + used.ru_stime)


def counted(done: Done, junit: Path) -> Outcome:
    """The counts of a JUnit file. A runner that fails without a failing test (it
    crashed), or that ran nothing, is one failure."""
    outcome = Outcome(text=done.text, processor_s=done.processor_s)
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
    if outcome.failed == 0 and (done.status != 0 or ran == 0):
        outcome.failed = 1
    return outcome


def run_meson(build: Path, *arguments: str, **variables: str) -> Outcome:
    logs = build / "meson-logs"
    # Groups that run at the same time have logs of their own.
    name = f"check-{next(CALLS)}-"
    for old in logs.glob(f"{name}*.junit.xml"):
        old.unlink()
    command = ["meson", "test", "-C", str(build), "--no-rebuild", "--print-errorlogs"]
    command += ["--logbase", name, *arguments]
    done = call(command, **variables)
    # Meson appends the name of a wrapper to that of the log.
    junit = next(logs.glob(f"{name}*.junit.xml"), logs / "none")
    return counted(done, junit)


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
        outcome.add(counted(call(command), junit))
    return outcome


def build_with(build: Path, *options: str) -> Outcome:
    """Bring a build folder up to date; one failure, if it cannot be built."""
    outcome = Outcome()
    commands = [["ninja", "-C", str(build), "--quiet"]]
    if not (build / "build.ninja").exists():
        commands.insert(0, ["meson", "setup", str(build), str(ROOT), *options])
    for command in commands:
        done = call(command)
        outcome.processor_s += done.processor_s
        if done.status:
            outcome.failed = 1
            outcome.text = done.text
            break
    return outcome
