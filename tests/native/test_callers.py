# SPDX-License-Identifier: Apache-2.0
"""Functions and lines of native programs: the callers, and their lines."""

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from recording import PROGRAMS_SOURCE, SECONDS, environment, program, record, rows

import threadmodel

SOURCE = "cplusplus.cpp"


Frame = tuple[object, ...]


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


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_debug_information_may_lie_beside_the_program(
    compiler: str, tmp_path: Path
) -> None:
    it = built_otherwise(tmp_path, compiler, "-gsplit-dwarf")
    assert callers_of(tmp_path / "run.tmt", it) == own_callers(it.name)
    for file in tmp_path.glob("*.dwo"):
        file.unlink()
    # Neither the functions that were inlined nor the lines are known then.
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


def test_stacks_have_names_and_lines(contended: threadmodel.Model) -> None:
    blocked = rows(contended.timeline(), "state", "thread", "method", "source")
    stacks = {row[1]: row[2:] for row in blocked if row[0] == "blocked"}
    module = Path(program("contended")).name
    assert stacks["lock_mutex"] == (f"{module}.lock_mutex", "contended.c")
