# SPDX-License-Identifier: Apache-2.0
"""The sentences of a page in Markdown.

Code, tables, targets of links and headings are left out. Code within a sentence counts
as one word.
"""

import re

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


def prose(page: str) -> str:
    """Return the text of a page without code, tables and markup."""
    text = NO_PROSE.sub("\n\n", page)
    text = INLINE.sub("code", LINK.sub(r"\1", text))
    return ITEM.sub("\n\n", text)


def sentences(page: str) -> list[list[str]]:
    """Return the words of each sentence of a page."""
    parts = END.split(prose(page))
    return [words for part in parts if (words := WORD.findall(part))]
