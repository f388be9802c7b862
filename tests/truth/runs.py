# SPDX-License-Identifier: Apache-2.0
"""Programs that know what happened in them, compiled, run and recorded."""

import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import threadmodel
from jdks import AGENT, Jdk

PROGRAMS = Path(__file__).resolve().parent / "programs"
SCOPES_SINCE = 25
# Switches with which a short-lived VM begins and ends sooner.
BRIEF = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
TIMEOUT_S = 120

# A line of a program's truth, without its first word.
Words = tuple[int, ...]


@dataclass
class StderrLine:
    """A line that a program or its recorder wrote on stderr, and when it came."""

    time_ns: int
    text: str


@dataclass
class Run:
    """A program that was recorded, and what it knows itself."""

    model: threadmodel.Model
    truth: dict[str, list[Words]]
    stderr: list[StderrLine]

    @property
    def start_ns(self) -> int:
        """What to add to the times of answers to have the program's."""
        run = self.model.run
        if run.format != "jfr":
            return run.start_ns
        ((nano_ns, wall_ns),) = self.truth["clock"]
        return run.start_wall_ns - wall_ns + nano_ns


class Workshop:
    """Compiles and runs by one JDK."""

    def __init__(self, jdk: Jdk, folder: Path) -> None:
        self.jdk = jdk
        self.folder = folder / str(jdk)
        self.classes = self.folder / "classes"
        self.classes.mkdir(parents=True)
        sources = [
            str(source)
            for source in sorted(PROGRAMS.glob("*.java"))
            if jdk.release >= SCOPES_SINCE or not source.stem.startswith("Virtual")
        ]
        javac = [jdk.tool("javac"), *(f"-J{flag}" for flag in BRIEF), "-proc:none"]
        subprocess.run(
            [*javac, "-nowarn", *self.preview(), "-d", self.classes, *sources],
            check=True,
            capture_output=True,
        )

    def preview(self) -> list[str]:
        """Structured scopes are a preview still."""
        if self.jdk.release < SCOPES_SINCE:
            return []
        return ["--enable-preview", "--release", str(self.jdk.release)]

    def modes(self, program: str) -> list[str]:
        """What a program does, by its own word."""
        return subprocess.run(
            [*self.java(), program],
            check=True,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
        ).stdout.splitlines()

    def java(self, *flags: str) -> list[str]:
        more = self.preview()[:1]
        return [self.jdk.tool("java"), *flags, *more, "-cp", str(self.classes)]

    def record(
        self,
        program: str,
        *arguments: object,
        by: str = "agent",
        flags: tuple[str, ...] = (),
    ) -> Run:
        """Run a program to its end, which must be a good one.

        Args:
            program: main class; its first argument is the file that it writes
            arguments: the others
            by: agent, or jfr
            flags: of the VM
        """
        truth = self.folder / "truth.txt"
        trace = self.folder / ("run.tmt" if by == "agent" else "run.jfr")
        trace.unlink(missing_ok=True)
        if by == "agent":
            recorder = f"-agentpath:{AGENT}=file={trace}"
        else:
            recorder = f"-XX:StartFlightRecording=filename={trace},settings=profile"
        command = [
            *self.java(recorder, *flags),
            program,
            str(truth),
            *map(str, arguments),
        ]
        stderr = run(command)
        return Run(threadmodel.open(trace), read(truth), stderr)


def run(command: Sequence[str]) -> list[StderrLine]:
    """Run a command, and stamp each line of its stderr, by nanoTime's clock."""
    lines = []
    with subprocess.Popen(
        ["timeout", str(TIMEOUT_S), *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            lines.append(StderrLine(time.monotonic_ns(), line.rstrip("\n")))
    if process.returncode != 0:
        text = "\n".join(line.text for line in lines)
        raise RuntimeError(f"{' '.join(command)}: {process.returncode}\n{text}")
    return lines


def read(truth: Path) -> dict[str, list[Words]]:
    """The lines of a program's truth by their first word."""
    found: dict[str, list[Words]] = {}
    for line in truth.read_text().splitlines():
        what, *words = line.split(" ")
        found.setdefault(what, []).append(tuple(map(int, words)))
    return found
