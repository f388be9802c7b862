# SPDX-License-Identifier: Apache-2.0
"""Lay out what the generator reads: docs/, pages of the root, and the reference."""

import os
import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from describe import ROOT
from docsite import c_reference, references

DOCS = ROOT / "docs"
NAVIGATION = Path(__file__).parent / "navigation.toml"
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#:]+)(#[^)]*)?\)")
# Pages of the root, and what they are called in the site.
ROOT_PAGES = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}


def parts() -> list[dict[str, Any]]:
    """Return the parts of the navigation; pages without a place are the last one."""
    found: list[dict[str, Any]] = tomllib.loads(NAVIGATION.read_text())["part"]
    listed = {"index", *(page for part in found for page in part["pages"])}
    found_pages = (
        str(path.relative_to(DOCS).with_suffix("")) for path in DOCS.rglob("*.md")
    )
    rest = sorted(set(found_pages) - listed)
    return [*found, {"title": "More", "pages": rest}] if rest else found


def place_of(path: Path) -> str | None:
    """Return where a file of the repository is in the site; None: nowhere."""
    if path == ROOT / "README.md":
        return "index.md"
    if path.parent == ROOT and path.name in ROOT_PAGES:
        return ROOT_PAGES[path.name]
    if path.is_relative_to(ROOT / "include/threadmodel"):
        return f"reference/c/{path.stem if path.is_file() else 'index'}.md"
    if path.suffix == ".ipynb":
        return str(path.relative_to(DOCS).with_suffix(".md"))
    if path.is_relative_to(DOCS):
        return str(path.relative_to(DOCS))
    return None


def relinked(text: str, page: Path, place: str) -> str:
    """Return a page whose links lead to places of the site. What the site does not have
    is named, and no link."""

    def link(match: re.Match[str]) -> str:
        words, target, anchor = match[1], match[2], match[3] or ""
        aim = place_of((page.parent / target).resolve())
        if aim is None:
            return words
        return f"[{words}]({os.path.relpath(aim, Path(place).parent)}{anchor})"

    return LINK.sub(link, text)


def table_of_contents() -> str:
    """Return the navigation, which the first page holds unseen."""
    trees = (
        ["```{toctree}", ":hidden:", f":caption: {part['title']}", "", *part["pages"]]
        for part in parts()
    )
    return "\n" + "\n".join("\n".join([*tree, "```", ""]) for tree in trees)


def pages() -> Iterator[tuple[str, str]]:
    """Yield the text of each page by its place."""
    sources = [*sorted(DOCS.rglob("*.md")), *(ROOT / name for name in ROOT_PAGES)]
    for source in sources:
        place = place_of(source)
        assert place is not None
        text = relinked(source.read_text(), source, place)
        yield place, text + table_of_contents() if place == "index.md" else text
    yield from c_reference.pages()
    yield from references.pages()


def stage(folder: Path) -> None:
    """Fill a folder, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, folder, ignore=shutil.ignore_patterns("*.md"))
    for place, text in pages():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
