# SPDX-License-Identifier: Apache-2.0
"""Documents: no sentence is very long, and proselint has no objection."""

from pathlib import Path

import pytest
from proselint.checks import __register__
from proselint.config import DEFAULT, Config
from proselint.registry import CheckRegistry
from proselint.tools import LintFile

from describe import ROOT
from prose import prose, sentences

# Pages of prose; tables.md and the changelog are lists.
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(path for path in sorted((ROOT / "docs").rglob("*.md")) if path.stem != "tables"),
]
LONGEST_SENTENCE = 60
# What a reader may have to read, in words as `wc -w` counts: all pages but the two
# references.
REFERENCES = ("tables", "trace-format")
WORDS_IN_ALL = 50_000
# Quotes and dots are as in the terminal, a sentence may end in the word that begins the
# next one, and a number with "from" before it is not a year.
NOT_LINTED = ("typography", "lexical_illusions", "dates_times")
LINTED: Config = {
    "max_errors": 1000,
    "checks": DEFAULT["checks"] | dict.fromkeys(NOT_LINTED, False),
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_sentence_is_longer_than_60_words(page: Path) -> None:
    longest = max(sentences(page.read_text()), key=len, default=[])
    assert len(longest) <= LONGEST_SENTENCE, " ".join(longest)


def test_documents_do_not_grow() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    words = sum(
        len(page.read_text().split()) for page in pages if page.stem not in REFERENCES
    )
    assert words <= WORDS_IN_ALL


@pytest.fixture(scope="module")
def linter() -> Config:
    """Load the checks of proselint."""
    CheckRegistry().register_many(__register__)
    return LINTED


def lint(text: str, linter: Config) -> list[str]:
    """Return the objections of proselint to a text."""
    found = LintFile("text", prose(text)).lint(linter)
    return [f"{one.pos}: {one.check_result.message}" for one in found]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_proselint_finds_nothing(page: Path, linter: Config) -> None:
    assert not lint(page.read_text(), linter)


def test_proselint_finds_what_it_knows(linter: Config) -> None:
    assert len(lint("It is very unique, and works at this point in time.", linter)) > 1
    assert not lint("It runs.\n\n    very unique\n\nIt waits.", linter)


def test_code_and_tables_are_not_prose() -> None:
    text = "# Head\n\nA lock is held.\n\n```\nx = 1\n```\n\n| a | b |\n\n    ls -l\n\n"
    text += "It is."
    assert sentences(text) == [["A", "lock", "is", "held"], ["It", "is"]]
