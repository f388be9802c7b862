# SPDX-License-Identifier: Apache-2.0
"""Programs and machines that are unlike others."""

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from recording import SECONDS, completed, program, record, recorder, rows

import threadmodel
from threadmodel import native

SOURCE = """
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *unused)
{
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&shared);
        usleep(200);
        pthread_mutex_unlock(&shared);
    }
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
"""

THOUSAND = """
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all;
static long counted;
static void *work(void *unused)
{
    pthread_barrier_wait(&all);
    for (int i = 0; i < 200; i++) {
        pthread_mutex_lock(&shared);
        counted++;
        pthread_mutex_unlock(&shared);
    }
    return unused;
}
int main(void)
{
    static pthread_t threads[1000];
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    pthread_barrier_init(&all, NULL, 1000);
    for (int i = 0; i < 1000; i++)
        if (pthread_create(&threads[i], &small, work, NULL) != 0)
            return 1;
    for (int i = 0; i < 1000; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\\n", counted);
    return 0;
}
"""


@pytest.mark.parametrize("sanitizer", ["address", "thread"])
def test_a_sanitizers_program_is_recorded(sanitizer: str, tmp_path: Path) -> None:
    (tmp_path / "it.c").write_text(SOURCE)
    made = subprocess.run(
        [
            *("gcc", f"-fsanitize={sanitizer}", "-O1", "-g", "-pthread"),
            *("-w", "it.c", "-o", "it"),
        ],
        cwd=tmp_path,
        check=False,
    )
    if made.returncode:
        pytest.skip(f"no library of gcc's {sanitizer} sanitizer")
    trace = tmp_path / "run.tmt"
    done = record(trace, str(tmp_path / "it"))
    assert done.returncode == 0, done.stderr
    assert ("mutex shared",) in rows(threadmodel.open(str(trace)).holds(), "class")


def test_runtimes_of_sanitizers_are_found_by_their_names(tmp_path: Path) -> None:
    file = tmp_path / "program"
    file.write_bytes(b"\x7fELF\0libc.so.6\0libasan.so.8\0libtsan.so.2x\0")
    assert native.sanitizers_of(str(file)) == ["libasan.so.8"]
    file.write_bytes(b"#!/bin/sh\0libasan.so.8\0")
    assert native.sanitizers_of(str(file)) == []


def socket_name(trace: Path) -> bytes:
    value = 0xCBF29CE484222325
    for byte in trace.name.encode():
        value = (value ^ byte) * 0x100000001B3 % (1 << 64)
    folder = trace.parent.stat()
    return f"\0threadmodel/{folder.st_dev:x}/{folder.st_ino:x}/{value:x}".encode()


def test_a_name_that_a_process_of_ours_has_is_respected(tmp_path: Path) -> None:
    trace = tmp_path / "run.tmt"
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as other:
        other.bind(socket_name(trace))
        other.listen()
        done = record(trace, program("endings"))
    assert "another recording writes this trace" in done.stderr


@pytest.mark.skipif(not shutil.which("setpriv"), reason="no setpriv")
def test_a_name_that_a_stranger_has_taken_hinders_nobody(tmp_path: Path) -> None:
    trace = tmp_path / "run.tmt"
    taker = (
        "import socket, sys; s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET);"
        f"s.bind({socket_name(trace)!r}); s.listen(); print('taken', flush=True);"
        "sys.stdin.read()"
    )
    command = ["setpriv", "--reuid=65534", "--clear-groups", sys.executable]
    with subprocess.Popen(
        [*command, "-c", taker],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as stranger:
        assert stranger.stdout
        if stranger.stdout.readline() != "taken\n":
            pytest.skip("no other user can run Python here")
        done = record(trace, program("endings"))
        stranger.communicate(timeout=SECONDS)
    assert done.returncode == 3, done.stderr
    assert trace.exists()


@pytest.mark.parametrize("kib", ["16", "1000", "4096"])
def test_rings_may_have_another_size(kib: str, tmp_path: Path) -> None:
    trace = tmp_path / "run.tmt"
    done = record(trace, program("endings"), options=["--ring-kib", kib])
    assert done.returncode == 3, done.stderr
    assert "waiting" in list(threadmodel.open(str(trace)).timeline()["state"])


def test_of_limited_address_space_little_is_taken(tmp_path: Path) -> None:
    trace = tmp_path / "run.tmt"
    words = recorder(trace, "sh", "-c", "")
    words[-1] = f"{program('endings')} vain; grep VmSize /proc/self/status"
    done = completed(["sh", "-c", 'ulimit -v 3000000; exec "$@"', "sh", *words])
    assert done.returncode == 0, done.stderr
    assert "at most 256 threads at once are recorded" in done.stderr
    (size,) = re.findall(r"VmSize:\s+(\d+) kB", done.stdout)
    assert int(size) < 128 * 1024
    assert trace.exists()


GROUPS = Path("/sys/fs/cgroup")


@pytest.fixture
def small_group() -> Iterator[Path]:
    """A control group of 60 MB, of either version, where one can be made."""
    version_1 = GROUPS / "memory"
    group = (version_1 if version_1.exists() else GROUPS) / f"threadmodel-{os.getpid()}"
    limit = group / ("memory.limit_in_bytes" if version_1.exists() else "memory.max")
    try:
        group.mkdir()
        limit.write_text(str(60 << 20))
    except OSError as error:
        pytest.skip(f"no control group can be made: {error}")
    yield group
    group.rmdir()


def test_in_a_small_group_a_thousand_threads_are_not_killed(
    small_group: Path, tmp_path: Path
) -> None:
    (tmp_path / "it.c").write_text(THOUSAND)
    subprocess.run(
        ["gcc", "-O1", "-g", "-pthread", "it.c", "-o", "it"], cwd=tmp_path, check=True
    )
    trace = tmp_path / "run.tmt"
    words = recorder(trace, str(tmp_path / "it"))
    done = completed(
        ["sh", "-c", f'echo $$ > {small_group}/cgroup.procs; exec "$@"', "sh", *words]
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "200000\n"
    (most,) = re.findall(r"at most (\d+) threads at once are recorded", done.stderr)
    assert int(most) >= 128
    (ringless,) = re.findall(r"(\d+) threads were not recorded", done.stderr)
    assert len(threadmodel.open(str(trace)).threads()) + int(ringless) == 1001
