# SPDX-License-Identifier: Apache-2.0
"""Documents read easily: short sentences, plain words, nothing that proselint knows."""

from pathlib import Path

import pytest
from proselint.checks import __register__
from proselint.config import DEFAULT, Config
from proselint.registry import CheckRegistry
from proselint.tools import LintFile

from describe import ROOT
from docsite.prose import ease, prose, sentences, syllables

# Pages of prose; tables.md and the changelog are lists.
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(path for path in sorted((ROOT / "docs").rglob("*.md")) if path.stem != "tables"),
]
# Of Flesch's scale 60 is plain English; code in a sentence makes it look easier.
LEAST_SCORE = 75
LONGEST_SENTENCE = 60
# Quotes and dots are as in the terminal, a sentence may end in the word that begins the
# next one, and a number with "from" before it is no year.
NOT_LINTED = ("typography", "lexical_illusions", "dates_times")
LINTED: Config = {
    "max_errors": 1000,
    "checks": DEFAULT["checks"] | dict.fromkeys(NOT_LINTED, False),
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_reads_easily(page: Path) -> None:
    text = page.read_text()
    found = sentences(text)
    if not found:
        return
    longest = max(found, key=len)
    assert len(longest) <= LONGEST_SENTENCE, " ".join(longest)
    assert ease(text).score >= LEAST_SCORE


@pytest.fixture(scope="module")
def linter() -> Config:
    """Let proselint load its checks."""
    CheckRegistry().register_many(__register__)
    return LINTED


def lint(text: str, linter: Config) -> list[str]:
    """Return what proselint says of a text."""
    found = LintFile("text", prose(text)).lint(linter)
    return [f"{one.pos}: {one.check_result.message}" for one in found]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_proselint_finds_nothing(page: Path, linter: Config) -> None:
    assert not lint(page.read_text(), linter)


def test_proselint_finds_what_it_knows(linter: Config) -> None:
    assert len(lint("It is very unique, and works at this point in time.", linter)) > 1
    assert not lint("It runs.\n\n    very unique\n\nIt waits.", linter)


@pytest.mark.parametrize(
    ("word", "count"),
    [("lock", 1), ("released", 2), ("owner", 2), ("semaphore", 3), ("handle", 2)],
)
def test_syllables_are_counted_by_groups_of_vowels(word: str, count: int) -> None:
    assert syllables(word) == count


def test_code_and_tables_are_no_prose() -> None:
    text = "# Head\n\nA lock is held.\n\n```\nx = 1\n```\n\n| a | b |\n\n    ls -l\n\n"
    text += "It is."
    assert sentences(text) == [["A", "lock", "is", "held"], ["It", "is"]]


def test_long_sentences_of_long_words_score_less() -> None:
    easy = "A thread waits. It holds a lock. Who woke it?"
    hard = (
        "Synchronization primitives necessitate administrative considerations, which "
    )
    hard += "organizations habitually underestimate until performance deteriorates."
    assert ease(easy).score > 90
    assert ease(hard).score < 30
