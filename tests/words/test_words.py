# SPDX-License-Identifier: Apache-2.0
"""Words of words.toml stand only where they may."""

from typing import Any

import pytest

import words
from commits import fault


@pytest.mark.parametrize("word", words.WORDS, ids=[it["word"] for it in words.WORDS])
def test_a_word_stands_only_where_it_may(word: dict[str, Any]) -> None:
    found = words.places(word)
    assert not found, "\n" + "\n".join(line for it in found.values() for line in it)


@pytest.mark.parametrize(
    ("word", "text", "is_found"),
    [
        ("hold[-_]ups?|held[- _]up", "of a hold-up", True),
        ("hold[-_]ups?|held[- _]up", "tm__held_up_since_ns", True),
        ("folds?|folded|folding", "folder", False),
        ("folds?|folded|folding", "fold_map", True),
        ("piles?", "compiles", False),
        ("seats?", "open_seats", True),
        (r"(tell|say)_[a-z_]+(?=\()", "say_owner(finding)", True),
    ],
)
def test_a_word_is_found_in_identifiers_and_not_within_words(
    word: str, text: str, is_found: bool
) -> None:
    assert bool(words.pattern(word).search(text)) == is_found


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("InvalidArgumentError: the dialect is none", True),
        ("NULL: there is none", False),
        ("the name is none of a, b, c", False),
        ("if span is None:", False),
        ("what the VM told about it", True),
        ("assert told->calls == 2", False),
        ("the owner let it go on", True),
        ("letting go of a lock", True),
        ("both are mended since", True),
        ("we recommend it", False),
        ("three permits, of which two are free", True),
        ("/* Who has ended has nothing any more. */", True),
        ("the thread who has ended", False),
        ("# Who holds the lock?", False),
        ("/* What is no class file is left alone. */", True),
        ("# What recording costs", False),
        ("100 ns is no time of a run", True),
        ("there is no time", False),
        ("the lock is no longer held", False),
    ],
)
def test_dialect_is_found_and_plain_english_is_not(text: str, is_found: bool) -> None:
    found = [it for it in words.DIALECT if words.pattern(it["word"]).search(text)]
    assert bool(found) == is_found, found


@pytest.mark.parametrize(
    ("subject", "wrong"),
    [
        ("jstack: read dumps that mail has wrapped", None),
        ("fuzz/listener: check which of several peers is accepted", None),
        ("tests, docs: name the page", None),
        ("Read dumps that mail has wrapped", "not of the form"),
        ("JFR: read chunks", "not of the form"),
        ("jfr: read chunks.", "full stop"),
        ("jfr: read " + "a" * 63, "73 characters"),
        ("model: a crash that was told is mended", "'told'"),
    ],
)
def test_subjects_of_commits_are_checked(subject: str, wrong: str | None) -> None:
    said = fault(subject)
    assert (said is None) if wrong is None else (said is not None and wrong in said)
