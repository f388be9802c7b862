# SPDX-License-Identifier: Apache-2.0
"""Libraries of native programs, which come, go and have names of their own."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from recording import PROGRAMS_SOURCE, SECONDS, loader, record, rows

import threadmodel
from threadmodel import native

TWINS = """
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void lock_%(name)s(void) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); }
pthread_mutex_t *%(name)s(void) { return &lock; }
"""


LOCKS_TWINS = """
#include "program.h"
#include <pthread.h>
pthread_mutex_t *left(void), *right(void);
void lock_left(void), lock_right(void);
static void *locks_left(void *unused) { about_to_block(); lock_left(); return unused; }
static void *locks_right(void *it) { about_to_block(); lock_right(); return it; }
static void block(pthread_mutex_t *lock, void *(*routine)(void *), const char *name)
{
    pthread_t thread;
    the_blocker = 0;
    pthread_mutex_lock(lock);
    pthread_create(&thread, NULL, routine, NULL);
    pthread_setname_np(thread, name);
    wait_until_blocked();
    pthread_mutex_unlock(lock);
    pthread_join(thread, NULL);
}
int main(void)
{
    block(left(), locks_left, "left");
    block(right(), locks_right, "right");
    return 0;
}
"""


def test_locks_and_files_of_one_name_are_kept_apart(tmp_path: Path) -> None:
    files = []
    for name in ("left", "right"):
        source = tmp_path / f"{name}.c"
        source.write_text(TWINS % {"name": name})
        files.append(tmp_path / name / "twin.so")
        files[-1].parent.mkdir()
        command = ["cc", "-shared", "-fPIC", "-g", "-Wl,--build-id", str(source)]
        subprocess.run([*command, "-o", str(files[-1])], check=True)
    main = tmp_path / "main.c"
    main.write_text(LOCKS_TWINS)
    command = ["cc", "-D_GNU_SOURCE", "-g", "-pthread", f"-I{PROGRAMS_SOURCE}"]
    it = [*command, str(main), *map(str, files), "-o", str(tmp_path / "twins")]
    subprocess.run(it, check=True)
    assert record(tmp_path / "run.tmt", str(tmp_path / "twins")).returncode == 0
    model = threadmodel.open(str(tmp_path / "run.tmt"))
    objects = dict(rows(model.blame(), "thread", "object"))
    assert objects["left"] == "mutex lock"
    assert str(objects["right"]).startswith("mutex lock@0x")
    modules = [row[0] for row in rows(model.modules(), "module", "build_id")]
    assert modules.count("twin.so") == len(files)


def twin(folder: Path, name: str) -> Path:
    """A library with a lock and a function that locks it."""
    source = folder / f"{name}.c"
    source.write_text(TWINS % {"name": name})
    library = folder / f"{name}.so"
    command = ["cc", "-shared", "-fPIC", "-g", "-Wl,--build-id", str(source)]
    subprocess.run([*command, "-o", str(library)], check=True)
    return library


def test_a_library_of_a_relative_path_has_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    twin(tmp_path, "left")
    it = loader(tmp_path)
    monkeypatch.chdir(tmp_path)
    done = record(tmp_path / "run.tmt", str(it), "./left.so", "lock_left", "left")
    assert done.returncode == 0
    model = threadmodel.open(str(tmp_path / "run.tmt"))
    blame = rows(model.blame(), "thread", "method", "object")
    assert ("left", "left.so.lock_left", "mutex lock") in blame


def test_libraries_at_one_address_one_after_the_other_have_their_names(
    tmp_path: Path,
) -> None:
    left, right = twin(tmp_path, "left"), twin(tmp_path, "right")
    arguments: list[str] = []
    for library in (left, right) * 3:
        name = library.stem
        arguments += [str(library), f"lock_{name}", name]
    done = record(tmp_path / "run.tmt", str(loader(tmp_path)), *arguments)
    assert done.returncode == 0, done.stderr
    model = threadmodel.open(str(tmp_path / "run.tmt"))
    blame = rows(model.blame(), "thread", "share", "method")
    assert {row[::2] for row in blame if row[1] == "owner"} == {
        ("left", "left.so.lock_left"),
        ("right", "right.so.lock_right"),
    }


SLOW = """
#include <dlfcn.h>
#include <unistd.h>
void *dwfl_addrmodule(void *dwfl, unsigned long address)
{
    static int is_known;
    if (!is_known++)
        sleep(2);
    return ((void *(*)(void *, unsigned long))dlsym(RTLD_NEXT, "dwfl_addrmodule"))(
        dwfl, address);
}
"""


PINGS = """
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
static sem_t to, fro;
static void *answer(void *unused)
{
    for (int i = 0; i < 4000; i++) { sem_wait(&to); sem_post(&fro); }
    return unused;
}
int main(void)
{
    pthread_t thread;
    sem_init(&to, 0, 0);
    sem_init(&fro, 0, 0);
    pthread_create(&thread, NULL, answer, NULL);
    for (int i = 0; i < 4000; i++) { usleep(100); sem_post(&to); sem_wait(&fro); }
    pthread_join(thread, NULL);
    return 0;
}
"""


def slow_elfutils(folder: Path) -> None:
    """Put a libdw that needs two seconds for its first answer into a folder."""
    listed = subprocess.run(
        ["ldconfig", "-p"], capture_output=True, text=True, check=True
    )
    real = re.search(r"libdw\.so\.1 .*=> (.*)", listed.stdout)
    if not real:
        pytest.skip("elfutils is not installed")
    # Another name, or the loader takes the one that asks for it.
    copy = folder / "libdx.so.1"
    copy.write_bytes(
        Path(real[1]).read_bytes().replace(b"libdw.so.1\0", b"libdx.so.1\0")
    )
    (folder / "slow.c").write_text(SLOW)
    command = ["cc", "-D_GNU_SOURCE", "-shared", "-fPIC", "slow.c", "-o", "libdw.so.1"]
    link = ["-Wl,--no-as-needed,-rpath,$ORIGIN", "./libdx.so.1"]
    subprocess.run([*command, *link], cwd=folder, check=True)


def test_no_event_is_lost_while_names_are_looked_up(tmp_path: Path) -> None:
    slow_elfutils(tmp_path)
    (tmp_path / "pings.c").write_text(PINGS)
    command = ["cc", "-O1", "-g", "-pthread", "pings.c", "-o", "pings"]
    subprocess.run(command, cwd=tmp_path, check=True)
    trace = tmp_path / "run.tmt"
    done = record(trace, str(tmp_path / "pings"), LD_LIBRARY_PATH=str(tmp_path))
    assert done.returncode == 0, done.stderr
    model = threadmodel.open(str(trace))
    assert not len(model.diagnostics())
    methods = {row[1] for row in rows(model.timeline(), "state", "method")}
    assert {"pings.main", "pings.answer"} <= methods


LOCKS_AT_BEGIN = """
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
extern int the_count;
__attribute__((constructor)) static void begin(void)
{
    pthread_mutex_lock(&lock);
    the_count++;
    pthread_mutex_unlock(&lock);
}
__attribute__((destructor)) static void end(void)
{
    pthread_mutex_lock(&lock);
    the_count++;
}
"""


OPENS = """
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
int the_count, is_over;
static void *naps(void *unused)
{
    struct timespec moment = {0, 1};
    while (!__atomic_load_n(&is_over, __ATOMIC_SEQ_CST))
        nanosleep(&moment, NULL);
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    pthread_create(&thread, NULL, naps, NULL);
    for (int i = 0; i < 100; i++) {
        void *library = dlopen(argv[argc - 1], RTLD_NOW);
        usleep(1000);
        dlclose(library);
    }
    __atomic_store_n(&is_over, 1, __ATOMIC_SEQ_CST);
    pthread_join(thread, NULL);
    printf("%d\\n", the_count);
    return 0;
}
"""


def test_a_library_that_locks_in_its_constructor_comes_and_goes(tmp_path: Path) -> None:
    """Each has the address of the one before, and a lock that none released there."""
    sources = {"locks": LOCKS_AT_BEGIN, "opens": OPENS}
    flags = {"locks": ["-shared", "-fPIC"], "opens": ["-rdynamic", "-pthread", "-ldl"]}
    for name, text in sources.items():
        (tmp_path / f"{name}.c").write_text(text)
        built = ["-o", str(tmp_path / name), str(tmp_path / f"{name}.c"), *flags[name]]
        subprocess.run(["cc", *built], check=True)
    it = str(tmp_path / "opens")
    done = record(tmp_path / "run.tmt", it, str(tmp_path / "locks"))
    assert (done.returncode, done.stdout) == (0, "200\n"), done.stderr
    assert not len(threadmodel.open(str(tmp_path / "run.tmt")).diagnostics())


LATE = """
#include <time.h>
void late_nap(void)
{
    struct timespec moment = {0, 1};
    nanosleep(&moment, NULL);
    __asm__ volatile("");
}
"""


LOADS_LATE = """
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
int main(int argc, char **argv)
{
    struct timespec moment = {0, 1};
    void (*late_nap)(void);
    for (int i = 0; i < 2000; i++)
        nanosleep(&moment, NULL);
    late_nap = (void (*)(void))dlsym(dlopen(argv[argc - 1], RTLD_NOW), "late_nap");
    late_nap();
    puts("full");
    fflush(stdout);
    getchar();
    late_nap();
    return 0;
}
"""


def test_a_library_that_came_while_the_ring_was_full_is_known(tmp_path: Path) -> None:
    library, late, loads = (tmp_path / it for it in ("late.so", "late.c", "loads.c"))
    late.write_text(LATE)
    loads.write_text(LOADS_LATE)
    shared = ["cc", "-shared", "-fPIC", "-g", "-Wl,--build-id", str(late)]
    subprocess.run([*shared, "-o", str(library)], check=True)
    it = str(tmp_path / "loads")
    subprocess.run(["cc", "-o", it, str(loads), "-ldl"], check=True)
    trace = str(tmp_path / "run.tmt")
    with native.Recorder(trace) as recording:
        variables = recording.environment(os.environ)
        recorder_process = int(variables[native.REGION_VARIABLE].split("/")[2])
        os.kill(recorder_process, signal.SIGSTOP)
        process = subprocess.Popen(
            [it, str(library)],
            env=variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout
        assert process.stdin
        assert process.stdout.readline() == "full\n"
        os.kill(recorder_process, signal.SIGCONT)
        time.sleep(2)
        process.communicate("\n", timeout=SECONDS)
    model = threadmodel.open(trace)
    assert "late.so.late_nap" in model.timeline()["method"]
