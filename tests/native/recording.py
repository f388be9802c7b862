# SPDX-License-Identifier: Apache-2.0
"""Native programs recorded by the preload library, for tests."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import threadmodel

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "build/tests/native"
PROGRAMS_SOURCE = Path(__file__).parent / "programs"
PACKAGE = ROOT / "build/bindings/python"
SECONDS = 300


def recorder(trace: Path, *command: str, options: Sequence[str] = ()) -> list[str]:
    arguments = [sys.executable, "-m", "threadmodel", "record", "--native", *options]
    return [*arguments, "-o", str(trace), "--", *command]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(PACKAGE)}


def completed(command: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        env=environment() | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def record(
    trace: Path, *command: str, options: Sequence[str] = (), **variables: str
) -> subprocess.CompletedProcess[str]:
    return completed(recorder(trace, *command, options=options), **variables)


def start(trace: Path, *command: str) -> subprocess.Popen[str]:
    """The same for a program that runs until its stdin has a byte."""
    return subprocess.Popen(
        recorder(trace, *command),
        env=environment(),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def program(name: str) -> str:
    return str(PROGRAMS / f"native_{name}")


def rows(table: threadmodel.Table, *columns: str) -> list[tuple[object, ...]]:
    return list(zip(*(list(table[name]) for name in columns), strict=True))


LOADS = """
#include "program.h"
#include <dlfcn.h>
static void *locks(void *function)
{
    about_to_block();
    ((void (*)(void))function)();
    return NULL;
}
/* Load what is given, block in its function, and unload it. */
static void block_in(const char *file, const char *function, const char *data)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    pthread_mutex_t *(*lock)(void) = (pthread_mutex_t * (*)(void)) dlsym(library, data);
    pthread_t thread;
    the_blocker = 0;
    pthread_mutex_lock(lock());
    pthread_create(&thread, NULL, locks, dlsym(library, function));
    pthread_setname_np(thread, data);
    wait_until_blocked();
    pthread_mutex_unlock(lock());
    pthread_join(thread, NULL);
    dlclose(library);
}
int main(int argc, char **argv)
{
    for (int i = 1; i + 2 < argc; i += 3) block_in(argv[i], argv[i + 1], argv[i + 2]);
    return 0;
}
"""


def loader(folder: Path) -> Path:
    """A program that loads such libraries one after the other."""
    source = folder / "loads.c"
    source.write_text(LOADS)
    it = folder / "loads"
    command = ["cc", "-D_GNU_SOURCE", "-g", "-pthread", f"-I{PROGRAMS_SOURCE}"]
    subprocess.run([*command, str(source), "-o", str(it), "-ldl"], check=True)
    return it


def oddity(which: str, folder: Path) -> threadmodel.Model:
    done = record(folder / "run.tmt", program("oddities"), which)
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr
    assert "deadlock" not in done.stderr
    return threadmodel.open(str(folder / "run.tmt"))


def owners_of(model: threadmodel.Model, thread: str) -> set[object]:
    """The owners of the lock that a thread was blocked by."""
    columns = ("thread", "share", "owner_id")
    return {
        row[2] for row in rows(model.blame(), *columns) if row[:2] == (thread, "owner")
    }
