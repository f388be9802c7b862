# SPDX-License-Identifier: Apache-2.0
"""Native programs that know what their threads did, recorded by the preload library."""

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from signallers import KINDS, WRONG, judge

import threadmodel
from threadmodel import native

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "build/tests/native"
PROGRAMS_SOURCE = Path(__file__).parent / "programs"
SOURCE = "cplusplus.cpp"
PACKAGE = ROOT / "build/bindings/python"
SECONDS = 300

pytestmark = pytest.mark.skipif(
    not (PROGRAMS / "native_contended").exists(), reason="no native recorder is built"
)


def recorder(trace: Path, *command: str) -> list[str]:
    arguments = [sys.executable, "-m", "threadmodel", "record", "--native"]
    return [*arguments, "-o", str(trace), "--", *command]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(PACKAGE)}


def record(
    trace: Path, *command: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        recorder(trace, *command),
        env=environment() | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def start(trace: Path, *command: str) -> subprocess.Popen[str]:
    """The same for a program that runs until there is something on its stdin."""
    return subprocess.Popen(
        recorder(trace, *command),
        env=environment(),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def program(name: str) -> str:
    return str(PROGRAMS / f"native_{name}")


@pytest.fixture(scope="module")
def contended(tmp_path_factory: pytest.TempPathFactory) -> threadmodel.Model:
    trace = tmp_path_factory.mktemp("native") / "run.tmt"
    assert record(trace, program("contended")).returncode == 0
    return threadmodel.open(str(trace))


@pytest.fixture(scope="module")
def conditions(tmp_path_factory: pytest.TempPathFactory) -> threadmodel.Model:
    trace = tmp_path_factory.mktemp("native") / "run.tmt"
    assert record(trace, program("conditions")).returncode == 0
    return threadmodel.open(str(trace))


def rows(table: threadmodel.Table, *columns: str) -> list[tuple[object, ...]]:
    return list(zip(*(list(table[name]) for name in columns), strict=True))


Frame = tuple[object, ...]
BLOCKED = {
    "lock_mutex": "mutex the_mutex",
    "recursive": "mutex the_recursive",
    "read_lock": "rwlock the_rwlock",
    "write_lock": "rwlock the_rwlock",
    "lock_spinlock": "spinlock the_spinlock",
    "lock_mtx": "mutex the_mtx",
}


def test_every_kind_of_lock_blames_its_owner(contended: threadmodel.Model) -> None:
    blame = rows(contended.blame(), "thread", "class", "share", "owner", "provenance")
    found = {row[0]: row for row in blame if row[2] == "owner"}
    main = Path(program("contended")).name[:15]
    assert found == {
        thread: (thread, lock, "owner", main, "exact")
        for thread, lock in BLOCKED.items()
    }


def test_locks_have_their_names_and_kinds(contended: threadmodel.Model) -> None:
    assert {
        ("mutex the_mutex", "mutex the_mutex", "mutex"),
        ("rwlock the_rwlock", "rwlock the_rwlock", "rwlock"),
        ("spinlock the_spinlock", "spinlock the_spinlock", "spin_lock"),
    } <= set(rows(contended.holds(), "object", "class", "kind"))


def test_a_module_is_listed_with_its_build_id(contended: threadmodel.Model) -> None:
    path = Path(program("contended"))
    notes = subprocess.run(
        ["readelf", "-n", path], capture_output=True, text=True, check=True
    ).stdout
    (build_id,) = re.findall(r"Build ID: ([0-9a-f]+)", notes)
    assert (path.name, build_id) in rows(contended.modules(), "module", "build_id")


@pytest.mark.parametrize("name", ["contended", "locks_inlined"])
def test_without_elfutils_a_frame_is_an_offset_in_its_file(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / "libdw.so.1").write_text("no library")
    trace = tmp_path / "run.tmt"
    done = record(trace, program(name), LD_LIBRARY_PATH=str(tmp_path))
    assert done.returncode == 0
    assert done.stderr.count("libdw.so.1 of elfutils is not installed") == 1
    callers = set(threadmodel.open(str(trace)).blame()["method"])
    assert callers
    assert all(re.fullmatch(rf"native_{name}\.0x[0-9a-f]+", it) for it in callers)


def frames_of(model: threadmodel.Model, thread: str, state: str) -> list[Frame]:
    """Of the one interval of a thread in a state, innermost first."""
    intervals = rows(model.timeline(), "thread", "state", "stack")
    (stack,) = (row[2] for row in intervals if row[:2] == (thread, state))
    columns = ("stack", "class", "method", "source", "line")
    return [row[1:] for row in rows(model.stacks(), *columns) if row[0] == stack]


def line_of(source: str, text: str) -> int:
    lines = (PROGRAMS_SOURCE / source).read_text().splitlines()
    (number,) = (i for i, line in enumerate(lines, 1) if line.strip() == text)
    return number


def own_frames(source: str, name: str, lines: dict[str, str]) -> list[Frame]:
    """Frames of a program's functions, by the text of the line where each is."""
    module = Path(program(name)).name
    return [
        (module, f"{module}.{function}", source, line_of(source, text))
        for function, text in lines.items()
    ]


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_functions_that_were_inlined_are_frames_with_lines(
    compiler: str, tmp_path: Path
) -> None:
    """Clang lists no addresses of what was compiled together."""
    trace = tmp_path / "run.tmt"
    copy = tmp_path / Path(program("locks_inlined")).name
    shutil.copy(program("locks_inlined"), copy)
    if compiler == "clang":
        remove = ["objcopy", "--remove-section=.debug_aranges", str(copy)]
        subprocess.run(remove, check=True)
    assert record(trace, str(copy)).returncode == 0
    model = threadmodel.open(str(trace))
    frames = own_frames(
        "locks_inlined.c",
        "locks_inlined",
        {
            "lock_the_mutex": "pthread_mutex_lock(&the_mutex);",
            "count_one": "lock_the_mutex();",
            "count": "count_one();",
        },
    )
    assert frames_of(model, "count", "blocked")[:3] == frames
    blame = rows(model.blame(), "share", "method", "source", "line")
    assert ("owner", *frames[0][1:]) in blame


def test_blocks_through_a_wrapper_are_of_who_called_it(tmp_path: Path) -> None:
    """Both callers are as deep as each other, and come by turns."""
    trace = tmp_path / "run.tmt"
    assert record(trace, program("wrapped")).returncode == 0
    model = threadmodel.open(str(trace))
    methods: dict[object, list[object]] = {}
    for stack, method in rows(model.stacks(), "stack", "method"):
        methods.setdefault(stack, []).append(method)
    blocks = [
        (methods[stack][1], sampled)
        for thread, state, stack, sampled in rows(
            model.timeline(), "thread", "state", "stack", "sampled"
        )
        if (thread, state) == ("calls_both", "blocked")
    ]
    assert Counter(blocks) == {
        ("native_wrapped.first", False): 29,
        ("native_wrapped.second", False): 11,
    }


@pytest.fixture(scope="module")
def cplusplus(tmp_path_factory: pytest.TempPathFactory) -> threadmodel.Model:
    if not Path(program("cplusplus")).exists():
        pytest.skip("no compiler of C++")
    trace = tmp_path_factory.mktemp("native") / "run.tmt"
    assert record(trace, program("cplusplus")).returncode == 0
    return threadmodel.open(str(trace))


def test_every_block_of_cplusplus_blames_its_owner(
    cplusplus: threadmodel.Model,
) -> None:
    blame = rows(cplusplus.blame(), "thread", "class", "share", "owner", "provenance")
    main = Path(program("cplusplus")).name[:15]
    assert sorted(row for row in blame if row[2] == "owner") == [
        ("lock_unique", "mutex the_account", "owner", main, "exact"),
        ("put_money", "mutex the_account", "owner", main, "exact"),
        ("read_shared", "rwlock the_shared", "owner", main, "exact"),
        ("write_shared", "rwlock the_shared", "owner", main, "exact"),
    ]
    holds = rows(cplusplus.holds(), "class", "thread", "shared")
    assert [row[1:] for row in holds if row[0] == "rwlock the_shared"] == [
        (main, False),
        ("read_shared", True),
        (main, True),
        ("write_shared", False),
    ]
    assert not len(cplusplus.diagnostics())


def test_waits_of_cplusplus_end_by_who_signalled(cplusplus: threadmodel.Model) -> None:
    columns = ("kind", "from_thread", "to_thread", "object", "effect")
    main = Path(program("cplusplus")).name[:15]
    ends = {
        (*row[:3], str(row[3]).split("@")[0], row[4])
        for row in rows(cplusplus.interactions(), *columns)
        if str(row[0]).startswith("notify")
    }
    assert ends == {
        ("notify", main, "wait_plain", "condition the_condition", "woke"),
        ("notify_all", main, "wait_timed", "condition the_condition", "woke"),
    }


CPLUSPLUS = {
    "put_money": ("blocked", "std::mutex::lock()"),
    "lock_unique": ("blocked", "std::unique_lock<std::mutex>::lock()"),
    "read_shared": ("blocked", "std::shared_mutex::lock_shared()"),
    "write_shared": ("blocked", "std::shared_mutex::lock()"),
    "wait_plain": ("waiting", "std::condition_variable::wait"),
    "wait_timed": ("waiting", "std::condition_variable::wait_for"),
}
OWN_LINES = {
    "put_money": {
        "Account::deposit()": "std::lock_guard<std::mutex> guard(lock);",
        "put_money()": "the_account.deposit();",
    },
    "lock_unique": {
        "lock_unique()": "std::unique_lock<std::mutex> unique(the_account.lock);"
    },
    "read_shared": {
        "read_shared()": "std::shared_lock<std::shared_mutex> reader(the_shared);"
    },
    "write_shared": {
        "write_shared()": "std::unique_lock<std::shared_mutex> writer(the_shared);"
    },
    "wait_plain": {"wait_plain()": "the_condition.wait(lock, [] { return is_set; });"},
    "wait_timed": {
        "wait_timed()": "the_condition.wait_for("
        "lock, std::chrono::minutes(1), [] { return is_set; });"
    },
}


@pytest.mark.parametrize("thread", CPLUSPLUS)
def test_the_caller_of_a_block_in_cplusplus_is_the_program_s_function(
    thread: str, cplusplus: threadmodel.Model
) -> None:
    """What the compiler inlined of the library lies within it, and is named as such."""
    state, of_library = CPLUSPLUS[thread]
    own = own_frames(SOURCE, "cplusplus", OWN_LINES[thread])
    frames = frames_of(cplusplus, thread, state)
    within = frames.index(own[0])
    assert frames[within : within + len(own)] == own
    assert {str(frame[0]).split(".")[0] for frame in frames[:within]} == {"libstdc++"}
    assert any(of_library in str(frame[1]) for frame in frames[:within])
    columns = ("thread", "state", "method", "source", "line")
    callers = rows(cplusplus.timeline(), *columns)
    assert (thread, state, *own[0][1:]) in callers


def built_otherwise(folder: Path, compiler: str, *flags: str) -> Path:
    """The program of C++, in a folder of its own."""
    command = [compiler, "-std=c++17", "-O2", "-g", "-pthread", *flags]
    source = PROGRAMS_SOURCE / SOURCE
    to = folder / "otherwise"
    done = subprocess.run(
        [*command, "-o", str(to), str(source)], cwd=folder, check=False
    )
    if done.returncode != 0:
        pytest.skip(f"no {' '.join((compiler, *flags))}")
    return to


def callers_of(trace: Path, it: Path) -> set[tuple[object, ...]]:
    assert record(trace, str(it)).returncode == 0
    columns = ("thread", "state", "method", "source", "line")
    timeline = threadmodel.open(str(trace)).timeline()
    return {row for row in rows(timeline, *columns) if row[1] in ("blocked", "waiting")}


def own_callers(module: str) -> set[tuple[object, ...]]:
    """Where each thread of the program of C++ is blocked or waits."""
    return {
        (thread, state, f"{module}.{function}", SOURCE, line_of(SOURCE, text))
        for thread, (state, _) in CPLUSPLUS.items()
        for function, text in list(OWN_LINES[thread].items())[:1]
    }


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


def twin(folder: Path, name: str) -> Path:
    """A library with a lock and a function that locks it."""
    source = folder / f"{name}.c"
    source.write_text(TWINS % {"name": name})
    library = folder / f"{name}.so"
    command = ["cc", "-shared", "-fPIC", "-g", "-Wl,--build-id", str(source)]
    subprocess.run([*command, "-o", str(library)], check=True)
    return library


def loader(folder: Path) -> Path:
    """A program that loads such libraries one after the other."""
    source = folder / "loads.c"
    source.write_text(LOADS)
    it = folder / "loads"
    command = ["cc", "-D_GNU_SOURCE", "-g", "-pthread", f"-I{PROGRAMS_SOURCE}"]
    subprocess.run([*command, str(source), "-o", str(it), "-ldl"], check=True)
    return it


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


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_debug_information_may_lie_beside_the_program(
    compiler: str, tmp_path: Path
) -> None:
    it = built_otherwise(tmp_path, compiler, "-gsplit-dwarf")
    assert callers_of(tmp_path / "run.tmt", it) == own_callers(it.name)
    for file in tmp_path.glob("*.dwo"):
        file.unlink()
    # Who was inlined is unknown then, and so is whose the lines are.
    assert callers_of(tmp_path / "without.tmt", it) == {
        (thread, state, f"{it.name}.{thread}()", None, None)
        for thread, (state, _) in CPLUSPLUS.items()
    }


def test_a_stripped_program_refers_to_its_debug_file(tmp_path: Path) -> None:
    it = built_otherwise(tmp_path, "g++")
    for change in (
        ["--only-keep-debug", it.name, "beside.debug"],
        ["--strip-all", "--add-gnu-debuglink=beside.debug", it.name],
    ):
        subprocess.run(["objcopy", *change], cwd=tmp_path, check=True)
    assert callers_of(tmp_path / "run.tmt", it) == own_callers(it.name)


def test_the_caller_of_a_block_in_libcplusplus_is_the_program_s_function(
    tmp_path: Path,
) -> None:
    """Its shared_mutex is a mutex with conditions, in which both sides wait."""
    it = built_otherwise(tmp_path, "clang++", "-stdlib=libc++")
    assert callers_of(tmp_path / "run.tmt", it) == {
        (thread, "waiting" if "shared" in str(thread) else state, *place)
        for thread, state, *place in own_callers(it.name)
    }


JAVA = re.compile(r"\b(Java|JVM|VM|JDK|HotSpot|monitors?|carriers?)\b", re.IGNORECASE)


@pytest.mark.parametrize("name", ["contended", "conditions"])
@pytest.mark.parametrize("command", ["report", "path", "whatif", "stats", "timeline"])
def test_texts_about_native_programs_speak_no_java(
    command: str, name: str, tmp_path: Path
) -> None:
    trace = tmp_path / "run.tmt"
    assert record(trace, program(name)).returncode == 0
    said = subprocess.run(
        [sys.executable, "-m", "threadmodel", command, str(trace)],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    ).stdout.splitlines()
    assert len(said) > 2
    assert not [line for line in said if JAVA.search(line)]


def test_a_recursive_lock_is_free_after_its_last_unlock(
    contended: threadmodel.Model,
) -> None:
    holds = rows(contended.holds(), "class", "thread", "start_ns", "end_ns")
    owner, queued = (row for row in holds if row[0] == "mutex the_recursive")
    assert queued[1] == "recursive"
    assert isinstance(owner[3], int)
    assert isinstance(queued[2], int)
    assert owner[3] <= queued[2]


def test_readers_share(contended: threadmodel.Model) -> None:
    holds = rows(contended.holds(), "class", "shared")
    assert [shared for name, shared in holds if name == "rwlock the_rwlock"] == [
        False,
        True,
        True,
        False,
    ]


def test_stacks_have_names_and_lines(contended: threadmodel.Model) -> None:
    blocked = rows(contended.timeline(), "state", "thread", "method", "source")
    stacks = {row[1]: row[2:] for row in blocked if row[0] == "blocked"}
    module = Path(program("contended")).name
    assert stacks["lock_mutex"] == (f"{module}.lock_mutex", "contended.c")


def test_nothing_contradicts(
    contended: threadmodel.Model, conditions: threadmodel.Model
) -> None:
    assert not len(contended.diagnostics())
    assert not len(conditions.diagnostics())


def test_a_wait_ends_by_who_signalled(conditions: threadmodel.Model) -> None:
    columns = ("kind", "from_thread", "to_thread", "object", "effect")
    found = {
        (row[0], row[1], row[2], str(row[3]).split("@")[0], row[4])
        for row in rows(conditions.interactions(), *columns)
    }
    main = Path(program("conditions")).name[:15]
    for kind, thread, waited_for in [
        ("notify", "wait_plain", "condition the_condition"),
        ("notify_all", "wait_clock", "condition the_condition"),
        ("notify", "wait_c11", "condition the_cnd"),
        ("post", "wait_semaphore", "semaphore the_semaphore"),
        ("post", "wait_barrier", "barrier the_barrier"),
    ]:
        assert (kind, main, thread, waited_for, "woke") in found


def test_who_ends_a_wait_is_as_the_program_knows_it() -> None:
    found: Counter[tuple[str, str]] = Counter()
    for _ in range(3):
        found += judge()
    assert {kind for kind, _ in found} == set(KINDS)
    wrong = sum(count for (_, how), count in found.items() if how == WRONG)
    assert found.total() > 1000
    assert wrong <= found.total() / 1000, found


def test_a_condition_is_no_lock(conditions: threadmodel.Model) -> None:
    kinds = {str(name).split()[0] for name in conditions.holds()["class"]}
    assert kinds == {"mutex", "once"}
    assert not len(conditions.deadlocks())


def test_who_runs_a_routine_once_is_waited_for(conditions: threadmodel.Model) -> None:
    blame = rows(conditions.blame(), "class", "share", "owner")
    assert ("once the_once", "owner", "run_once") in blame


@pytest.mark.parametrize(
    "which",
    [
        "errors",
        "cancels",
        "closes",
        "forks",
        "signals",
        "replaces",
        "storm",
        "sandboxes",
        "forks_cancelled",
        "forks_in_sandbox",
        "naps_on_small_stack",
        "sandboxes_strictly",
        "refuses_counter",
    ],
)
def test_a_program_does_what_it_does_without_us(which: str, tmp_path: Path) -> None:
    done = record(tmp_path / "run.tmt", program("hardships"), which)
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr
    for trace in tmp_path.glob("*.tmt"):
        contradicted = set(threadmodel.open(str(trace)).diagnostics()["cause"])
        assert not contradicted & {"two_owners", "acquired_twice"}


def test_a_thread_is_recorded_after_a_jump_out_of_a_record(tmp_path: Path) -> None:
    done = record(tmp_path / "run.tmt", program("hardships"), "jumps")
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr
    model = threadmodel.open(str(tmp_path / "run.tmt"))
    main = Path(program("hardships")).name[:15]
    states = rows(model.timeline(), "thread", "state", "peer")
    assert (main, "joining", "forks") in states


def oddity(which: str, folder: Path) -> threadmodel.Model:
    done = record(folder / "run.tmt", program("oddities"), which)
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr
    assert "deadlock" not in done.stderr
    return threadmodel.open(str(folder / "run.tmt"))


def owners_of(model: threadmodel.Model, thread: str) -> set[object]:
    """Who had the lock that a thread was blocked by."""
    columns = ("thread", "share", "owner_id")
    return {
        row[2] for row in rows(model.blame(), *columns) if row[:2] == (thread, "owner")
    }


@pytest.mark.parametrize(
    "which",
    [
        "checks",
        "hands_over",
        "waits",
        "locks_early",
        "dies",
        "inherits",
        "reads_while_it_writes",
        "locks_by_a_clock",
    ],
)
def test_whoever_has_the_lock_is_blamed(which: str, tmp_path: Path) -> None:
    model = oddity(which, tmp_path)
    (main,) = (row[1] for row in rows(model.threads(), "name", "thread_id")[:1])
    assert owners_of(model, "waiter") == {main}
    assert not len(model.deadlocks())
    # A thread that dies gives its lock up afterwards.
    assert set(model.diagnostics()["cause"]) <= {"after_end"}


@pytest.mark.parametrize(
    ("which", "lost"), [("locks_many", []), ("queues_for_many", ["lost_by_producer"])]
)
def test_of_many_locks_only_those_that_are_queued_for_count_as_lost(
    which: str, lost: list[str], tmp_path: Path
) -> None:
    """Of a thread 64 are known, and it takes 200, of others a thread has one."""
    model = oddity(which, tmp_path)
    ids = {row[0]: row[1] for row in rows(model.threads(), "name", "thread_id")}
    main = Path(program("oddities")).name[:15]
    assert owners_of(model, "later") == {ids[main]}
    if not lost:
        assert owners_of(model, "waiter") == {ids["owner"]}
    diagnostics = rows(model.diagnostics(), "cause", "count")
    assert [row[0] for row in diagnostics] == lost
    assert [row[1] for row in diagnostics] == [1 for _ in lost]


def test_a_wait_that_a_signal_or_a_cancellation_ends_brings_no_permit(
    tmp_path: Path,
) -> None:
    model = oddity("is_interrupted", tmp_path)
    threads = {"interrupted", "cancelled", "posted"}
    ends = rows(model.interactions(), "kind", "to_thread")
    assert [(str(kind), to) for kind, to in ends if to in threads] == [
        ("start", "interrupted"),
        ("interrupt", "interrupted"),
        ("start", "cancelled"),
        ("interrupt", "cancelled"),
        ("start", "posted"),
        ("post", "posted"),
    ]


def test_a_signal_handler_that_locks_leaves_the_locks_of_its_thread(
    tmp_path: Path,
) -> None:
    """40 are held for so long that the recorder sees them, if nothing holds it up."""
    seen = 0
    for _ in range(3):
        model = oddity("holds_between_signals", tmp_path)
        counts = dict(rows(model.hold_times(), "class", "count"))
        seen = max(seen, int(str(counts.get("mutex the_mutex", 0))))
        if seen >= 36:
            break
    assert seen >= 36


PARKED = "parked"
LIMIT_NS = 100_000_000


def test_a_lock_with_a_limit_is_parked_for_until_then(tmp_path: Path) -> None:
    model = oddity("limits", tmp_path)
    ids = {row[0]: row[1] for row in rows(model.threads(), "name", "thread_id")}
    main = ids[Path(program("oddities")).name[:15]]
    columns = ("thread", "state", "object", "start_ns", "end_ns")
    parks = {
        row[0]: row for row in rows(model.timeline(), *columns) if row[1] == PARKED
    }
    for thread in ("gives_up", "gets_it"):
        assert owners_of(model, thread) == {main}
        assert parks[thread][2] == "mutex the_mutex"
    *_, begin, end = parks["gives_up"]
    assert isinstance(begin, int)
    assert isinstance(end, int)
    assert end - begin > 0.9 * LIMIT_NS
    holds = rows(model.holds(), "thread_id", "object")
    wanted = [row[0] for row in holds if row[1] == "mutex the_mutex"]
    assert wanted == [main, ids["gets_it"]]
    assert not len(model.diagnostics())


def test_a_process_goes_on_without_its_first_thread(tmp_path: Path) -> None:
    model = oddity("leaves", tmp_path)
    assert owners_of(model, "waiter")
    assert [path.name for path in tmp_path.iterdir()] == ["run.tmt"]


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


JEMALLOC = "libjemalloc.so.2"


def test_nothing_is_lost_where_jemalloc_locks_all_of_its_own(tmp_path: Path) -> None:
    """It has over a hundred mutexes at each fork."""
    probe = ["env", f"LD_PRELOAD={JEMALLOC}", "true"]
    if subprocess.run(probe, capture_output=True, check=False).stderr:
        pytest.skip("no jemalloc")
    which = "forks_and_allocates"
    script = f"LD_PRELOAD=$LD_PRELOAD:{JEMALLOC} exec {program('oddities')} {which}"
    done = record(tmp_path / "run.tmt", "sh", "-c", script)
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr
    for trace in tmp_path.glob("*.tmt"):
        assert not len(threadmodel.open(str(trace)).diagnostics())


def test_each_join_is_of_the_thread_that_ended(tmp_path: Path) -> None:
    model = oddity("joins", tmp_path)
    columns = ("kind", "from_thread_id")
    found = [row[1] for row in rows(model.interactions(), *columns) if row[0] == "join"]
    assert len(found) > 250
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("which", ["detaches", "cancels", "forks"])
def test_a_recorded_program_does_what_it_may(which: str, tmp_path: Path) -> None:
    oddity(which, tmp_path)


def test_a_recorder_that_is_killed_is_named(tmp_path: Path) -> None:
    script = f"kill -9 $(echo ${native.REGION_VARIABLE} | cut -d/ -f3)"
    command = recorder(tmp_path / "run.tmt", "sh", "-c", script)
    done = subprocess.run(
        command, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 3, done.stderr
    assert "signal 9 ended the recorder" in done.stderr


@pytest.mark.parametrize(
    ("which", "name"), [("errors", "native_hardship"), ("closes", "renamed")]
)
def test_a_program_that_ends_before_the_recorder_looks_has_its_name(
    which: str, name: str, tmp_path: Path
) -> None:
    trace = str(tmp_path / "run.tmt")
    with native.Recorder(trace) as recording:
        variables = recording.environment(os.environ)
        process = int(variables[native.REGION_VARIABLE].split("/")[2])
        os.kill(process, signal.SIGSTOP)
        try:
            done = subprocess.run(
                [program("hardships"), which], env=variables, check=False
            )
        finally:
            os.kill(process, signal.SIGCONT)
    model = threadmodel.open(trace)
    assert done.returncode == 0
    assert model.threads()["name"][0] == name
    assert not len(model.diagnostics())


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


def test_threads_in_a_sandbox_are_recorded(tmp_path: Path) -> None:
    trace = str(tmp_path / "run.tmt")
    record(tmp_path / "run.tmt", program("hardships"), "sandboxes")
    model = threadmodel.open(trace)
    assert model.threads()["name"][0] == "in a box"
    assert len(model.threads()) == 5
    assert not len(model.diagnostics())


def test_a_fork_in_a_sandbox_has_its_number(tmp_path: Path) -> None:
    record(tmp_path / "run.tmt", program("hardships"), "forks_in_sandbox")
    model = threadmodel.open(str(tmp_path / "run.tmt"))
    assert model.run.pid
    assert len(model.threads()) == 2


def test_without_the_memory_a_program_runs_unrecorded(tmp_path: Path) -> None:
    done = subprocess.run(
        [program("hardships"), "errors"],
        env=os.environ
        | {
            "LD_PRELOAD": str(native.path(native.PRELOAD)),
            native.REGION_VARIABLE: str(tmp_path / "none"),
        },
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "fine\n")
    assert re.fullmatch(
        r"threadmodel: not recorded: no memory shared with the recorder: .*\n",
        done.stderr,
    )


def test_a_fork_has_a_trace_of_its_own(tmp_path: Path) -> None:
    record(tmp_path / "run.tmt", program("hardships"), "forks")
    traces = sorted(path.name for path in tmp_path.iterdir())
    assert len(traces) == 2
    pids = {threadmodel.open(str(path)).run.pid for path in tmp_path.iterdir()}
    assert f"run-{min(pids)}.tmt" in traces or f"run-{max(pids)}.tmt" in traces


def test_a_process_of_another_namespace_has_the_number_that_proc_shows(
    tmp_path: Path,
) -> None:
    inside = ["unshare", "--pid", "--fork"]
    if subprocess.run([*inside, "true"], check=False).returncode != 0:
        pytest.skip("no namespaces of processes")
    done = record(tmp_path / "run.tmt", *inside, program("oddities"), "limits")
    assert done.stdout == "fine\n"
    model = threadmodel.open(str(tmp_path / "run.tmt"))
    # In its own view it is the first.
    assert model.run.pid > 2
    # There the C library cannot name another thread: each has the name of the first.
    main = Path(program("oddities")).name[:15]
    assert list(model.threads()["name"]) == [main] * 3


def test_a_thread_that_was_cancelled_has_released_its_mutex(tmp_path: Path) -> None:
    record(tmp_path / "run.tmt", program("hardships"), "cancels")
    model = threadmodel.open(str(tmp_path / "run.tmt"))
    waits = rows(model.timeline(), "thread", "state", "open")
    assert ("wait_for_ever", "waiting", False) in waits
    assert not len(model.deadlocks())


DEADLOCKS = {
    "two": ("left_first", "right_first"),
    "self": ("lock_twice",),
    "ring": ("left_first", "right_to_third", "third_to_left"),
    "spin": ("spin_first", "left_to_spin"),
    "once": ("run_once", "left_to_once"),
    "upgrade": ("read_to_write",),
    "reader": ("reads_first", "left_to_write"),
    "join": ("is_joined", "left_to_join"),
}
WANTED = {
    "left_to_spin": "spinlock spinning",
    "left_to_once": "once once",
    "read_to_write": "rwlock table",
    "left_to_write": "rwlock table",
    "right_first": "mutex left",
    "right_to_third": "mutex third",
}


@pytest.mark.parametrize("which", DEADLOCKS)
def test_a_deadlock_is_reported_while_it_lasts(which: str, tmp_path: Path) -> None:
    members = DEADLOCKS[which]
    process = start(tmp_path / "run.tmt", program("deadlock"), which)
    assert process.stderr
    # The program ends only after this line has come.
    first = process.stderr.readline()
    assert first.startswith(f"threadmodel: deadlock of {len(members)} thread"), first
    assert process.stdin
    process.stdin.close()
    rest = process.stderr.read()
    assert process.wait(SECONDS) == 0
    # Of the last, which the others lead to, what it wants is known.
    wanted = WANTED.get(members[-1], "mutex left")
    if which == "join":
        assert '"left_to_join" waits for the end of "is_joined"\n' in rest
    else:
        assert f'"{members[-1]}" is blocked by {wanted}, which' in rest
    for name, owner in zip(members, [*members[1:], members[0]], strict=True):
        assert re.search(rf'"{name}" .*"{owner}"', rest)
    found = threadmodel.open(str(tmp_path / "run.tmt")).deadlocks()
    assert sorted(found["thread"]) == sorted(members)
    # Of several owners another may be the last.
    expected = {"exact", "reported", *(["inferred"] if "rwlock" in wanted else [])}
    assert set(found["provenance"]) <= expected


def test_a_message_has_nothing_that_a_terminal_obeys(tmp_path: Path) -> None:
    process = start(tmp_path / "run.tmt", program("deadlock"), "hostile")
    assert process.stderr
    first = process.stderr.readline()
    assert process.stdin
    process.stdin.close()
    rest = process.stderr.read()
    assert process.wait(SECONDS) == 0
    assert first.startswith("threadmodel: deadlock of 2 threads"), first
    assert '"a?[2J?b?c" is blocked by mutex' in rest
    assert '"d?e" owns' in rest
    assert "\x1b" not in rest
    assert "\u2028" not in rest
    assert "\u202e" not in rest


def test_a_lock_that_is_refused_is_no_deadlock(tmp_path: Path) -> None:
    """Not even for a moment, between the enter and the error."""
    process = start(tmp_path / "run.tmt", program("deadlock"), "checks")
    time.sleep(2)
    _, said = process.communicate("", timeout=SECONDS)
    assert process.returncode == 0
    assert "deadlock" not in said
    assert not len(threadmodel.open(str(tmp_path / "run.tmt")).deadlocks())


def test_a_process_of_another_namespace_is_found(tmp_path: Path) -> None:
    """It knows itself by a number that no process has here, and then lives on."""
    own = ["unshare", "--pid", "--fork"]
    if subprocess.run([*own, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no right to make a namespace")
    number = next(
        it for it in range(30000, 20000, -1) if not Path(f"/proc/{it}").exists()
    )
    script = f"echo {number - 1} >/proc/sys/kernel/ns_last_pid; $0 goes_on; true"
    trace = tmp_path / "run.tmt"
    process = subprocess.Popen(
        recorder(trace, *own, "sh", "-c", script, program("hardships")),
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "goes on\n"
    time.sleep(1)
    (there,) = (
        int(path.parent.name)
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if path.read_bytes().startswith(program("hardships").encode() + b"\0goes_on")
    )
    os.kill(there, signal.SIGKILL)
    process.communicate(timeout=SECONDS)
    model = threadmodel.open(str(trace))
    assert model.run.pid == there
    assert model.run.command == f"{program('hardships')} goes_on"
    assert list(tmp_path.iterdir()) == [trace]
    assert not {"lost_by_producer", "undefined_thread"} & set(
        model.diagnostics()["cause"]
    )


def test_a_killed_program_leaves_its_trace(tmp_path: Path) -> None:
    process = subprocess.Popen(
        recorder(tmp_path / "run.tmt", program("hardships"), "goes_on"),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "goes on\n"
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    for child in map(int, children.split()):
        if Path(f"/proc/{child}/comm").read_text().startswith("native_hards"):
            os.kill(child, signal.SIGKILL)
    _, said = process.communicate(timeout=SECONDS)
    assert process.returncode == 128 + signal.SIGKILL, said
    assert threadmodel.open(str(tmp_path / "run.tmt")).threads()


def test_a_setuid_program_is_named(tmp_path: Path) -> None:
    copy = tmp_path / "setuid"
    shutil.copy(program("hardships"), copy)
    copy.chmod(0o4755)
    assert native.why_unseen(str(copy)) == (
        "it is setuid or setgid, where the loader ignores LD_PRELOAD"
    )


def static_program(folder: Path, source: str) -> str:
    file = folder / "static.c"
    file.write_text(source)
    it = folder / "static"
    built = subprocess.run(["cc", "-static", str(file), "-o", str(it)], check=False)
    if built.returncode != 0:
        pytest.skip("no static C library")
    return str(it)


def test_a_static_program_is_named(tmp_path: Path) -> None:
    it = static_program(tmp_path, "int main(void) { return 0; }\n")
    done = record(tmp_path / "run.tmt", it)
    assert done.returncode == 2
    assert "it is statically linked" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("script", ["exec {}", "{}; true"])
def test_a_static_program_that_a_shell_starts_is_named(
    script: str, tmp_path: Path
) -> None:
    source = "#include <unistd.h>\nint main(void) { return usleep(300000); }\n"
    it = static_program(tmp_path, source)
    done = record(tmp_path / "run.tmt", "sh", "-c", script.format(it))
    assert done.returncode == 0
    (line,) = (line for line in done.stderr.splitlines() if "trace in" not in line)
    assert line.startswith(f"threadmodel: the trace has nothing of {it}: it is static")


def test_a_shell_that_starts_what_is_recorded_leaves_one_line(tmp_path: Path) -> None:
    done = record(tmp_path / "run.tmt", "sh", "-c", "sleep 0.3; true")
    assert done.stderr.count("\n") == 1


def test_a_program_of_32_bits_is_named(tmp_path: Path) -> None:
    it = tmp_path / "narrow"
    it.write_bytes(b"\x7fELF\x01" + bytes(100))
    reason = "it is a program of 32 bits, and this package is for 64"
    assert native.why_unseen(str(it)) == reason


def test_a_program_with_capabilities_is_named(tmp_path: Path) -> None:
    it = tmp_path / "capable"
    shutil.copy(program("hardships"), it)
    # cap_net_bind_service, effective and permitted, as setcap writes it
    value = bytes.fromhex("0100000200040000" + "00" * 12)
    try:
        os.setxattr(it, "security.capability", value)
    except OSError as refused:
        pytest.skip(f"no right to give capabilities: {refused}")
    reason = "it has capabilities of its own, where the loader ignores LD_PRELOAD"
    assert native.why_unseen(str(it)) == reason


def test_a_program_of_another_c_library_is_named(tmp_path: Path) -> None:
    source = tmp_path / "other.c"
    source.write_text("int main(void) { return 0; }\n")
    built = tmp_path / "other"
    loader = "-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1"
    subprocess.run(["cc", loader, str(source), "-o", str(built)], check=True)
    reason = "it is linked with musl, and this package is for glibc"
    assert native.why_unseen(str(built)) == reason


def test_two_recordings_do_not_write_one_trace(tmp_path: Path) -> None:
    trace = tmp_path / "run.tmt"
    first = start(trace, program("deadlock"), "self")
    assert first.stderr
    first.stderr.readline()
    second = record(trace, program("hardships"), "errors")
    first.communicate("", timeout=SECONDS)
    assert (second.returncode, second.stdout) == (2, "fine\n")
    assert second.stderr.endswith("another recording writes this trace\n")
    assert second.stderr.count("\n") == 1


def test_names_that_begin_alike_are_two_traces(tmp_path: Path) -> None:
    begin = "n" * 70
    with native.Recorder(str(tmp_path / f"{begin}1.tmt")) as first:
        assert first.region
        with native.Recorder(str(tmp_path / f"{begin}2.tmt")) as second:
            assert second.region


@pytest.mark.parametrize("which", ["forks", "errors"])
def test_what_another_producer_writes_is_left_alone(which: str, tmp_path: Path) -> None:
    """It has its file locked, as the JVM agent does."""
    trace = tmp_path / "run.tmt"
    with trace.open("w+") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        other.write("another's")
        other.flush()
        done = record(trace, program("hardships"), which)
        assert trace.read_text() == "another's"
    (line,) = (line for line in done.stderr.splitlines() if "being written" in line)
    own = re.fullmatch(
        rf"threadmodel: {trace} is being written by another process: "
        r"this recording is in (.*)",
        line,
    )
    assert own, done.stderr
    assert "no trace" not in done.stderr
    assert re.search(rf"traces? in {re.escape(own[1])}[,;]", done.stderr)
    assert threadmodel.open(own[1]).threads()
    assert done.returncode == 0


def test_a_trace_is_locked_while_it_is_written(tmp_path: Path) -> None:
    """So that the JVM agent leaves it alone."""
    trace = tmp_path / "run.tmt"
    process = start(trace, program("deadlock"), "two")
    assert process.stderr
    process.stderr.readline()
    with trace.open() as file, pytest.raises(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    process.communicate("", timeout=SECONDS)
    with trace.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_trace_can_be_read_while_the_program_runs(tmp_path: Path) -> None:
    """The recorder hands over what it has once a second."""
    trace = tmp_path / "run.tmt"
    process = start(trace, program("deadlock"), "two")
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if trace.exists() and len(_deadlocks(trace)):
            break
        time.sleep(0.1)
    else:
        pytest.fail("the trace never had the deadlock")
    process.communicate("", timeout=SECONDS)


def _deadlocks(trace: Path) -> list[object]:
    try:
        return list(threadmodel.open(str(trace)).deadlocks()["thread"])
    except threadmodel.ThreadmodelError:
        return []


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_contended_enters_are_the_program_s_own_count_and_strace_s_at_most(
    tmp_path: Path,
) -> None:
    """A block may wait in the kernel several times: who was woken may be overtaken."""
    calls = tmp_path / "calls"
    trace = tmp_path / "run.tmt"
    watch = ["strace", "-f", "-e", "trace=futex", "-o", str(calls)]
    done = record(trace, *watch, program("counted"))
    assert done.returncode == 0, done.stderr
    counted = int(done.stdout.split()[0])
    model = threadmodel.open(str(trace))
    sums = model.statistics(by="class")
    counts = dict(rows(sums, "class", "blocked_count"))
    assert counts["mutex lock"] == counted > 0
    waits = re.findall(r"futex\((0x\w+), FUTEX_WAIT_PRIVATE", calls.read_text())
    assert max(map(waits.count, set(waits))) >= counted
