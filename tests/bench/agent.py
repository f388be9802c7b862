# SPDX-License-Identifier: Apache-2.0
"""What parts of the agent cost; what it costs programs, `./dev bench peers overhead`.

    ./dev bench agent
    python tests/bench/agent.py AGENT [PAIRS] [PART...]

Parts: hooks (one call), units (that a program states), start (of the VM), memory, and
budget (what the recording says that it cost, with the option of that name). A program
runs without the agent and with it, in turn, PAIRS times. A goal that is missed ends its
line by a star; it is not a failure, since the machine may be busy.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "real"), str(HERE.parent / "jvm")]

from jdks import JDKS, Jdk  # noqa: E402

UNIT = HERE.parents[1] / "bindings/java/src/main/java/io/github/threadmodel/Unit.java"
STORMS = {"monitor": 100_000, "buffer": 60_000, "lock": 30_000}
REAL = {"javac": 0, "bank": 100_000, "site": 8_000}
CROWD = 200
ENOUGH_SECONDS = 300


class Bench:
    def __init__(self, jdk: Jdk, agent: Path, folder: Path, pairs: int) -> None:
        self.jdk = jdk
        self.agent = agent
        self.folder = folder
        self.pairs = pairs
        sources = sorted(map(str, (HERE / "programs").glob("*.java")))
        subprocess.run([jdk.tool("javac"), "-d", folder, UNIT, *sources], check=True)

    def ours(self, options: str = "") -> list[str]:
        more = f",{options}" if options else ""
        return [f"-agentpath:{self.agent}=file={self.folder}/run.tmt{more}"]

    def java(self, flags: list[str], *arguments: object) -> str:
        command = [self.jdk.tool("java"), *flags, "-cp", str(self.folder)]
        return subprocess.run(
            [*command, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            timeout=ENOUGH_SECONDS,
            check=True,
        ).stdout


def said(text: str, key: str) -> float:
    for line in text.splitlines():
        if line.startswith(f"{key}="):
            return float(line.partition("=")[2])
    raise ValueError(f"no {key}= in {text!r}")


def star(missed: bool) -> str:
    return " *" if missed else ""


def hooks(bench: Bench) -> None:
    costs: dict[str, list[float]] = {
        "notify": [],
        "unpark": [],
        "unpark_of_queued": [],
        "unpark_of_overtaken": [],
    }
    for _ in range(bench.pairs):
        outs = [bench.java(f, "Hooks") for f in ([], bench.ours("stacks=none"))]
        for what, list_ in costs.items():
            without, with_ = (said(out, what) for out in outs)
            list_.append(with_ - without)
    for what, list_ in costs.items():
        cost_ns = min(list_)
        print(
            f"{bench.jdk} hook of {what}, without stack: {cost_ns:.0f} ns more "
            f"(goal 300){star(cost_ns > 300)}",
            flush=True,
        )
    # Of a thread that is parked for nothing there is no owner to be read.
    for what in ("unpark_of_queued", "unpark_of_overtaken"):
        read_ns = min(costs[what]) - min(costs["unpark"])
        print(
            f"{bench.jdk} reading the owner in the hook of {what}: {read_ns:.0f} ns "
            f"(goal 200){star(read_ns > 200)}",
            flush=True,
        )


def units(bench: Bench) -> None:
    jfr = [f"-XX:StartFlightRecording=filename={bench.folder}/run.jfr"]
    for what, flags, goal_ns in (
        ("not recorded", [], 2),
        ("recorded by the agent", bench.ours("buffer=16384"), 60),
        ("recorded by JFR", jfr, 60),
    ):
        outs = [bench.java(flags, "Stated") for _ in range(bench.pairs)]
        cost_ns = min(said(out, "unit") for out in outs)
        print(
            f"{bench.jdk} a unit of work, {what}: {cost_ns:.1f} ns more "
            f"(goal {goal_ns}){star(cost_ns > goal_ns)}",
            flush=True,
        )


def start(bench: Bench) -> None:
    costs: list[list[float]] = [[], []]
    for _ in range(5 * bench.pairs):
        for list_, flags in zip(costs, ([], bench.ours()), strict=True):
            began = time.monotonic()
            bench.java(flags, "Crowd", 0, 0)
            list_.append((time.monotonic() - began) * 1e3)
    base_ms, ours_ms = (statistics.median(list_) for list_ in costs)
    least_ms = min(costs[1]) - min(costs[0])
    print(
        f"{bench.jdk} start and end: {base_ms:.0f} ms; {ours_ms - base_ms:+.1f} ms, "
        f"least against least {least_ms:+.1f} ms (goal 10){star(least_ms > 10)}",
        flush=True,
    )


def resident_kib(bench: Bench, flags: list[str], threads: int) -> int:
    # A heap that is there from the beginning does not tell one run from another.
    heap = ["-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC"]
    command = [bench.jdk.tool("java"), *heap, *flags, "-cp", str(bench.folder)]
    with subprocess.Popen([*command, "Crowd", str(threads), "20"]) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return usage.ru_maxrss


def memory(bench: Bench) -> None:
    kib = {}
    for threads in (1, CROWD):
        pairs = [
            [resident_kib(bench, flags, threads) for flags in ([], bench.ours())]
            for _ in range(bench.pairs)
        ]
        kib[threads] = statistics.median(ours - base for base, ours in pairs)
    each = (kib[CROWD] - kib[1]) / (CROWD - 1)
    print(
        f"{bench.jdk} memory: {kib[1]:.0f} KiB with one thread (goal 1,024)"
        f"{star(kib[1] > 1024)}; {each:.0f} KiB for each more (goal 64)"
        f"{star(each > 64)}",
        flush=True,
    )


def kept(bench: Bench, command: list[str]) -> tuple[float, float, int]:
    """A run to its end. @return its processor time in seconds, what of it the recording
    says that it took, and how many events were left out"""
    import threadmodel

    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    run = threadmodel.open(bench.folder / "run.tmt").run
    cost_ns = run.cost_threads_ns + run.cost_recorder_ns
    return usage.ru_utime + usage.ru_stime, cost_ns / 1e9, run.cost_dropped


def budget(bench: Bench) -> None:
    import maven
    from conftest import POM, Workshop

    commands = {
        f"storm {name}": lambda flags, name=name, turns=turns: [
            bench.jdk.tool("java"),
            *flags,
            "-cp",
            str(bench.folder),
            "Storms",
            name,
            str(10 * turns),
        ]
        for name, turns in STORMS.items()
    }
    try:
        workshop = Workshop(bench.jdk, maven.fetch(POM), bench.folder / "real")
        commands |= {
            name: lambda flags, name=name, work=work: workshop.command(
                name, flags, ENOUGH_SECONDS, work
            )
            for name, work in REAL.items()
        }
    except maven.NotFetchedError as reason:
        print(f"{bench.jdk} real programs: {reason}")
    for name, command in commands.items():
        for options, most in (("", None), ("budget=1%", 1.0), ("budget=0.2%", 0.2)):
            runs = [
                kept(bench, command(bench.ours(options))) for _ in range(bench.pairs)
            ]
            percent = [100 * cost_s / cpu_s for cpu_s, cost_s, _ in runs]
            missed = most is not None and max(percent) > most + 0.3
            print(
                f"{bench.jdk} {name}, {options or 'no budget'}: "
                f"{statistics.median(cpu_s for cpu_s, _, _ in runs):.1f} s of "
                f"processors, {min(percent):.2f} to {max(percent):.2f} % of it for the "
                f"recording, {max(lost for _, _, lost in runs):,} events left out"
                f"{star(missed)}",
                flush=True,
            )


PARTS = {
    "hooks": hooks,
    "units": units,
    "start": start,
    "memory": memory,
    "budget": budget,
}


def main() -> None:
    agent = Path(sys.argv[1]).resolve()
    os.environ["TM_TEST_AGENT"] = str(agent)
    parts = sys.argv[2:]
    pairs = int(parts.pop(0)) if parts and parts[0].isdigit() else 3
    for jdk in JDKS:
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(jdk, agent, Path(folder), pairs)
            for part in parts or PARTS:
                PARTS[part](bench)


if __name__ == "__main__":
    main()
