# SPDX-License-Identifier: Apache-2.0
"""How easy a page reads: Flesch's reading ease, 206.835 - 1.015 words a sentence - 84.6
syllables a word. 100 is very easy, 60 plain English, 30 hard.

Code, tables, links' targets and headings are no prose. Code within a sentence counts as
a word of one syllable: nobody reads it aloud.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from describe import ROOT

NO_PROSE = re.compile(
    r"^```[\s\S]*?^```$|^<!--[\s\S]*?-->|^\|.*$|^#.*$|^    .*$|!\[[^\]]*\]\([^)]*\)",
    re.MULTILINE,
)
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
INLINE = re.compile(r"`[^`]*`")
WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?|\d[\d.,]*")
ITEM = re.compile(r"^\s*(?:[-*]|\d+\.)\s+", re.MULTILINE)
# An item of a list, or a paragraph, ends a sentence, with a full stop or without.
END = re.compile(r"[.!?:;](?=[\s)*\"]|$)|\n\s*\n")


@dataclass(frozen=True)
class Ease:
    """What is counted of a page."""

    words: int
    sentences: int
    syllables: int

    @property
    def words_a_sentence(self) -> float:
        """The mean length of a sentence."""
        return self.words / self.sentences

    @property
    def score(self) -> float:
        """Flesch's reading ease."""
        syllables = self.syllables / self.words
        return 206.835 - 1.015 * self.words_a_sentence - 84.6 * syllables


def syllables(word: str) -> int:
    """Count a word's syllables: groups of vowels, without a silent e."""
    word = word.lower()
    if not word.isalpha():
        return 1
    count = len(re.findall(r"[aeiouy]+", word))
    if re.search(r"[^aeioul]e$|[^aeiouydt]ed$|[^aeiouycgsxzh]es$", word):
        count -= 1
    return max(1, count)


def prose(page: str) -> str:
    """Return what is read aloud of a page."""
    text = NO_PROSE.sub("\n\n", page)
    text = INLINE.sub("code", LINK.sub(r"\1", text))
    return ITEM.sub("\n\n", text)


def sentences(page: str) -> list[list[str]]:
    """Return the words of each sentence of a page."""
    parts = END.split(prose(page))
    return [words for part in parts if (words := WORD.findall(part))]


def ease(page: str) -> Ease:
    """Count a page."""
    found = sentences(page)
    words = [word for sentence in found for word in sentence]
    return Ease(len(words), len(found), sum(map(syllables, words)))


def page(paths: Iterable[Path]) -> str:
    """Return a page with the score of each page that has sentences."""
    lines = ["# Reading ease", ""]
    lines += [
        "Flesch's score of each page: 100 is very easy, 60 plain English, 30 hard."
    ]
    lines += ["Code and tables are not counted.", ""]
    lines += ["| page | words | words a sentence | reading ease |", "|---|---|---|---|"]
    for path in paths:
        found = sentences(path.read_text())
        if found:
            counted = ease(path.read_text())
            lines.append(
                f"| {path.relative_to(ROOT)} | {counted.words:,} |"
                f" {counted.words_a_sentence:.1f} | {counted.score:.0f} |"
            )
    return "\n".join([*lines, ""])
