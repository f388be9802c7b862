# SPDX-License-Identifier: Apache-2.0
"""A program that counts what it does, run bare and recorded, while others work against
it: in the program, beside it, from outside.

    ./dev chaos [--hours H] [--seed N] [--runs N]

What it prints, its exit status and its counts must be the same, and the trace must hold
as many events as it counted, or say how many were lost. Of what else is printed on
stdout, what the VM or an antagonist says at one time and not at another is left out, by
name, and numbers. No mistake in a JNI call may be the agent's. Each run draws a JDK, a
collector, an allocator, options of the agent, whether the VM checks each JNI call, and
up to three antagonists by its seed: `--seed N --runs 1` is that run again. A line a
run, and a summary; exit status 1 where one went wrong, or where the agent's writer was
missed, or the program had no memory left, in more than a tenth of them.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "real"), str(HERE.parent / "jvm")]

from antagonists import (  # noqa: E402
    ALLOCATORS,
    ANTAGONISTS,
    CHECKS,
    COLLECTORS,
    OPTIONS,
    Antagonist,
    Here,
    act,
)

from jdks import AGENT, JDKS, MATRIX, ROOT, Jdk  # noqa: E402
from maven import NotFetchedError, fetch  # noqa: E402

TALLY = Path(os.environ.get("TM_TEST_TALLY", ROOT / "build/tests/jvm/tally"))
ENOUGH_S = 180
BARE_S = 90
ROUNDS = 4_000
STATUS = 7
# A thread of the program that the others need had no memory left.
NO_MEMORY = 9
MOST_ANTAGONISTS = 3
# How often a run is repeated whose program ran out of memory, which is by chance.
TRIES = 3
MISSED = "since the agent's writer had not come by for 2 s"
# Failures that are excused in EXCUSED_MOST runs, or in a tenth of all.
EXCUSED = ("writer missed", "no memory left")
EXCUSED_MOST = 2
OF_PROGRAM = "worker-"
# Messages of the VM on signal handlers when it checks JNI calls: the agent has one, by
# which it survives that its rings' file is cut.
HANDLERS = (
    r"Warning: SIGBUS handler |Signal Handlers:| *SIG\w+: |  \*\*\* "
    r"|Consider using jsig library|$"
)
# Its messages on an error in a native method, and the place of it.
MISTAKE = re.compile(r".*(WARNING|FATAL ERROR) in native method|WARNING: JNI ")
KINDS = {
    "notify_all": "notify_all",
    "unpark": "unpark_called",
    "start": "thread_start_called",
    "sleep": "sleep",
}


@dataclass(frozen=True)
class Plan:
    """A run, as drawn."""

    seed: int
    jdk: Jdk
    collector: str
    allocator: str
    options: str
    checks: str
    antagonists: tuple[Antagonist, ...]

    def __str__(self) -> str:
        names = "+".join(one.name for one in self.antagonists)
        options = self.options or "defaults"
        checks = f" {self.checks}" if self.checks else ""
        return f"{self.jdk} {self.collector} {self.allocator} {options}{checks} {names}"


@dataclass(frozen=True)
class Ran:
    """What became of a process; `lines` are the counts that it printed, and `others`
    what else was printed."""

    status: int | None
    lines: tuple[str, ...]
    others: tuple[str, ...]
    errors: str


class Chaos:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.classes = folder / "classes"
        self.unable: Counter[str] = Counter()
        self._accepted: dict[tuple[Jdk, str], bool] = {}
        oldest = MATRIX[0]
        sources = [str(path) for path in (HERE / "programs").glob("*.java")]
        compiler = [JDKS[-1].tool("javac"), "--release", str(min(oldest.release, 11))]
        subprocess.run([*compiler, "-d", self.classes, *sources], check=True)
        manifest = folder / "manifest"
        manifest.write_text(
            "Premain-Class: Chaos\nCan-Retransform-Classes: true\n"
            "Can-Redefine-Classes: true\n"
        )
        self.jar = folder / "chaos.jar"
        jar = [JDKS[-1].tool("jar"), "cfm", self.jar, manifest]
        subprocess.run([*jar, "-C", self.classes, "."], check=True)
        self.profiler = self._profiler()

    def _profiler(self) -> Path | None:
        """async-profiler, whose jar has its library in it."""
        try:
            jars = fetch(HERE / "chaos.xml")
        except NotFetchedError as reason:
            self.unable[str(reason)] += 1
            return None
        library = "linux-x64/libasyncProfiler.so"
        jar = next(jars.glob("async-profiler*.jar"))
        done = subprocess.run(
            [JDKS[-1].tool("jar"), "xf", jar, library], check=False, cwd=self.folder
        )
        path = self.folder / library
        return path if done.returncode == 0 and path.exists() else None

    def _accepts(self, jdk: Jdk, collector: str) -> bool:
        key = (jdk, collector)
        if key not in self._accepted:
            command = [jdk.tool("java"), *COLLECTORS[collector], "-version"]
            done = subprocess.run(command, check=False, capture_output=True)
            self._accepted[key] = done.returncode == 0
        return self._accepted[key]

    def plan(self, seed: int) -> Plan:
        """What a seed stands for, on this machine."""
        draw = random.Random(seed)
        jdk = draw.choice(MATRIX)
        here = Here(jdk, self.folder, self.folder, self.jar, self.profiler)
        collectors = [name for name in COLLECTORS if self._accepts(jdk, name)]
        allocators = [
            name for name, path in ALLOCATORS.items() if not path or Path(path).exists()
        ]
        able = []
        for one in ANTAGONISTS:
            reason = one.lacks(here)
            if reason:
                self.unable[f"{one.name} on {jdk}: {reason}"] += 1
            else:
                able.append(one)
        chosen = draw.sample(able, draw.randint(1, MOST_ANTAGONISTS))
        return Plan(
            seed,
            jdk,
            draw.choice(collectors),
            draw.choice(allocators),
            draw.choice(OPTIONS),
            draw.choice(CHECKS),
            tuple(chosen),
        )

    def run(self, plan: Plan, folder: Path, is_recorded: bool) -> Ran:
        folder.mkdir(exist_ok=True)
        here = Here(plan.jdk, folder, folder / "run.tmt", self.jar, self.profiler)
        chosen = [
            one for one in plan.antagonists if is_recorded or not one.only_recorded
        ]
        environment = dict(os.environ)
        preloaded = [ALLOCATORS[plan.allocator]] if ALLOCATORS[plan.allocator] else []
        flags = ["-Xmx256m", *COLLECTORS[plan.collector], *plan.checks.split()]
        for one in chosen:
            given = one.environment(here)
            preloaded += [given.pop("LD_PRELOAD")] if "LD_PRELOAD" in given else []
            environment |= given
            flags += one.flags(here)
        if preloaded:
            environment["LD_PRELOAD"] = " ".join(preloaded)
        if is_recorded:
            options = f",{plan.options}" if plan.options else ""
            flags.append(f"-agentpath:{AGENT}=file={here.trace}{options}")
        inside = [one.name for one in chosen if one.inside]
        command = [plan.jdk.tool("java"), *flags, "-cp", str(self.classes), "Chaos"]
        prepares = [one.prepare for one in chosen if one.prepare]
        with (
            (folder / "out").open("w+") as out,
            (folder / "errors").open("w+") as errors,
        ):
            process = subprocess.Popen(
                [*command, str(ROUNDS), *inside],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=errors,
                cwd=folder,
                env=environment,
                preexec_fn=(lambda: [one() for one in prepares]) if prepares else None,
            )
            actor = threading.Thread(
                target=act,
                args=(here, process, chosen),
            )
            actor.start()
            try:
                status = process.wait(ENOUGH_S if is_recorded else BARE_S)
            except subprocess.TimeoutExpired:
                status = None
                process.kill()
                process.wait()
            actor.join()
        lines = (folder / "out").read_text(errors="replace").splitlines()
        return Ran(
            status,
            tuple(line for line in lines if line.startswith(OF_PROGRAM)),
            tuple(line for line in lines if not line.startswith(OF_PROGRAM)),
            (folder / "errors").read_text(errors="replace"),
        )


def tally(trace: Path, thread: str) -> dict[str, int] | str:
    """How many events of each kind a thread has; or what is wrong with the trace."""
    done = subprocess.run(
        [TALLY, trace, thread], check=False, capture_output=True, text=True
    )
    if done.returncode != 0:
        return f"tally ends with {done.returncode}: {done.stderr.strip()}"
    pairs = (line.split("=") for line in done.stdout.splitlines())
    return {key: int(value) for key, value in pairs}


def judge_trace(trace: Path, lines: tuple[str, ...], spoilt: bool) -> list[str]:
    """Return the differences of a trace from the counts of the program.
    @param spoilt  the trace may end before the program does, or be missing"""
    if spoilt and not trace.exists():
        return []
    wrong = []
    for line in lines:
        name, *pairs = line.split()
        counted = {key: int(n) for key, n in (pair.split("=") for pair in pairs)}
        found = tally(trace, name)
        if isinstance(found, str):
            # A trace that was cut ends in mid-block, or is empty.
            return [] if spoilt and " -" not in found else [f"{name}: {found}"]
        lost = found.get("lost", 0)
        for key, kind in KINDS.items():
            have = found.get(kind, 0)
            if have > counted[key]:
                wrong.append(f"{name}: {have} {kind}, and it did {counted[key]}")
            elif have + lost < counted[key] and not spoilt:
                wrong.append(
                    f"{name}: {have} {kind} and {lost} lost, and it did {counted[key]}"
                )
    return wrong


def without_numbers(line: str) -> str:
    return re.sub(r"\d+", "N", line)


def printed(plan: Plan, ran: Ran) -> list[str]:
    """Return the output other than counts, sorted and without varying parts."""
    varying = [one.prints for one in plan.antagonists if one.prints is not None]
    left_out = re.compile("|".join([HANDLERS, *varying]))
    return sorted(
        without_numbers(line) for line in ran.others if not left_out.match(line)
    )


def mistakes(ran: Ran) -> Counter[str]:
    """What the VM found wrong in native methods, each with where, if it says so."""
    found: Counter[str] = Counter()
    for text in ("\n".join(ran.others), ran.errors):
        for line, after in pairwise([*text.splitlines(), ""]):
            if MISTAKE.match(line):
                place = f" {after.strip()}" if after[:1].isspace() else ""
                found[without_numbers(line + place)] += 1
    return found


def judge(chaos: Chaos, plan: Plan, folder: Path) -> tuple[str, list[str]]:
    """Run a plan. @return how it went in a word, and what was wrong"""
    bare = chaos.run(plan, folder / "bare", is_recorded=False)
    if bare.status != STATUS or len(bare.lines) == 0:
        return "bare run fails", []
    wrong: list[str] = []
    for _ in range(TRIES):
        shutil.rmtree(folder / "recorded", ignore_errors=True)
        recorded = chaos.run(plan, folder / "recorded", is_recorded=True)
        if recorded.status is None:
            return "hangs", [f"no end in {ENOUGH_S} s"]
        # Those of the JDK and of other agents are there without ours.
        made = mistakes(recorded).keys() - mistakes(bare).keys()
        if made:
            return "wrong", sorted(made)
        wrong = []
        if recorded.status != bare.status:
            wrong.append(f"status {recorded.status}, bare {bare.status}")
        elif recorded.lines != bare.lines:
            wrong.append(f"{recorded.lines}, bare {bare.lines}")
        elif printed(plan, recorded) != printed(plan, bare):
            wrong.append(f"{printed(plan, recorded)}, bare {printed(plan, bare)}")
        said = "OutOfMemoryError" in recorded.errors
        ran_out = recorded.status == NO_MEMORY or (said and recorded.status != STATUS)
        if not wrong or not (said or ran_out):
            break
    if ran_out:
        return "no memory left", []
    # On a machine that is busy enough the writer is missed, which is said.
    is_missed = MISSED in recorded.errors
    if not wrong:
        spoilt = is_missed or any(one.spoils for one in plan.antagonists)
        wrong = judge_trace(folder / "recorded/run.tmt", recorded.lines, spoilt)
    if wrong:
        wrong += recorded.errors.splitlines()[:20]
    return "wrong" if wrong else "writer missed" if is_missed else "good", wrong


def campaign(seconds: float, first_seed: int, runs: int, kept: Path) -> int:
    """Runs until the time is over. @return how many went wrong"""
    until = time.monotonic() + seconds
    results: Counter[str] = Counter()
    met: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as temporary:
        chaos = Chaos(Path(temporary))
        seed = first_seed
        while time.monotonic() < until and seed < first_seed + runs:
            plan = chaos.plan(seed)
            folder = Path(temporary) / f"run-{seed}"
            folder.mkdir()
            began = time.monotonic()
            result, wrong = judge(chaos, plan, folder)
            results[result] += 1
            met.update(one.name for one in plan.antagonists if result == "good")
            print(
                f"seed {seed}: {plan}: {result}, {time.monotonic() - began:.0f} s",
                flush=True,
            )
            for line in wrong:
                print(f"    {line}", flush=True)
            if wrong:
                shutil.move(folder, kept / f"chaos-{seed}")
            else:
                shutil.rmtree(folder)
            seed += 1
        for reason in sorted(chaos.unable):
            print(f"left out: {reason}")
    print(", ".join(f"{count} {what}" for what, count in results.items()))
    print("good beside: " + ", ".join(f"{name} {n}" for name, n in met.most_common()))
    failed = results["wrong"] + results["hangs"]
    for what in EXCUSED:
        if results[what] > max(EXCUSED_MOST, results.total() / 10):
            print(f"{what} in {results[what]} of {results.total()} runs: too often")
            failed += results[what]
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev chaos", description=__doc__)
    parser.add_argument("--hours", type=float, default=1 / 6)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--runs", type=int, default=1 << 30)
    parser.add_argument("--keep", type=Path, default=ROOT / "build")
    given = parser.parse_args()
    return min(campaign(given.hours * 3600, given.seed, given.runs, given.keep), 1)


if __name__ == "__main__":
    sys.exit(main())
