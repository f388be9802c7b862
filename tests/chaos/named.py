# SPDX-License-Identifier: Apache-2.0
"""Campaigns of many short runs.

    ./dev chaos native   [--seed N] [--runs N] [--hours H]
    ./dev chaos options  [--seed N] [--runs N] [--hours H]
    ./dev chaos kills    [--seed N] [--runs N] [--hours H]

native: a native program does anything, as its seed says, bare and recorded. What it
prints and how it ends must be the same, and its trace whole.

options: a program in a JVM counts what it does, under options of the VM and of the
agent that are drawn. The same must hold, and its trace must have what it counted.

kills: SIGKILL at an instant that is drawn ends a JVM, a native program, its recorder,
or a job that sums up recordings, or a worker of it. All that a program had noted before
is in the trace; one whose recorder is gone goes on; no run is missing in a summary.

A line for each run that went wrong, one for each hundred, and a summary with the seed
to go on with. Exit status 1 where one went wrong.
"""

import argparse
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / folder) for folder in ("native", "jvm", "real")]
sys.path.insert(0, str(HERE.parents[1] / "build/bindings/python"))

import chaos  # noqa: E402
from antagonists import COLLECTORS  # noqa: E402
from recording import environment, program, recorder  # noqa: E402
from test_random import wrong_with  # noqa: E402

import threadmodel  # noqa: E402
from jdks import AGENT, JDKS, MATRIX, Jdk  # noqa: E402

# Of a run of options: a tenth of what a program does beside antagonists.
ROUNDS = 400
THREADS = 4
ENOUGH_S = 60
TRACES = 12

#: options of VMs that change what threads, locks, code or memory are like
FLAGS = (
    *("-Xint", "-XX:TieredStopAtLevel=1", "-XX:-TieredCompilation", "-Xbatch"),
    *("-Xcheck:jni", "-Xss512k", "-XX:-UseCompressedOops", "-Xshare:off"),
    *("-XX:+PreserveFramePointer", "-XX:-StackTraceInThrowable", "-Xrs"),
    *("-XX:+AlwaysPreTouch", "-XX:-UsePerfData", "-XX:+UseStringDeduplication"),
    *("-XX:ActiveProcessorCount=1", "-Xmn8m", "-XX:+ExplicitGCInvokesConcurrent"),
    *("-XX:-Inline", "-XX:-DoEscapeAnalysis", "-XX:-EliminateLocks"),
    *("-XX:+UseCountedLoopSafepoints", "-XX:ReservedCodeCacheSize=16m"),
)
#: for each option of the agent what it may be
OPTIONS = {
    "stacks": ("all", "none"),
    "rings": ("none",),
    "held": ("y",),
    "cpu": ("samples",),
    "mount": ("y",),
    "buffer": ("64", "1024"),
    "budget": ("1%", "0.2%"),
    "doe": ("y",),
    "memory": ("32",),
    "io": ("n",),
    "gc": ("n",),
    "switches": ("n",),
}

Run = Callable[[int, Path], str | None]


def options() -> Run:
    """Draws options, and has the program of chaos run under them."""
    temporary = Path(tempfile.mkdtemp())
    of = chaos.Chaos(temporary)
    chaos.ROUNDS = ROUNDS
    known: dict[tuple[object, ...], bool] = {}

    def accepted(jdk: Jdk, flags: tuple[str, ...]) -> bool:
        key = (jdk, *flags)
        if key not in known:
            done = subprocess.run(
                [jdk.tool("java"), *flags, "-version"], check=False, capture_output=True
            )
            known[key] = done.returncode == 0 and b"warning" not in done.stderr
        return known[key]

    def draw(seed: int) -> chaos.Plan:
        drawn = random.Random(seed)
        jdk = drawn.choice(MATRIX)
        flags = tuple(drawn.sample(FLAGS, drawn.randint(0, 4)))
        flags = tuple(flag for flag in flags if accepted(jdk, (flag,)))
        collector = drawn.choice(sorted(COLLECTORS))
        if not accepted(jdk, (*COLLECTORS[collector], *flags)):
            collector = "serial"
        if not accepted(jdk, (*COLLECTORS[collector], *flags)):
            flags = ()
        names = drawn.sample(sorted(OPTIONS), drawn.randint(0, 4))
        given = ",".join(f"{name}={drawn.choice(OPTIONS[name])}" for name in names)
        return chaos.Plan(seed, jdk, collector, "glibc", given, " ".join(flags), ())

    def run(seed: int, folder: Path) -> str | None:
        plan = draw(seed)
        result, wrong = chaos.judge(of, plan, folder)
        if result in ("good", *chaos.EXCUSED):
            return None
        return f"{plan}: {result}" + "".join(f"\n    {line}" for line in wrong)

    return run


def compile_killed(folder: Path) -> None:
    programs = HERE.parent / "jvm/programs"
    sources = [str(programs / f"{name}.java") for name in ("Killed", "Truth")]
    compiler = [JDKS[0].tool("javac"), "--release", "11", "-nowarn"]
    subprocess.run(
        [*compiler, "-d", str(folder), *sources], check=True, capture_output=True
    )


def noted(counts: Path, order: str) -> list[int]:
    return list(struct.unpack(f"{order}{THREADS}q", counts.read_bytes()))


def rung(model: threadmodel.Model) -> list[int]:
    """How often threads of the JVM have called notify."""
    names = [
        row["from_thread"] for row in model.interactions() if "notify" in row["kind"]
    ]
    return [names.count(f"ringer-{i}") for i in range(THREADS)]


def slept(model: threadmodel.Model) -> list[int]:
    """How often threads of the native program have slept."""
    found = {row["name"]: row["sleeping_count"] for row in model.threads()}
    return [found.get(f"sleeper-{i}", 0) for i in range(THREADS)]


def missing(
    trace: Path, counts: list[int], did: Callable[[threadmodel.Model], list[int]]
) -> str | None:
    """What a trace lacks of what the threads of a program noted."""
    model = threadmodel.open(str(trace))
    found = did(model)
    causes = {row["cause"]: row["count"] for row in model.diagnostics()}
    lost = causes.get("lost_by_producer", 0)
    if lost:
        return (
            None if sum(found) + lost >= sum(counts) else f"{counts}, {found}, {lost}"
        )
    exact = all(n <= f <= n + 1 for n, f in zip(counts, found, strict=True))
    return None if exact and not model.damage else f"{counts}, {found}: {model.damage}"


def when_ringing(
    command: list[str], kill: Callable[[subprocess.Popen[str]], None], after_s: float
) -> int:
    """Run a program that prints a line when it has begun."""
    with subprocess.Popen(
        command,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(after_s)
        kill(process)
        return process.wait(ENOUGH_S)


def kill_jvm(seed: int, folder: Path, classes: Path) -> str | None:
    drawn = random.Random(seed)
    jdk = drawn.choice(MATRIX)
    trace, counts = folder / "run.tmt", folder / "counts"
    command = [jdk.tool("java"), f"-agentpath:{AGENT}=file={trace}"]
    command += ["-cp", str(classes), "Killed", str(counts)]
    when_ringing(command, lambda process: process.kill(), drawn.random() * 0.4)
    return missing(trace, noted(counts, ">"), rung)


def below(pid: int) -> dict[str, int]:
    """The processes that a process started, and those that they did, by name."""
    found: dict[str, int] = {}
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
        for child in map(int, text.split()):
            found[Path(f"/proc/{child}/comm").read_text().strip()] = child
            found |= below(child)
    except OSError:
        pass
    return found


def kill_native(seed: int, folder: Path) -> str | None:
    trace, counts = folder / "run.tmt", folder / "counts"
    command = recorder(trace, program("noted"), str(counts))

    def kill(process: subprocess.Popen[str]) -> None:
        os.kill(below(process.pid)["native_noted"], 9)

    status = when_ringing(command, kill, random.Random(seed).random() * 0.4)
    if status != 128 + 9:
        return f"status {status}"
    return missing(trace, noted(counts, "="), slept)


def kill_recorder(seed: int, folder: Path) -> str | None:
    """The program goes on, and the trace has no more than it did."""
    trace, counts = folder / "run.tmt", folder / "counts"
    command = recorder(trace, program("noted"), str(counts))
    stopped: list[bool] = []

    def kill(process: subprocess.Popen[str]) -> None:
        processes = below(process.pid)
        (own,) = (pid for name, pid in processes.items() if "threadmodel-nat" in name)
        os.kill(own, 9)
        before = noted(counts, "=")
        time.sleep(0.1)
        stopped.append(noted(counts, "=") == before)
        os.kill(processes["native_noted"], 9)

    when_ringing(command, kill, random.Random(seed).random() * 2)
    if stopped != [False]:
        return "the program stands still"
    # Until something has happened the trace may have another name, or none.
    for each in folder.glob("*.tmt*"):
        try:
            model = threadmodel.open(str(each))
        except threadmodel.ThreadmodelError as error:
            if not re.search(r"empty|no event|cut|damaged|holds", str(error)):
                return f"{each.name}: {error}"
            continue
        if sum(slept(model)) > sum(noted(counts, "=")) + THREADS:
            return "more than the program did"
    return None


def kill_worker(seed: int, folder: Path, traces: list[Path]) -> str | None:
    runs = folder / "runs"
    runs.mkdir()
    for trace in traces:
        shutil.copy(trace, runs)
    command = [sys.executable, "-m", "threadmodel", "fleet", "summarize", str(runs)]
    command += ["-o", str(folder / "set"), "--workers", "2"]
    drawn = random.Random(seed)
    with subprocess.Popen(
        command,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        time.sleep(drawn.random() * 3)
        # The job itself, or a worker; its children end by themselves.
        workers = [process.pid, *below(process.pid).values()]
        os.kill(drawn.choice(workers), 9)
        process.wait(ENOUGH_S)
    done = subprocess.run(command, env=environment(), capture_output=True, check=False)
    sql = [
        *command[:4],
        "sql",
        str(folder / "set"),
        "select count(*) from runs",
        "--csv",
    ]
    said = subprocess.run(sql, env=environment(), capture_output=True, check=False)
    if said.stdout.split()[1:] == [str(TRACES).encode()]:
        return None
    return f"{said.stdout!r} {said.stderr!r} {done.stderr!r}"


def kills() -> Run:
    """Kills one of four, in turn; a worker in one of sixteen, which takes longest."""
    temporary = Path(tempfile.mkdtemp())
    compile_killed(temporary / "classes")
    traces = [temporary / f"{i}.tmt" for i in range(TRACES)]
    for trace in traces:
        command = recorder(trace, program("counted"))
        subprocess.run(command, env=environment(), check=True, capture_output=True)

    def run(seed: int, folder: Path) -> str | None:
        if seed % 16 == 15:
            return kill_worker(seed, folder, traces)
        if seed % 4 == 0:
            return kill_jvm(seed, folder, temporary / "classes")
        return (kill_recorder if seed % 4 == 1 else kill_native)(seed, folder)

    return run


CAMPAIGNS: dict[str, Callable[[], Run]] = {
    "native": lambda: wrong_with,
    "options": options,
    "kills": kills,
}


def campaign(name: str, first: int, runs: int, seconds: float) -> int:
    """@return how many went wrong"""
    until = time.monotonic() + seconds
    run = CAMPAIGNS[name]()
    seed, wrong = first, 0
    while seed < first + runs and time.monotonic() < until:
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = run(seed, Path(folder))
            except (OSError, subprocess.SubprocessError, KeyError, ValueError) as error:
                found = f"{type(error).__name__}: {error}"
        if found:
            wrong += 1
            print(f"seed {seed}: {found}", flush=True)
        seed += 1
        if seed % 100 == 0:
            print(f"{seed - first} of {name}, {wrong} wrong", flush=True)
    print(
        f"{seed - first} of {name} from seed {first}: {wrong} wrong; "
        f"go on with --seed {seed}"
    )
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="./dev chaos",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("campaign", choices=CAMPAIGNS)
    parser.add_argument("--hours", type=float, default=1 / 6)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--runs", type=int, default=1 << 30)
    given = parser.parse_args()
    seconds = given.hours * 3600
    return min(campaign(given.campaign, given.seed, given.runs, seconds), 1)


if __name__ == "__main__":
    sys.exit(main())
