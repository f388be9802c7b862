# SPDX-License-Identifier: Apache-2.0
"""The guides say what is so: links lead somewhere, code compiles, names exist."""

import re
import subprocess
from pathlib import Path

import pytest

from describe.headers import INCLUDE, PUBLIC, ROOT

LIBRARY = ROOT / "build" / "libthreadmodel" / "libthreadmodel.so"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
# What a block may use besides what those before it declare.
GIVEN = """\
#include <stdio.h>
#include <threadmodel/threadmodel.h>

static const tm_event events[] = {
    {.time_ns = 0, .thread = 1, .kind = TM_EVENT_THREAD_START},
    {.time_ns = 1, .thread = 2, .kind = TM_EVENT_THREAD_START},
    {.time_ns = 2,
     .thread = 1,
     .kind = TM_EVENT_CONTENDED_ENTER,
     .object = 7,
     .peer = 2},
    {.time_ns = 9, .thread = 1, .kind = TM_EVENT_CONTENDED_ENTERED, .object = 7},
};

int main(void)
{
    size_t event_count = sizeof(events) / sizeof(events[0]);
    tm_model *given;
    tm_table *table;

    (void)event_count;
    if (tm_model_new(&given, NULL) != TM_OK ||
        tm_model_ingest(given, events, event_count) != TM_OK ||
        tm_statistics_list(&table, given, NULL) != TM_OK)
        return 1;
"""


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text())
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if blocks(page, "c")],
    ids=lambda page: page.name,
)
def test_c_of_a_page_runs_from_top_to_bottom(page: Path, tmp_path: Path) -> None:
    """A block sees what those before it declare, and may declare it anew."""
    examples = blocks(page, "c")
    source = tmp_path / "page.c"
    source.write_text(
        GIVEN + "{".join(["", *examples]) + "}" * len(examples) + "return 0;}"
    )
    compiled = subprocess.run(
        ["gcc", "-std=c11", "-Wall", "-Werror", "-Wno-unused-variable", source]
        + ["-I", INCLUDE, LIBRARY, f"-Wl,-rpath={LIBRARY.parent}"]
        + ["-o", tmp_path / "page"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert compiled.returncode == 0, compiled.stderr
    ran = subprocess.run(
        [tmp_path / "page"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0
    assert ran.stdout.startswith("".join(blocks(page, "text")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples_parse(page: Path) -> None:
    for body in blocks(page, "python"):
        compile(body, str(page), "exec")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_names_of_the_api_exist(page: Path) -> None:
    headers = "".join(path.read_text() for path in PUBLIC)
    known = set(re.findall(r"\b(?:tm|TM)_\w+", headers))
    named = set(re.findall(r"\b((?:tm|TM)_[a-zA-Z]\w*)(?![\w*])", page.read_text()))
    # Forms that stand for many: tm_noun_verb, TM_VERSION_*.
    patterns = {name for name in named if name.endswith("_") or "noun" in name}
    names = ("FLAGS", "FULL", "JDKS", "SLOW_MACHINE", "STUCK_S")
    switches = {f"TM_TEST_{name}" for name in names}
    assert named - known - patterns - switches == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_verbs_of_dev_exist(page: Path) -> None:
    verbs = set(re.findall(r"\./dev ([a-z][a-z-]*)", page.read_text()))
    listed = subprocess.check_output([ROOT / "dev", "--help"], text=True)
    assert {verb for verb in verbs if f"\n  {verb} " not in listed} == set()


def test_the_walk_of_a_contended_enter_names_files_that_exist() -> None:
    design = (ROOT / "docs" / "design.md").read_text()
    _, _, walk = design.partition("## A contended enter")
    steps = re.findall(r"^(\d+)\. `([^`]+)`", walk.partition("\n## ")[0], re.MULTILINE)
    assert [int(number) for number, _ in steps] == list(range(1, 16))
    assert [path for _, path in steps if not (ROOT / path).is_file()] == []


def tracked_folders(depth: int) -> set[str]:
    """Folders of so many parts that hold files of the project."""
    files = subprocess.run(
        ["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=False
    )
    if files.returncode:
        pytest.skip("not a clone")
    parts = [line.split("/") for line in files.stdout.splitlines()]
    return {"/".join(path[:depth]) for path in parts if len(path) > depth}


def test_the_map_of_the_house_has_each_folder() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    _, _, chapter = text.partition("## The map of the house")
    rows = re.findall(r"^\| `([^`]+)` \|", chapter.partition("\n## ")[0], re.MULTILINE)
    inside = {"libthreadmodel", "agent", "bindings", "tests"}
    whole = {"include", "tools", "packaging", "licences", "docs"}
    second = {path for path in tracked_folders(2) if path.split("/")[0] in inside}
    assert tracked_folders(1) - inside - whole <= {".ci", ".clusterfuzzlite", ".github"}
    assert sorted(rows) == sorted(second | whole)


def test_what_is_added_where_is_so() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    _, _, chapter = text.partition("## How to add something")
    chapter = chapter.partition("\n## How it reads")[0]
    named = {path for path in re.findall(r"`([\w.-]+/[\w./-]+)`", chapter)}
    assert len(named) > 20
    assert [path for path in named if not (ROOT / path).exists()] == []
    diffs = re.findall(
        r"^--- a/(\S+)\n((?:[-+ ].*\n)+?)(?=---|```)", chapter, re.MULTILINE
    )
    assert len(diffs) == 7
    for path, lines in diffs:
        there = (ROOT / path).read_text()
        words = re.findall(
            r"\w+", " ".join(re.findall(r"^\+(.*)", lines, re.MULTILINE))
        )
        assert [word for word in words if word not in there] == []
