# SPDX-License-Identifier: Apache-2.0
"""Folders are layers of the library, and rooms of its analysis and of the agents: who
may know whom, and that the build enforces it."""

import json
import re
import shlex
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from describe.headers import ROOT, map_nodes

LIBRARY = ROOT / "libthreadmodel"
AGENT = ROOT / "agent/jvm"
NATIVE = ROOT / "agent/native"
# `model/state` is headers alone: what a model holds.
BELOW_MODEL = {"base", "roles", "table", "model/state"}
MODEL_ROOMS = ("entities", "intervals", "ownership", "deadlocks", "wakeups", "replay")
BELOW_ANALYSIS = BELOW_MODEL | {f"model/{room}" for room in MODEL_ROOMS}
LISTING = "analysis/listing"
BELOW_QUESTIONS = BELOW_ANALYSIS | {LISTING}
GROUPING, TIMELINE, PATH = "analysis/grouping", "analysis/timeline", "analysis/path"
LOCKS, RESOURCES = "analysis/locks", "analysis/resources"
WHATIF = "analysis/whatif"
WAITS = "analysis/waits"
LAYERS: dict[str, set[str]] = {
    "base": set(),
    "roles": set(),
    "table": {"base"},
    "model/state": {"base"},
    **{
        f"model/{room}": BELOW_MODEL | {f"model/{below}" for below in MODEL_ROOMS[:at]}
        for at, room in enumerate(MODEL_ROOMS)
    },
    LISTING: BELOW_ANALYSIS,
    GROUPING: BELOW_QUESTIONS,
    TIMELINE: BELOW_QUESTIONS,
    RESOURCES: BELOW_QUESTIONS,
    WAITS: BELOW_QUESTIONS | {TIMELINE},
    "analysis/units": BELOW_QUESTIONS | {RESOURCES},
    LOCKS: BELOW_QUESTIONS | {GROUPING, TIMELINE, RESOURCES},
    "analysis/statistics": BELOW_QUESTIONS | {GROUPING, TIMELINE, LOCKS},
    PATH: BELOW_QUESTIONS | {TIMELINE},
    "analysis/causes": BELOW_QUESTIONS | {TIMELINE, LOCKS, "analysis/units"},
    WHATIF: BELOW_QUESTIONS
    | {TIMELINE, RESOURCES, PATH, "analysis/units", "analysis/causes"},
    "analysis/findings": BELOW_QUESTIONS
    | {GROUPING, TIMELINE, LOCKS, RESOURCES, PATH, WHATIF, WAITS, "analysis/units"},
    "analysis/verdict": BELOW_QUESTIONS
    | {GROUPING, TIMELINE, WAITS, "analysis/findings", "analysis/units"},
    "analysis/explain": BELOW_QUESTIONS | {TIMELINE, LOCKS, PATH},
    "summary": {"base", "table"},
    "trace": {"base"},
    "rings": {"base", "trace"},
    "formats": {"base", "trace"},
    "export": {"base"},
}
ROOMS = {
    "ring": {"base", "trace", "rings"},
    "vm": set(),
    "ident": {"base", "trace", "rings", "ring", "vm", "endpoint"},
    "capture": {"base", "trace", "rings", "ring", "vm", "ident", "endpoint"},
    "virtual": {"base", "trace", "rings", "ring", "vm", "ident", "capture"},
    "blocked": {"base", "trace", "rings", "ring", "vm", "ident", "capture", "virtual"}
    | {"roles", "live"},
    "writer": {"base", "trace", "rings", "ring", "vm", "ident", "virtual", "blocked"}
    | {"endpoint", "switches"},
    "session": {
        "base",
        "trace",
        "rings",
        *("ring", "vm", "ident", "capture", "virtual"),
    }
    | {"blocked", "writer"},
}
# Headers alone, and the first room that sees them: what the rooms of a model share, and
# a program and its recorder. The sources of `endpoint`, `live` and `switches` are
# compiled into several rooms.
HEADERS_ALONE = {
    "model/state": "model/entities",
    "layout": "record",
    "endpoint": "record",
    "live": "recorder",
    "switches": "recorder",
}
NATIVE_ROOMS: dict[str, set[str]] = {
    "layout": set(),
    "record": {"layout", "endpoint"},
    "interpose": {"layout", "record", "endpoint"},
    "names": set(),
    "recorder": {"base", "layout", "names", "endpoint", "live", "switches"},
    "inspect": {"layout", "names"},
}
SHARED: dict[str, set[str]] = {
    "endpoint": set(),
    "live": {"base"},
    "switches": set(),
}
BELOW: dict[str, set[str]] = LAYERS | SHARED | ROOMS | NATIVE_ROOMS
SOURCES = (
    {name: LIBRARY / name for name in LAYERS}
    | {name: AGENT / name for name in ROOMS}
    | {name: NATIVE / name for name in NATIVE_ROOMS}
    | {name: ROOT / "agent" / name for name in SHARED}
)


def compile_command(build: Path, name: str) -> list[str]:
    """How the build compiles the first source of a folder, without input and output."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = (build / entry["file"]).resolve()
        if source.parent == SOURCES[HEADERS_ALONE.get(name, name)]:
            words = shlex.split(entry["command"])
            return words[: words.index("-MD")]
    pytest.skip(f"{name} is not built")


def compile_text(build: Path, name: str, text: str) -> str:
    """What the compiler says of a text as a source of a folder; "": it takes it."""
    done = subprocess.run(
        [*compile_command(build, name), "-fsyntax-only", "-x", "c", "-"],
        cwd=build,
        input=f"{text}int tm__layer_test;\n",
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr if done.returncode else ""


@pytest.mark.parametrize(
    "home", [LIBRARY, LIBRARY / "model", LIBRARY / "analysis", AGENT, NATIVE]
)
def test_every_folder_is_known(home: Path) -> None:
    """And no source is beside the folders, where nothing would be asked of it."""
    known = {path for path in SOURCES.values() if path.is_relative_to(home)}
    names = {path.relative_to(home).parts[0] for path in known}
    assert {path.name for path in home.iterdir() if path.is_dir()} == names
    assert not list(home.glob("*.c"))


@pytest.mark.parametrize("ending", ["c", "h"])
def test_a_name_reports_its_file(ending: str) -> None:
    """In a debugger, a linker map or an editor's tab there is no folder before it."""
    homes = (LIBRARY, AGENT, NATIVE)
    paths = [path for home in homes for path in home.rglob(f"*.{ending}")]
    count = Counter(path.name for path in paths)
    assert [name for name in count if count[name] > 1] == []


def test_arrows_lead_down() -> None:
    """In the order of the tables above nobody knows who comes later: no circle."""
    seen: set[str] = set()
    for name, below in BELOW.items():
        assert below <= seen, name
        seen.add(name)


def headers_of(name: str) -> list[str]:
    return [f"{name}/{path.name}" for path in sorted(SOURCES[name].glob("*.h"))]


@pytest.mark.parametrize("name", BELOW)
def test_a_header_compiles_alone(build: Path, name: str) -> None:
    for header in headers_of(name):
        assert compile_text(build, name, f'#include "{header}"\n') == ""


@pytest.mark.parametrize("name", sorted(BELOW.keys() - HEADERS_ALONE.keys()))
def test_headers_are_found_just_where_they_may_be_known(build: Path, name: str) -> None:
    text = ""
    for other in BELOW:
        is_known = other == name or other in BELOW[name]
        for header in headers_of(other):
            text += f'#if {"!" if is_known else ""}__has_include("{header}")\n'
            text += f"#error {header}\n#endif\n"
    assert compile_text(build, name, text) == ""


def included(home: Path) -> dict[str, set[str]]:
    """By path of a source and its header, without ending, those that it includes."""
    paths = list(home.rglob("*.[ch]"))
    known = {path: str(path.relative_to(home).with_suffix("")) for path in paths}
    found: dict[str, set[str]] = {name: set() for name in known.values()}
    for path, name in known.items():
        for line in re.findall(r'^#include "(.+)\.h"', path.read_text(), re.MULTILINE):
            found[name] |= {line} & found.keys() - {name}
    return found


def reached(edges: dict[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    left = [start]
    while left:
        new = edges[left.pop()] - seen
        seen |= new
        left += new
    return seen


@pytest.mark.parametrize("home", [LIBRARY, AGENT, NATIVE])
def test_no_circle_of_includes(home: Path) -> None:
    """A source and its header count as one: neither can be understood without it."""
    edges = included(home)
    reach = {name: reached(edges, name) for name in edges}
    circles = [
        {name} | {other for other in reach[name] if name in reach[other]}
        for name in edges
        if name in reach[name]
    ]
    assert len(edges) > 20
    assert circles == []


LONGEST = 400
CODE = {".c", ".h", ".java", ".py", ".go", ".ts", ".tsx", ".mjs"}
GENERATED = "libthreadmodel/table/tables.c"


def test_no_source_or_test_is_longer_than_400_lines() -> None:
    """A longer one answers more than one question."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    found = {
        name: lines
        for name in listed
        if Path(name).suffix in CODE
        and (ROOT / name).exists()
        and (lines := (ROOT / name).read_text().count("\n")) > LONGEST
    }
    assert found.pop(GENERATED) > LONGEST
    assert found == {}


DEFINITION = re.compile(r"^(?!static)\w[\w *]*?\b(tm__\w+)\([^;{}]*\)\s*\{", re.M)
DECLARATION = re.compile(r"^(?!typedef|static)\w[\w *]*?\b(tm__\w+)\([^;{}]*;", re.M)


def without_comments(path: Path) -> str:
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text(), flags=re.DOTALL)


@pytest.mark.parametrize("home", [LIBRARY, AGENT, NATIVE])
def test_a_function_is_declared_in_the_header_of_its_file(home: Path) -> None:
    declared: dict[str, set[Path]] = {}
    for path in home.rglob("*.h"):
        for name in DECLARATION.findall(without_comments(path)):
            declared.setdefault(name, set()).add(path)
    seen, wrong = 0, []
    for path in sorted(home.rglob("*.c")):
        for name in DEFINITION.findall(without_comments(path)):
            seen += 1
            headers = declared.get(name, set()) - {path.with_suffix(".h")}
            if headers:
                wrong.append(f"{path.name}: {name}: {sorted(headers)}")
    assert seen > 100
    assert wrong == []


@pytest.mark.parametrize("room", MODEL_ROOMS)
def test_a_room_of_the_model_touches_no_part_of_a_room_above(room: str) -> None:
    """All see the parts that `struct tm_model` is made of, in `model/state`."""
    home = LIBRARY / "model" / room
    text = "".join(path.read_text() for path in home.glob("*.[ch]"))
    parts = set(re.findall(r"\bmodel\)?(?:->|\.)(\w+)\.", text))
    above = MODEL_ROOMS[MODEL_ROOMS.index(room) + 1 :]
    assert parts & set(MODEL_ROOMS)
    assert parts & set(above) == set()


def archive(build: Path, name: str) -> Path:
    if name in LAYERS:
        return build / f"libthreadmodel/libtm_{name.replace('/', '_')}.a"
    if name in NATIVE_ROOMS:
        return build / f"agent/native/libtm_native_{name}.a"
    return build / f"agent/jvm/libtm_agent_{name}.a"


@pytest.mark.parametrize("name", sorted(BELOW.keys() - HEADERS_ALONE.keys()))
def test_a_folder_calls_only_what_it_may_know(build: Path, name: str) -> None:
    """By linking too: a private declaration copied into a source would show here."""
    if not archive(build, name).exists():
        pytest.skip(f"{name} is not built")
    theirs = set()
    for known in {name} | BELOW[name] - HEADERS_ALONE.keys():
        theirs |= symbols(archive(build, known), "--defined-only")
    wanted = {symbol for symbol in symbols(archive(build, name), "--undefined-only")}
    internal = {symbol for symbol in wanted if symbol.startswith("tm__")}
    assert internal <= theirs
    assert {symbol for symbol in wanted - internal if symbol.startswith("tm_")} <= set(
        map_nodes()
    )


def symbols(archive: Path, which: str) -> set[str]:
    text = subprocess.check_output(["nm", which, "--format=posix", archive], text=True)
    return set(re.findall(r"^(tm_\w+) [A-Z]", text, re.MULTILINE))
