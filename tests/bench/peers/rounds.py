# SPDX-License-Identifier: Apache-2.0
"""Commands measured in turn, and what may be said of them.

Every round runs each subject once, in an order that turns with the rounds. One subject
runs twice a round, as itself and as its own rival: what these two differ by is the
noise of the machine, and no ratio that is nearer to 1 is printed.
"""

import math
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

TAIL = 300

Figures = dict[str, float]
Subject = Callable[[], Figures]


class FailedError(Exception):
    """A subject ended with an error; the text is its last words."""


def run(command: Sequence[object], **variables: str) -> tuple[Figures, str]:
    """Run a command to its end: its figures, and what it wrote to standard output."""
    words = [str(word) for word in command]
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as wrong:
        began = time.monotonic()
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=wrong,
            env={**os.environ, **variables},
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall_s = time.monotonic() - began
        out.seek(0)
        wrong.seek(0)
        said = out.read()
        if process.returncode != 0:
            reason = (wrong.read().strip() or said.strip())[-TAIL:]
            raise FailedError(f"{words[0]}: {reason or process.returncode}")
    figures = {
        "wall_s": wall_s,
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "memory_mib": usage.ru_maxrss / 1024,
    }
    return figures, said


def value_of(text: str, key: str) -> float:
    """The value of a line ``key=value``."""
    for line in text.splitlines():
        if line.startswith(f"{key}="):
            return float(line.partition("=")[2])
    raise FailedError(f"no {key}= in {text[-TAIL:]!r}")


@dataclass
class Spread:
    """The figures of several rounds."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        return cls(statistics.median(values), min(values), max(values))


@dataclass
class Row:
    """One subject in one setting: its figures, and their ratios to the base's."""

    setting: str
    subject: str
    figures: dict[str, Spread] = field(default_factory=dict)
    ratios: dict[str, Spread | None] = field(default_factory=dict)
    """None: smaller than the noise."""
    failed: str = ""


@dataclass
class Noise:
    """What a setting's base differs by from itself: the farthest of all rounds."""

    setting: str
    share: dict[str, float]


@dataclass
class Result:
    """What a group found."""

    rows: list[Row] = field(default_factory=list)
    noise: list[Noise] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def add(self, other: "Result") -> None:
        self.rows += other.rows
        self.noise += other.noise
        self.skipped += other.skipped
        self.wrong += other.wrong

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def ratio(ours: Sequence[float], base: Sequence[float], noise: float) -> Spread | None:
    """Ratios round by round. @return None where their median is within the noise"""
    pairs = [a / b for a, b in zip(ours, base, strict=True) if b > 0]
    if not pairs:
        return None
    spread = Spread.of(pairs)
    return None if abs(spread.median - 1) <= noise else spread


def interval(ratios: Sequence[float]) -> tuple[float, float, float]:
    """The mean of ratios with its 95 % interval, by their logarithms."""
    # Not before: a command inherits this process's memory in what it seems to take.
    import scipy.stats

    logs = [math.log(ratio) for ratio in ratios]
    quantile = float(scipy.stats.t.ppf(0.975, len(logs) - 1))
    half = quantile * statistics.stdev(logs) / math.sqrt(len(logs))
    mean = statistics.mean(logs)
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)


def measure(setting: str, subjects: Mapping[str, Subject], rounds: int) -> Result:
    """Run the subjects in turn; the first is the base, and runs twice a round."""
    base = next(iter(subjects))
    order = [*subjects, None]
    samples: dict[str | None, list[Figures]] = {name: [] for name in order}
    failed: dict[str | None, str] = {}
    for number in range(rounds):
        start = number % len(order)
        for name in order[start:] + order[:start]:
            if name in failed:
                continue
            try:
                samples[name].append(subjects[base if name is None else name]())
            except FailedError as reason:
                failed[name] = str(reason)
    if base in failed or None in failed:
        reason = failed.get(base) or failed[None]
        return Result([Row(setting, base, failed=reason)])
    columns = samples[base][0].keys()

    def values(name: str | None, column: str) -> list[float]:
        return [figures[column] for figures in samples[name]]

    noise = {
        column: max(
            abs(b / a - 1) if a else 0.0
            for a, b in zip(values(base, column), values(None, column), strict=True)
        )
        for column in columns
    }
    rows = []
    for name in subjects:
        if name in failed:
            rows.append(Row(setting, name, failed=failed[name]))
            continue
        row = Row(setting, name)
        for column in columns:
            row.figures[column] = Spread.of(values(name, column))
            if name != base:
                row.ratios[column] = ratio(
                    values(name, column), values(base, column), noise[column]
                )
        rows.append(row)
    return Result(rows, [Noise(setting, noise)])
