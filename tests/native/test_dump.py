# SPDX-License-Identifier: Apache-2.0
"""``threadmodel dump`` of native processes whose situation is known."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from recording import PROGRAMS_SOURCE, environment, program, rows
from situations import CASES, HANGS, SECONDS, Truth, await_truth, ring, running, states

import threadmodel
from threadmodel import errors, native


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_what_each_thread_waits_for_is_shown(
    case: tuple[str, ...], tmp_path: Path
) -> None:
    with running(str(HANGS), *case) as pid:
        await_truth(pid, CASES[case], tmp_path / "dump.tmt", "stop")


@pytest.mark.parametrize(
    "case",
    [
        case
        for case in CASES
        # Whether a thread runs a routine once is known by its frames alone.
        if case[0] not in ("once", "sleep") and case[2] in ("1", "2", "3")
    ],
    ids="-".join,
)
def test_the_layout_in_memory_suffices_without_stacks(
    case: tuple[str, ...], tmp_path: Path
) -> None:
    with running(str(HANGS), *case) as pid:
        await_truth(pid, CASES[case], tmp_path / "dump.tmt", "none")


@pytest.mark.parametrize("stacks", ["stop", "go-on", "none"])
def test_threads_that_have_a_lock_in_turn_are_in_no_deadlock(
    stacks: str, tmp_path: Path
) -> None:
    trace = tmp_path / "dump.tmt"
    with running(str(HANGS), "turns", "normal", "4") as pid:
        for _ in range(5):
            text = native.dump(pid, str(trace), times=2, every_s=0.01, stacks=stacks)
            assert "owns itself" not in text
            model = threadmodel.open(str(trace))
            assert len(model.deadlocks()) == 0
            assert list(model.verdict()["kind"]) == ["cannot_tell"]


def test_a_live_view_of_looks_shows_no_rates() -> None:
    with running(str(HANGS), "queue", "normal", "3") as pid:
        deadline = time.monotonic() + SECONDS
        text = ""
        while not re.search(
            r"mutex mutexes +native_hangs.in_queue:\d+ +2 +queue0", text
        ):
            assert time.monotonic() < deadline, text
            command = [sys.executable, "-m", "threadmodel", "top", str(pid)]
            command += ["--every", "0.1", "--window", "0.1"]
            done = subprocess.run(
                command, env=environment(), capture_output=True, text=True, check=True
            )
            text = done.stdout
    assert "a second" not in text
    assert len(re.findall(r"queue\d +(?:blocked|sleeping)", text)) == 3


def test_stacks_have_the_functions_of_the_program(tmp_path: Path) -> None:
    with running(str(HANGS), "ring", "normal", "2") as pid:
        trace = tmp_path / "dump.tmt"
        await_truth(pid, ring(2), trace, "go-on")
        text = native.dump(pid, str(trace), stacks="go-on")
    assert "None was stopped" in text
    assert text.count("native_hangs.in_ring (hangs.c:") == 2
    # To read those takes longer than the rest of the dump.
    assert re.search(r"at libc\.so\.6\.\S+$", text, re.MULTILINE)
    assert not re.search(r"at libc\.so\.6\.\S+ \(", text)
    methods = threadmodel.open(str(trace)).deadlocks()["method"]
    assert set(methods) == {"native_hangs.in_ring"}


def test_several_dumps_are_a_run(tmp_path: Path) -> None:
    trace = tmp_path / "dump.tmt"
    with running(str(HANGS), "ring", "normal", "3") as pid:
        await_truth(pid, ring(3), trace, "none")
        native.dump(pid, str(trace), times=3, every_s=0.1)
    model = threadmodel.open(str(trace))
    assert model.length_ns >= 200_000_000
    assert [it for it in model.caveats if it.startswith("3 thread dumps in")]
    assert len(set(model.deadlocks()["deadlock"])) == 1


def test_the_command_shows_a_dump_and_its_deadlock(tmp_path: Path) -> None:
    with running(str(HANGS), "ring", "normal", "2") as pid:
        await_truth(pid, ring(2), tmp_path / "dump.tmt", "none")
        done = subprocess.run(
            [sys.executable, "-m", "threadmodel", "dump", str(pid)],
            env=environment(),
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    assert "Deadlocks" in done.stdout
    assert "ring0 wants mutex mutexes+0x28" in done.stdout


def test_a_process_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with running(str(HANGS), "sleep") as pid:
        pass
    with pytest.raises(errors.AttachError, match=f"there is no process {pid}"):
        native.dump(pid, str(tmp_path / "dump.tmt"))


def test_a_process_may_end_while_it_is_looked_at(tmp_path: Path) -> None:
    process = subprocess.Popen(["sleep", "0.3"])
    text = native.dump(
        process.pid, str(tmp_path / "dump.tmt"), times=1000, every_s=0.05
    )
    assert process.wait() == 0
    (ended,) = re.findall(r"has ended after (\d+) of 1000 dumps", text)
    assert int(ended) < 500
    assert "has ended, and nobody has waited for the process" in text


@pytest.mark.skipif(os.geteuid() != 0, reason="needs another user")
def test_of_another_users_process_what_is_visible_is_shown(tmp_path: Path) -> None:
    setpriv = shutil.which("setpriv")
    if not setpriv:
        pytest.skip("no setpriv")
    with running(str(HANGS), "ring", "normal", "2") as pid:
        command = [
            *(setpriv, "--reuid=65534", "--regid=65534", "--clear-groups"),
            *(str(native.path(native.DUMPER)), str(pid), "/dev/null"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert '"ring0"' in done.stdout or '"native_hangs"' in done.stdout
    assert "no right to trace it" in done.stdout


@pytest.mark.skipif(not shutil.which("musl-gcc"), reason="no musl-gcc")
def test_musl_statically_linked(tmp_path: Path) -> None:
    binary = tmp_path / "hangs"
    subprocess.run(
        [
            *("musl-gcc", "-static", "-O1", "-g", "-D_GNU_SOURCE"),
            *(str(PROGRAMS_SOURCE / "hangs.c"), "-o", str(binary)),
        ],
        check=True,
    )
    truth: dict[tuple[str, ...], Truth] = {
        ("ring", "recursive", "3"): (
            {"ring0": r"blocked by mutex mutexes.*, owned by \"ring1\" \d+"},
            1,
        ),
        ("ring", "normal", "2"): (
            {"ring0": "blocked by mutex mutexes.*, musl's normal mutex does not name"},
            0,
        ),
        ("joins", "normal", "3"): ({"join0": r"joins \"join1\" \d+"}, 0),
        ("condition", "normal", "1"): ({"waiter0": "waits for condition"}, 0),
        ("semaphore", "normal", "1"): ({"taker0": "waits for semaphore permits"}, 0),
    }
    for case, expected in truth.items():
        with running(str(binary), *case) as pid:
            await_truth(pid, expected, tmp_path / "dump.tmt", "stop")


def test_names_move_no_cursor(tmp_path: Path) -> None:
    with running(
        sys.executable,
        "-c",
        "import ctypes, sys; "
        "ctypes.CDLL(None).prctl(15, b'\\x1b[2J\\n\\xff'); sys.stdin.read()",
    ) as pid:
        deadline = time.monotonic() + SECONDS
        while "2J" not in (text := native.dump(pid, str(tmp_path / "dump.tmt"))):
            assert time.monotonic() < deadline
            time.sleep(0.05)
    assert "\x1b" not in text
    assert rows(threadmodel.open(str(tmp_path / "dump.tmt")).threads(), "name")


def test_a_mutex_that_the_kernel_refused_is_a_deadlock(tmp_path: Path) -> None:
    """It refuses the last lock of a cycle of mutexes with priority inheritance."""
    with running(str(HANGS), "ring", "inherit", "3") as pid:
        deadline = time.monotonic() + SECONDS
        refused = "blocked by mutex (priority inheritance), which the kernel refused"
        text = ""
        # The others may be on their way while the last is refused.
        while text.count(', owned by "ring') < 2 or refused not in text:
            assert time.monotonic() < deadline, text
            time.sleep(0.05)
            text = native.dump(pid, str(tmp_path / "dump.tmt"))
    found = [state for thread, state in states(text).items() if "ring" in thread]
    assert sum(state.startswith(refused) for state in found) == 1
    assert sum(', owned by "ring' in state for state in found) == 2


OPENMP = """
#include <stdio.h>
int main(void)
{
#pragma omp parallel num_threads(3)
    {
#pragma omp master
        getchar();
#pragma omp barrier
    }
}
"""


def test_a_word_of_a_library_is_not_a_lock_of_the_c_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenMP's runtime asks the kernel itself, and its words may look like locks."""
    source = tmp_path / "meet.c"
    source.write_text(OPENMP)
    command = ["cc", "-fopenmp", str(source), "-o", str(tmp_path / "meet")]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no -fopenmp")
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")
    own = re.compile(r"waits for futex 0x\w+, asked for by lib\w*omp\.so")
    with running(str(tmp_path / "meet")) as pid:
        deadline = time.monotonic() + SECONDS
        text = ""
        while len(own.findall(text)) != 2:
            assert time.monotonic() < deadline, text
            time.sleep(0.05)
            text = native.dump(pid, str(tmp_path / "dump.tmt"))
    assert "rwlock" not in text


@pytest.mark.parametrize("stacks", ["stop", "none"])
def test_a_word_that_names_its_owner_is_a_lock(stacks: str, tmp_path: Path) -> None:
    """The kernel demands the owner's number in the word, whoever asks for it."""
    truth = (
        {
            "queues": r"blocked by mutex the_inherited \(priority inheritance\), "
            r"owned by \"native_inherite\" \d+$",
            "either": r"waits for futex the_either, or another$",
        },
        0,
    )
    with running(program("inherited"), "hang") as pid:
        await_truth(pid, truth, tmp_path / "dump.tmt", stacks)


@pytest.mark.parametrize(("link", "shown"), [("server", "server"), ("native", None)])
def test_a_program_has_the_name_that_it_was_started_by(
    link: str, shown: str | None, tmp_path: Path
) -> None:
    """As redis-server, a link to redis-check-rdb; python3 is one to python3.11."""
    (tmp_path / link).symlink_to(HANGS)
    frame = f"at {shown or 'native_hangs'}.in_ring"
    with running(str(tmp_path / link), "ring", "normal", "2") as pid:
        deadline = time.monotonic() + SECONDS
        text = ""
        while frame not in text:
            assert time.monotonic() < deadline, text
            time.sleep(0.05)
            text = native.dump(pid, str(tmp_path / "dump.tmt"))
    trace = tmp_path / "run.tmt"
    (tmp_path / link).unlink()
    (tmp_path / link).symlink_to(program("contended"))
    command = [sys.executable, "-m", "threadmodel", "record", "--native"]
    command += ["-o", str(trace), "--", str(tmp_path / link)]
    subprocess.run(command, env=environment(), capture_output=True, check=True)
    methods = {row["method"] or "" for row in threadmodel.open(str(trace)).stacks()}
    assert any(name.startswith(f"{shown or 'native_contended'}.") for name in methods)


SERVERS = """
#include <pthread.h>
#include <unistd.h>
static void *serve(void *unused) { pause(); return unused; }
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, serve, NULL);
    pthread_setname_np(threads[1], "accepts");
    pause();
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O1"])
def test_a_thread_without_a_name_is_called_after_its_routine(
    level: str, tmp_path: Path
) -> None:
    """Where code keeps a frame pointer, a thread is stopped for its stack."""
    source = tmp_path / "serve.c"
    source.write_text(SERVERS)
    command = ["cc", level, "-D_GNU_SOURCE", "-pthread"]
    command += [str(source), "-o", str(tmp_path / "server")]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no compiler")
    with running(str(tmp_path / "server")) as pid:
        deadline = time.monotonic() + SECONDS
        found: dict[str, str] = {}
        while set(found) != {"server", "serve", "accepts"}:
            assert time.monotonic() < deadline, found
            time.sleep(0.05)
            found = states(native.dump(pid, str(tmp_path / "dump.tmt")))
    model = threadmodel.open(str(tmp_path / "dump.tmt"))
    assert set(model.threads()["name"]) == {"server", "serve", "accepts"}
