# SPDX-License-Identifier: Apache-2.0
"""Which branches of the layers that take what others made are taken by tests.

    ./dev check coverage

Everything that runs without a JVM runs in a build of its own: unit tests, scenarios,
simulated runs, stored fuzz inputs, the Python tests. What is left stands, line by line,
in build-cov/left.txt.
"""

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build-cov"
LEFT = BUILD / "left.txt"
# Branches of a layer that must be taken, in percent.
WANTED = {"model": 95.0, "trace": 95.0, "formats": 95.0}
SIMULATED_RUNS = "300"
# Where the Python tests find what they import, beside the package.
OTHER_FOLDERS = "tools tests/python tests/jvm tests/real tests/real/planted"


@dataclass
class Source:
    """Of each line that branches, how often each of its branches was taken."""

    lines: dict[int, list[int]] = field(default_factory=dict)

    def add(self, line: int, taken: list[int]) -> None:
        """Add what one program did; a function that is inlined is there many times."""
        known = self.lines.setdefault(line, [])
        known += [0] * (len(taken) - len(known))
        for i, count in enumerate(taken):
            known[i] += count

    def counts(self) -> tuple[int, int]:
        """Return branches taken, and all."""
        taken = sum(sum(count > 0 for count in line) for line in self.lines.values())
        return taken, sum(map(len, self.lines.values()))


def run(command: Sequence[str | Path]) -> tuple[int, str]:
    """Run a command without input; its status and all that it wrote."""
    done = subprocess.run(
        command,
        check=False,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    return done.returncode, done.stdout


def build() -> None:
    commands: list[list[str]] = [["ninja", "-C", str(BUILD), "--quiet"]]
    if not (BUILD / "build.ninja").exists():
        options = ["-Db_coverage=true", "-Dagent=disabled", "-Dpython=enabled"]
        commands.insert(0, ["meson", "setup", str(BUILD), str(ROOT), *options])
    for command in commands:
        status, text = run(command)
        if status:
            raise RuntimeError(f"{' '.join(command)}\n{text}")
    for counts in BUILD.rglob("*.gcda"):
        counts.unlink()


def run_tests() -> None:
    """Whether they pass is what other groups say; one that breaks off takes less."""
    suites = [f"--suite={name}" for name in ("unit", "fuzz", "scenarios")]
    meson = ["meson", "test", "-C", str(BUILD), "--no-rebuild"]
    run([*meson, "--timeout-multiplier=10", *suites])
    run([BUILD / "tests/oracle/simulator", "--runs", SIMULATED_RUNS])
    run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        + ["-n", str(os.cpu_count()), "--dist=loadfile", "-o"]
        + [f"pythonpath={BUILD / 'bindings/python'} {OTHER_FOLDERS}"]
        + ["tests/python"]
    )


def measured() -> Iterator[tuple[str, int, list[int]]]:
    """File, line and how often each branch of it was taken, object by object."""
    for layer in WANTED:
        # The rooms of the model are archives of their own.
        archives = BUILD.glob(f"libthreadmodel/libtm_{layer}*.a.p/*.gcda")
        done = subprocess.run(
            ["gcov", "--json-format", "--branch-probabilities", "--stdout"]
            + sorted(map(str, archives)),
            check=True,
            cwd=BUILD,
            capture_output=True,
            text=True,
        )
        for text in done.stdout.splitlines():
            for file in json.loads(text)["files"]:
                path = (BUILD / file["file"]).resolve()
                if path.is_relative_to(ROOT / "libthreadmodel" / layer):
                    for line in file["lines"]:
                        taken = [branch["count"] for branch in line["branches"]]
                        if taken:
                            yield (
                                str(path.relative_to(ROOT)),
                                line["line_number"],
                                taken,
                            )


def judge() -> tuple[int, list[str]]:
    """Measure, and write what is left.

    Returns: how many layers are as they should be, and a line for each; the lines of
    the others begin with "short: "
    """
    build()
    run_tests()
    sources: dict[str, Source] = defaultdict(Source)
    for name, line, taken in measured():
        sources[name].add(line, taken)
    LEFT.write_text("".join(f"{line}\n" for line in left(sources)))
    lines = []
    good = 0
    for layer, wanted in WANTED.items():
        counts = [
            source.counts()
            for name, source in sources.items()
            if name.startswith(f"libthreadmodel/{layer}/")
        ]
        taken, total = (sum(column) for column in zip(*counts, strict=True))
        share = 100 * taken / total
        good += share >= wanted
        text = f"{layer}: {taken} of {total} branches, {share:.1f} %"
        lines.append(text if share >= wanted else f"short: {text}, {wanted} wanted")
    return good, lines


def left(sources: dict[str, Source]) -> Iterator[str]:
    """Files by what they lack, and below each the lines with branches not taken."""

    def lacks(name: str) -> int:
        taken, total = sources[name].counts()
        return total - taken

    for name in sorted(sources, key=lacks, reverse=True):
        taken, total = sources[name].counts()
        if taken == total:
            continue
        yield f"{name}: {taken} of {total}, {100 * taken / total:.1f} %"
        text = (ROOT / name).read_text().splitlines()
        for line, counts in sorted(sources[name].lines.items()):
            missing = sum(count == 0 for count in counts)
            if missing:
                yield f"    {line:4} {missing}/{len(counts)}  {text[line - 1].strip()}"
