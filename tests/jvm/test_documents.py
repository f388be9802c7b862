# SPDX-License-Identifier: Apache-2.0
"""Commands of the documents that record a program, or wait for one, run as written,
except for process ids, addresses and durations."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import threadmodel
from conftest import AGENT, TIMEOUT_S
from describe.transcripts import (
    DOCS,
    OF_PROGRAMS,
    PAGES,
    calls,
    files,
    lines,
    sandbox,
)
from jdks import JDKS, Jdk

SOURCE = Path(__file__).parent / "documents/Main.java"
SERVER = Path(__file__).parents[1] / "native/programs/contended.c"
# The package of virtual.md's program is the page's own.
FETCH = DOCS / "examples/fetch/Fetch.java"
VIRTUAL = "virtual.md"
PID = re.compile(r"\b1234\b")


def commands(page: Path) -> list[str]:
    """Return those of a page that need a program, and on a page without files all."""
    ours = calls(page, run_elsewhere=False)
    if not files(page.read_text()):
        return ours and [
            line
            for line in lines(page, run_elsewhere=False)
            if line.startswith(("threadmodel ", "java -XX"))
        ]
    needing = [call for call in ours if call.split(" ")[0] in OF_PROGRAMS]
    return [f"threadmodel {call}" for call in needing]


WITH_PROGRAMS = [page for page in PAGES if commands(page)]


@pytest.fixture(scope="module")
def newest() -> Jdk:
    """Of the machine's: a reader's is new, and virtual threads need it."""
    if not JDKS or not AGENT.exists():
        pytest.skip("no JDK, or no agent, to record with")
    return JDKS[-1]


@pytest.fixture(scope="module")
def jar(newest: Jdk, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("app")
    subprocess.run([*newest.compiler(), "-d", folder, SOURCE], check=True)
    path = folder / "app.jar"
    make = [newest.tool("jar"), "--create", "--file", path, "--main-class", "app.Main"]
    subprocess.run([*make, "-C", folder, "app"], check=True)
    return path


@contextmanager
def living(jdk: Jdk, jar: Path, *flags: str) -> Iterator[int]:
    """A program that works until its test ends; its process id."""
    process = subprocess.Popen(
        [jdk.tool("java"), *flags, "-jar", str(jar), "600"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "working\n"
        yield process.pid
    finally:
        process.kill()
        process.communicate()


def until_listening(command: str, folder: Path, environment: dict[str, str]) -> None:
    """Start a listener, and end it once it says that it is one."""
    with subprocess.Popen(
        ["bash", "-c", f"exec {command}"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=environment,
    ) as process:
        assert process.stderr is not None
        said = ""
        while "listening on" not in said:
            line = process.stderr.readline()
            assert line, f"{command}: {said}"
            said += line
        time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        said += process.communicate(timeout=TIMEOUT_S)[1]
    assert process.returncode in (0, 3, 128 + signal.SIGTERM, -signal.SIGTERM), said
    assert "Traceback" not in said


def certificates(folder: Path) -> None:
    """The keys that a page names, all of one authority."""
    for name in ("cert", "shop-1", "ca"):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-nodes", "-days", "2"]
            + ["-pkeyopt", "ec_paramgen_curve:prime256v1", "-subj", f"/CN={name}"]
            + ["-keyout", f"{name}.key", "-out", f"{name}.pem"],
            cwd=folder,
            check=True,
            capture_output=True,
        )
    shutil.copy(folder / "cert.key", folder / "key.pem")
    for key in (folder / "key.pem", folder / "shop-1.key"):
        key.chmod(0o600)


def run(command: str, folder: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    assert done.returncode == 0, (command, done.stderr)


@pytest.mark.parametrize("page", WITH_PROGRAMS, ids=lambda page: page.stem)
def test_commands_of_a_page_run(
    page: Path, newest: Jdk, jar: Path, tmp_path: Path
) -> None:
    wanted = commands(page)
    with sandbox("") as (folder, environment):
        tools = Path(newest.tool("java")).parent
        environment["PATH"] = f"{tools}:{environment['PATH']}"
        shutil.copy(jar, folder / "app.jar")
        certificates(folder)
        if page.name == VIRTUAL:
            subprocess.run([*newest.compiler(), "-d", folder, FETCH], check=True)
        if "--native" in " ".join(wanted):
            build = ["gcc", "-pthread", "-g", SERVER, "-o", folder / "server"]
            subprocess.run(build, check=True)
        if not any(" record " in command for command in wanted):
            run(
                "threadmodel record -o run.tmt -- java -jar app.jar",
                folder,
                environment,
            )
        for command in wanted:
            verb = command.split(" ")[1]
            if verb in ("listen", "collect"):
                unused = re.sub(r":\d{4}\b", ":0", command)
                unused = unused.replace("/run/app.sock", "app.sock")
                unused = unused.replace("collector:", "localhost:")
                until_listening(unused, folder, environment)
                continue
            short = command.replace("--for 30s", "--for 1s")
            if not PID.search(short):
                run(short, folder, environment)
                continue
            agent = f"-agentpath:{AGENT}=file={tmp_path / 'live.tmt'}"
            flags = [agent] if verb == "control" else ["-XX:+EnableDynamicAgentLoading"]
            with living(newest, jar, *flags) as pid:
                run(PID.sub(str(pid), short), folder, environment)
        for name in {word for line in wanted for word in shlex.split(line)}:
            if name == "run.tmt" and os.path.exists(folder / name):
                assert threadmodel.open(folder / name).event_count > 0
