# SPDX-License-Identifier: Apache-2.0
"""What recording costs a program: processor time, throughput, p99, resident memory."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import tables
from fetch import (
    HERE,
    REAL,
    VIRTUAL_SINCE,
    MissingError,
    Setting,
    compiled,
    every_event,
)

from jdks import Jdk
from rounds import FailedError, Figures, Result, measure, run, value_of

NAME = "overhead"
STORMS = {"monitor": 150_000, "buffer": 240_000, "lock": 60_000}
SMALL_STORM = 2_000
CLIENTS = 8
REQUESTS, SMALL_REQUESTS = 60_000, 200
TRANSFERS, SMALL_TRANSFERS = 100_000, 300
COMPILERS = 4
STARTING_SECONDS = 120

Program = Callable[[list[str]], Figures]


def recorders(setting: Setting, jdk: Jdk) -> dict[str, list[str]]:
    """Flags by the recorder's name, nothing first."""
    out = setting.folder / "recorded"
    ours = f"-agentpath:{setting.agent()}=file={out}.tmt"
    flight = f"-XX:StartFlightRecording=filename={out}.jfr,settings="
    flags = {
        "bare": [],
        "threadmodel": [ours],
        "threadmodel, stacks=none": [f"{ours},stacks=none"],
        "threadmodel, stacks=all": [f"{ours},stacks=all"],
        "JFR at 0 ns": [f"{flight}{every_event(jdk, setting.folder)}"],
        "JFR": [f"{flight}default"],
    }
    if setting.small:
        return {name: flags[name] for name in ("bare", "threadmodel")}
    try:
        library = setting.async_profiler()
    except MissingError as reason:
        setting.skip(str(reason))
        return flags
    for name, event in {"lock": "lock", "lock=0": "lock=0", "wall": "wall"}.items():
        started = "event=lock,lock=0" if event == "lock=0" else f"event={event}"
        flags[f"async-profiler, {name}"] = [
            f"-agentpath:{library}=start,{started},jfr,file={out}.ap.jfr"
        ]
    return flags


def storm(setting: Setting, jdk: Jdk, name: str, turns: int) -> Program:
    classes = compiled(jdk, setting.folder, HERE.parent / "programs/Storms.java")

    def once(flags: list[str]) -> Figures:
        java: list[object] = [jdk.tool("java"), *flags, "-cp", classes, "Storms"]
        # On one processor of an idle machine, processor time is the time.
        last = max(os.sched_getaffinity(0))
        figures, text = run(["taskset", "-c", last, *java, name, turns])
        took_s = value_of(text, "took_ns") / 1e9
        return {"cpu_s": took_s, "memory_mib": figures["memory_mib"]}

    return once


def classpath(setting: Setting, jdk: Jdk) -> str:
    """Classes of all programs, with the jars that they need."""
    jars = [setting.jars(REAL / "pom.xml"), setting.jars(HERE / "netty.xml")]
    paths = os.pathsep.join(f"{folder}/*" for folder in jars)
    sources = [
        *sorted((REAL / "programs").glob("*.java")),
        *(HERE / f"programs/{name}.java" for name in ("Serving", "Clients")),
        *(HERE / f"programs/{name}Server.java" for name in ("Tomcat", "Netty")),
    ]
    if jdk.release >= VIRTUAL_SINCE:
        sources.append(HERE / "programs/VirtualServer.java")
    classes = compiled(jdk, setting.folder, *sources, jars=paths)
    return f"{classes}{os.pathsep}{paths}"


def work(setting: Setting, jdk: Jdk, path: str, *arguments: object) -> Program:
    """A program that ends when its work is done."""

    def once(flags: list[str]) -> Figures:
        figures, text = run([jdk.tool("java"), *flags, "-cp", path, *arguments])
        if "took_ns=" in text:
            figures["wall_s"] = value_of(text, "took_ns") / 1e9
        return figures

    return once


def server(setting: Setting, jdk: Jdk, path: str, main: str) -> Program:
    """A server, and its clients in another process without a recorder."""
    requests = setting.size(REQUESTS, SMALL_REQUESTS)
    base = setting.folder / "base"

    def once(flags: list[str]) -> Figures:
        java = [jdk.tool("java"), *flags, "-cp", path, main, str(base)]
        process = subprocess.Popen(
            java,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        with process.stdin, process.stdout:
            try:
                port = ""
                while not port.startswith("port="):
                    port = process.stdout.readline()
                    if not port:
                        raise FailedError(f"{main} did not start")
                ask: list[object] = [jdk.tool("java"), "-cp", path, "Clients"]
                _, text = run([*ask, int(port[5:]), CLIENTS, requests])
                process.stdin.close()
            finally:
                killed = time.monotonic() + STARTING_SECONDS
                while time.monotonic() < killed:
                    pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                    if pid:
                        break
                    process.stdin.close()
                    time.sleep(0.01)
                else:
                    process.kill()
                    _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise FailedError(f"{main} ended with {process.returncode}")
        return {
            "cpu_s": usage.ru_utime + usage.ru_stime,
            "requests_per_s": requests / (value_of(text, "took_ns") / 1e9),
            "p99_ms": value_of(text, "p99_ns") / 1e6,
            "memory_mib": usage.ru_maxrss / 1024,
        }

    return once


def programs(setting: Setting, jdk: Jdk) -> dict[str, Program]:
    found: dict[str, Program] = {
        f"storm {name}": storm(setting, jdk, name, setting.size(turns, SMALL_STORM))
        for name, turns in STORMS.items()
    }
    try:
        path = classpath(setting, jdk)
    except MissingError as reason:
        setting.skip(f"H2, Tomcat, compilers, servers: {reason}")
        return found
    transfers = setting.size(TRANSFERS, SMALL_TRANSFERS)
    found["H2 bank"] = work(setting, jdk, path, "Bank", 8, 4, transfers, 600)
    if not Path(jdk.tool("javac")).exists():
        setting.skip(f"four compilers, {jdk}: a runtime without a compiler")
    elif not setting.small:
        import generate

        sources = setting.folder / "sources"
        generate.write_classes(sources, 300)
        found["four compilers"] = work(
            setting, jdk, path, "Compile", sources, setting.folder / "out", COMPILERS
        )
    found["Tomcat"] = server(setting, jdk, path, "TomcatServer")
    found["Netty"] = server(setting, jdk, path, "NettyServer")
    if jdk.release >= VIRTUAL_SINCE:
        found["virtual threads"] = server(setting, jdk, path, "VirtualServer")
    chosen = setting.programs
    return {name: it for name, it in found.items() if not chosen or name in chosen}


def bench(setting: Setting) -> Result:
    result = setting.result
    for jdk in setting.jdks():
        flags = recorders(setting, jdk)
        for name, program in programs(setting, jdk).items():
            print(f"  {name}, {jdk}", file=sys.stderr, flush=True)
            subjects = {
                recorder: lambda program=program, chosen=chosen: program(chosen)
                for recorder, chosen in flags.items()
            }
            found = measure(f"{name}, {jdk}", subjects, setting.rounds)
            # All of it takes an hour, and may be stopped before.
            print(tables.table(found), file=sys.stderr, flush=True)
            result.add(found)
    return result
