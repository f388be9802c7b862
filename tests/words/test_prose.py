# SPDX-License-Identifier: Apache-2.0
"""Documents read easily: short sentences, plain words."""

from pathlib import Path

import pytest

from describe import ROOT
from docsite.prose import ease, sentences, syllables

# Pages of prose; tables.md and the changelog are lists.
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(path for path in sorted((ROOT / "docs").rglob("*.md")) if path.stem != "tables"),
]
# Of Flesch's scale 60 is plain English; code in a sentence makes it look easier.
LEAST_SCORE = 75
LONGEST_SENTENCE = 60


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_reads_easily(page: Path) -> None:
    text = page.read_text()
    found = sentences(text)
    if not found:
        return
    longest = max(found, key=len)
    assert len(longest) <= LONGEST_SENTENCE, " ".join(longest)
    assert ease(text).score >= LEAST_SCORE


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
