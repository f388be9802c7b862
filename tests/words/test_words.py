# SPDX-License-Identifier: Apache-2.0
"""Words of words.toml stand nowhere but where they may."""

import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DESCRIPTION = tomllib.loads((Path(__file__).parent / "words.toml").read_text())
WORDS = DESCRIPTION["words"]


def pattern(word: str) -> re.Pattern[str]:
    """Return what finds a word, also as a part of an identifier."""
    return re.compile(rf"(?<![a-zA-Z])(?:{word})(?![a-zA-Z])", re.IGNORECASE)


def files(without: list[str]) -> list[str]:
    """Return the names of what git tracks, but for these."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", ".", *(f":!{one}" for one in without)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [name for name in listed.split("\0") if name]


@cache
def lines(name: str) -> list[str]:
    """Return the lines of a text, none of anything else."""
    path = ROOT / name
    content = b"" if path.is_symlink() or not path.is_file() else path.read_bytes()
    return [] if b"\0" in content else content.decode(errors="replace").split("\n")


def found(word: dict[str, Any]) -> list[str]:
    """Return where a word stands, and what to say instead."""
    sought = pattern(word["word"])
    places = []
    for name in files([*DESCRIPTION["skip"], *word.get("allowed", [])]):
        if sought.search(name):
            places.append(f"{name}: its name; say: {word['say']}")
        for number, line in enumerate(lines(name), 1):
            if match := sought.search(line):
                places.append(f"{name}:{number}: {match[0]!r}; say: {word['say']}")
    return places


@pytest.mark.parametrize("word", WORDS, ids=[word["word"] for word in WORDS])
def test_words_that_gave_way_do_not_come_back(word: dict[str, Any]) -> None:
    places = found(word)
    assert not places, "\n" + "\n".join(places)


@pytest.mark.parametrize(
    ("word", "text", "is_found"),
    [
        ("hold[-_]ups?|held[- _]up", "of a hold-up", True),
        ("hold[-_]ups?|held[- _]up", "tm__held_up_since_ns", True),
        ("folds?|folded|folding", "folder", False),
        ("folds?|folded|folding", "fold_map", True),
        ("piles?", "compiles", False),
        ("seats?", "open_seats", True),
    ],
)
def test_a_word_is_found_in_identifiers_and_not_within_words(
    word: str, text: str, is_found: bool
) -> None:
    assert bool(pattern(word).search(text)) == is_found
