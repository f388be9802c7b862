# SPDX-License-Identifier: Apache-2.0
"""A compiler that makes an instruction of notify: what its code wakes comes by no hook,
and the recording says of how many waits, and names nobody for them."""

import os
import subprocess
from pathlib import Path

import pytest

import threadmodel
from conftest import HERE, fetched
from jdks import AGENT, JDKS

ROUNDS = 20_000
# The interface through which this version of the compiler is plugged in.
RELEASE = 17
# Compiled when it is hot, while the caller waits: so that it is, before the end.
FLAGS = [
    "-XX:+UnlockExperimentalVMOptions",
    "-XX:+EnableJVMCI",
    "-XX:+UseJVMCICompiler",
    "-Xbatch",
]
ENOUGH_SECONDS = 300


@pytest.fixture(scope="module")
def bell(tmp_path_factory: pytest.TempPathFactory) -> threadmodel.Model:
    jdks = [jdk for jdk in JDKS if jdk.release == RELEASE]
    if not jdks or not AGENT.exists():
        pytest.skip(f"no JDK {RELEASE}, or no agent in {AGENT}")
    jars = os.pathsep.join(map(str, sorted(fetched(HERE / "graal.xml").glob("*.jar"))))
    folder = tmp_path_factory.mktemp("graal")
    source = HERE / "programs/Bell.java"
    subprocess.run([jdks[0].tool("javac"), "-d", folder, source], check=True)
    trace = Path(folder / "run.tmt")
    subprocess.run(
        [
            jdks[0].tool("java"),
            *FLAGS,
            f"--upgrade-module-path={jars}",
            f"-agentpath:{AGENT}=file={trace},buffer=65536",
            *["-cp", str(folder), "Bell", str(ROUNDS)],
        ],
        check=True,
        timeout=ENOUGH_SECONDS,
    )
    return threadmodel.open(trace)


def test_who_is_named_as_the_notifier_is_the_one_that_was_there(
    bell: threadmodel.Model,
):
    life = {row["name"]: (row["start_ns"], row["end_ns"]) for row in bell.threads()}
    named = [
        (row["time_ns"], *life[row["from_thread"]])
        for row in bell.interactions()
        if row["kind"] == "notify" and row["to_thread"] == "waiter"
        if row["from_thread"]
    ]
    assert named
    assert all(start_ns <= time_ns <= end_ns for time_ns, start_ns, end_ns in named)


def test_waits_that_unseen_calls_ended_are_counted_and_reported(
    bell: threadmodel.Model,
):
    (said,) = [caveat for caveat in bell.caveats if "no notify that was seen" in caveat]
    woken, missed = (int(word) for word in said.split() if word.isdigit())
    seen = [
        row
        for row in bell.interactions()
        if row["kind"] == "notify"
        and row["to_thread"] == "waiter"
        and row["provenance"] == "exact"
    ]
    # Those of the VM's own threads are among the woken.
    assert woken >= 2 * ROUNDS
    assert 0 < missed <= 2 * ROUNDS
    assert missed == 2 * ROUNDS - len(seen)
