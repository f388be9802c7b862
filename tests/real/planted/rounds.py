# SPDX-License-Identifier: Apache-2.0
"""Runs the planted programs: compiled for a JDK, in rounds whose order alternates.

A gain is measured pair by pair, each of one run before and one after in the same
round, so that what else the machine does meanwhile touches both.
"""

import json
import math
import os
import shutil
import statistics
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import maven
from cases import Case
from healthy import Healthy
from jdks import AGENT, JDKS, Jdk

HERE = Path(__file__).resolve().parent
POM = HERE / "planted.xml"
PROGRAMS = HERE / "programs"
# What every program is compiled with, and what some are.
SHARED = ("Plan.java",)
HELPERS = ("PooledShop.java", "SlowDisk.java")
ENOUGH_SECONDS = 120
PLANTED, REMOVED = ("--planted",), ("--removed",)


@dataclass(frozen=True)
class Gain:
    """By how much shorter a program runs when it is changed: a value a pair of runs."""

    before_ns: list[int]
    after_ns: list[int]

    @property
    def pairs_ns(self) -> list[int]:
        pairs = zip(self.before_ns, self.after_ns, strict=True)
        return [before - after for before, after in pairs]

    @property
    def median_ns(self) -> float:
        return statistics.median(self.pairs_ns)

    @property
    def error_ns(self) -> float:
        """The standard error of the pairs' mean; of one pair nothing is known: 0."""
        if len(self.pairs_ns) < 2:
            return 0.0
        return statistics.stdev(self.pairs_ns) / math.sqrt(len(self.pairs_ns))

    @property
    def share(self) -> float:
        """Of the length before."""
        return self.median_ns / statistics.median(self.before_ns)

    def __str__(self) -> str:
        before = statistics.median(self.before_ns)
        after = statistics.median(self.after_ns)
        least, most = min(self.pairs_ns), max(self.pairs_ns)
        return (
            f"{before / 1e9:.2f} s, then {after / 1e9:.2f} s: gain "
            f"{self.median_ns / 1e9:.2f} s ({least / 1e9:.2f} to {most / 1e9:.2f} in "
            f"{len(self.pairs_ns)} pairs), {self.share:.0%}"
        )


class Workshop:
    """The programs of some cases, compiled by one JDK into a folder."""

    def __init__(
        self,
        jdk: Jdk,
        folder: Path,
        cases: Iterable[Case | Healthy],
        agent: Path = AGENT,
    ) -> None:
        self.jdk = jdk
        self.folder = folder
        self.agent = agent
        chosen = list(cases)
        self.classpath = str(folder / "classes")
        names = {f"{case.program}.java" for case in chosen} | set(SHARED)
        if any(case.fetched for case in chosen):
            self.classpath += f"{os.pathsep}{maven.fetch(POM)}/*"
            names |= set(HELPERS)
        sources = [str(PROGRAMS / name) for name in sorted(names)]
        subprocess.run(
            [*jdk.compiler(), "-nowarn", "-d", str(folder / "classes")]
            + ["-cp", self.classpath, "-sourcepath", str(PROGRAMS), *sources],
            check=True,
            stderr=subprocess.DEVNULL,
        )
        shutil.copy(PROGRAMS / "logback.xml", folder / "classes")

    def run(
        self, case: Case | Healthy, arguments: Sequence[str], flags: Sequence[str] = ()
    ) -> dict[str, Any]:
        """What a run said of itself: length_ns, work, per_s and its settings."""
        command = [
            self.jdk.tool("java"),
            *flags,
            *case.flags,
            f"-Djava.io.tmpdir={self.folder}",
            *["-cp", self.classpath, case.program, *arguments],
        ]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=ENOUGH_SECONDS,
            cwd=self.folder,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(f"{case.name}: {done.returncode}\n{done.stderr[-4000:]}")
        (said,) = [line for line in done.stdout.splitlines() if line.startswith("{")]
        answer: dict[str, Any] = json.loads(said)
        return answer

    def record(
        self, case: Case | Healthy, arguments: Sequence[str]
    ) -> tuple[Path, dict[str, Any]]:
        """The trace of a run, and what that said of itself."""
        trace = self.folder / f"{case.name}.tmt"
        flag = f"-agentpath:{self.agent}=file={trace}"
        return trace, self.run(case, arguments, [flag])

    def gains(
        self, case: Case, ways: Sequence[Sequence[str]], rounds: int
    ) -> list[Gain]:
        """What each way to run gains over the first, by so many rounds of all."""
        lengths: list[list[int]] = [[] for _ in ways]
        for round_ in range(rounds):
            order = range(len(ways))
            for which in order if round_ % 2 == 0 else reversed(order):
                lengths[which].append(self.run(case, ways[which])["length_ns"])
        return [Gain(lengths[0], after) for after in lengths[1:]]


def machine() -> str:
    """What else goes on here: a gain measured on a busy machine is one of sleeps that
    last longer and of threads that wait for a processor."""
    count = os.cpu_count() or 1
    return f"machine: {count} processors, load {os.getloadavg()[0] / count:.1f} of each"


def runs_on(case: Case | Healthy, jdk: Jdk) -> bool:
    return case.since <= jdk.release <= case.until


def is_best_for(jdk: Jdk, case: Case | Healthy) -> bool:
    """A JDK of this machine runs all that it can, a runtime that was fetched only what
    none of these can."""
    return jdk in JDKS or not any(runs_on(case, own) for own in JDKS)
