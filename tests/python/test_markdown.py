# SPDX-License-Identifier: Apache-2.0
"""The report as Markdown: the same as in a terminal, with names that stay names."""

import html
import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

import threadmodel
from conftest import Cli
from threadmodel.cli import markdown, terminal


def texts(source: str) -> tuple[list[str], set[str]]:
    """The visible text by cell, and the kinds of elements."""
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(source)
    inner = [child for token in tokens for child in token.children or []]
    shown = [
        "".join(child.content for child in token.children or [])
        for token in tokens
        if token.type == "inline"
    ]
    return shown, {token.type for token in tokens + inner}


def plain(text: str) -> str:
    return text.replace("\u200b", "")


@pytest.fixture(params=["run", "hostile", "empty"])
def any_model(
    request: pytest.FixtureRequest,
    model: threadmodel.Model,
    hostile: threadmodel.Model,
) -> threadmodel.Model:
    if request.param == "empty":
        return threadmodel.Model()
    return model if request.param == "run" else hostile


def test_every_cell_of_the_report_is_there_as_text(
    any_model: threadmodel.Model,
) -> None:
    sections = terminal.sections(any_model, 20)
    shown, kinds = texts(markdown.render(sections, "Threads of run.tmt"))
    assert not kinds & {"link_open", "image", "html_inline", "html_block", "fence"}
    assert not kinds & {"code_inline", "em_open", "code_block", "s_open"}
    seen = {plain(text).strip() for text in shown}
    for section in sections:
        assert section.heading in seen
        for part in section.body:
            if isinstance(part, terminal.Grid):
                for row in part.rows:
                    assert {cell.strip() for cell in row} <= seen


@pytest.mark.parametrize(
    "name",
    [
        "@everyone",
        "https://example.org/x",
        "www.example.org",
        "[a](http://b)",
        "<img src=x>",
        "a|b",
        "`x`",
        "**b**",
        "&amp;",
        "# h",
        "1. x",
        "- x",
    ],
)
def test_a_name_is_neither_link_nor_tag_nor_mention(name: str) -> None:
    source = markdown.escaped(name)
    shown, kinds = texts(f"{source}\n")
    assert [plain(text) for text in shown] == [name]
    assert kinds <= {"inline", "paragraph_open", "paragraph_close", "text"} | {
        "text_special"
    }
    assert not re.search(r"@\w|://|\bwww\.", html.unescape(source))


def test_the_command_writes_it_by_flag_and_by_name(
    cli: Cli, trace: Path, tmp_path: Path
) -> None:
    done = cli("report", trace, "--markdown")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"## Threads of ")
    assert cli("report", trace, "-o", "run.md").returncode == 0
    assert (tmp_path / "run.md").read_bytes() == done.stdout
    assert cli("report", trace, "--markdown", "--json").returncode == 2
