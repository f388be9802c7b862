# SPDX-License-Identifier: Apache-2.0
"""Pictures of the documents: each can be taken anew, and shows something."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from describe.transcripts import PAGES
from docsite import pictures

IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")


def test_each_picture_of_a_page_is_made_by_the_command_and_has_a_text() -> None:
    shown = set()
    for page in PAGES:
        for text, target in IMAGE.findall(page.read_text()):
            assert len(text.split()) >= 3, f"{page.name}: {target} needs a text"
            path = (page.parent / target).resolve()
            assert path.is_file(), path
            shown.add(path)
    made = {(pictures.PICTURES / f"{name}.png").resolve() for name in pictures.ALL}
    assert shown == made


@pytest.mark.parametrize("name", pictures.ALL)
def test_a_picture_taken_anew_shows_something_and_all_of_its_width(
    name: str, browser: Browser, tmp_path: Path
) -> None:
    page = pictures.open_report(browser, pictures.ALL[name], tmp_path)
    # Compared where it is drawn: a blank picture has one colour.
    taken = page.screenshot()
    colours = page.evaluate(
        """async bytes => {
            const blob = new Blob([new Uint8Array(bytes)], { type: "image/png" });
            const image = await createImageBitmap(blob);
            const canvas = new OffscreenCanvas(image.width, image.height);
            const context = canvas.getContext("2d");
            context.drawImage(image, 0, 0);
            const data = context.getImageData(0, 0, image.width, image.height).data;
            return new Set(new Uint32Array(data.buffer)).size;
        }""",
        list(taken),
    )
    assert colours > 50
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    page.close()
