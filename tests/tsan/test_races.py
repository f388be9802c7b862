# SPDX-License-Identifier: Apache-2.0
"""The agent in a real VM under the thread sanitizer, which sees every access of ours:
threads that come and go, contend, wait, park and are virtual, with the writer beside
them. `./dev check tsan` builds that agent."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from jdks import JDKS, ROOT, Jdk

HERE = Path(__file__).resolve().parent
BUILD = ROOT / "build-tsan"
AGENT = BUILD / "agent/jvm/libthreadmodel-agent.so"
PROGRAM = ROOT / "tests/chaos/programs/Chaos.java"
ROUNDS = 300
STATUS = 7
TIMEOUT_S = 600
VIRTUAL_SINCE = 21
# What only the sanitizer is to be asked about.
SANITIZER = (
    f"suppressions={HERE}/suppressions.txt halt_on_error=0 exitcode=0"
    " report_signal_unsafe=0 handle_segv=0 handle_sigbus=0"
)
# An access of ours: the innermost frame, or who called what the sanitizer replaces.
ACCESS = re.compile(
    r"^    #0 [^\n]*(?:libthreadmodel-agent\.so"
    r"|libtsan[^\n]*\n    #1 [^\n]*libthreadmodel-agent\.so)",
    re.MULTILINE,
)
RUNS = [
    ("", ["threads", "locks"]),
    ("held=y,cpu=samples", ["threads", "locks"]),
    ("stacks=all,buffer=64,mount=y", ["classes", "locks"]),
    ("budget=1%,memory=16", ["locks", "garbage"]),
    ("cpu=samples,doe=y", ["virtual", "threads"]),
    ("stacks=none,rings=none", ["virtual", "locks"]),
]


def sanitizer_library() -> str:
    done = subprocess.run(["ldd", AGENT], check=True, capture_output=True, text=True)
    match = re.search(r"libtsan\S* => (\S+)", done.stdout)
    assert match, done.stdout
    return match[1]


def fixed_addresses() -> list[str]:
    """The sanitizer finds no room where the kernel spreads a process out too far."""
    command = ["setarch", "-R"]
    done = subprocess.run([*command, "true"], check=False, capture_output=True)
    return command if done.returncode == 0 else []


def races(folder: Path) -> list[str]:
    """The reports of races in which an access is the agent's own."""
    text = "".join(path.read_text() for path in sorted(folder.glob("races.*")))
    return [report for report in text.split("=" * 18) if ACCESS.search(report)]


@pytest.mark.parametrize(
    ("jdk", "options", "beside"),
    [
        (jdk, options, beside)
        for jdk in JDKS
        for options, beside in RUNS
        if "virtual" not in beside or jdk.release >= VIRTUAL_SINCE
    ],
    ids=str,
)
def test_no_access_of_the_agent_races_with_another(
    jdk: Jdk, options: str, beside: list[str], tmp_path: Path
):
    if not AGENT.exists():
        pytest.skip(f"no agent in {AGENT}: ./dev check tsan")
    subprocess.run([*jdk.compiler(), "-d", tmp_path, PROGRAM], check=True)
    done = subprocess.run(
        [
            *fixed_addresses(),
            jdk.tool("java"),
            "-XX:+UseSerialGC",
            f"-agentpath:{AGENT}=file={tmp_path}/run.tmt,{options}",
            *("-cp", str(tmp_path), "Chaos", str(ROUNDS), *beside),
        ],
        check=False,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        env={
            **os.environ,
            "LD_PRELOAD": sanitizer_library(),
            "TSAN_OPTIONS": f"{SANITIZER} log_path={tmp_path}/races",
        },
    )
    assert done.returncode == STATUS, done.stderr
    assert (tmp_path / "run.tmt").exists()
    assert races(tmp_path) == []
