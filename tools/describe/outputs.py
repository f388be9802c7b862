# SPDX-License-Identifier: Apache-2.0
"""All files that come from the description, in whole or in paragraphs."""

from collections.abc import Iterator
from pathlib import Path

from describe import (
    PACKAGE,
    ROOT,
    c,
    cards,
    errors,
    paragraphs,
    python,
    stub,
    typescript,
)

TABLE = ROOT / "libthreadmodel" / "table"


def sources() -> Iterator[tuple[Path, str]]:
    """What a build needs, those first that others are made of."""
    for path in paragraphs.files():
        yield path, paragraphs.rewritten(path)
    yield TABLE / "tables.h", c.spec_header()
    yield TABLE / "tables.c", c.spec_source()
    yield ROOT / "libthreadmodel" / "summary" / "rules.c", c.merge_source()
    yield ROOT / "libthreadmodel/model/entities/constants.c", c.names_source()
    yield PACKAGE / "_enums.py", python.enums()
    yield PACKAGE / "_tables.py", python.questions()
    yield PACKAGE / "_core.pyi", stub.stub()
    yield ROOT / "bindings/python/report/src/described.ts", typescript.names()
    yield ROOT / "tests/words/findings.txt", cards.page()
    yield ROOT / "tests/words/errors.txt", errors.page()


def outputs() -> Iterator[tuple[Path, str]]:
    """Each file and what it should hold; the last ones need the built library."""
    yield from sources()
    from describe import page, transcripts

    yield ROOT / "docs" / "tables.md", page.page()
    yield from transcripts.pages()
