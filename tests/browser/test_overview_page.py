# SPDX-License-Identifier: Apache-2.0
"""The report's first page, its frame, and what it is as a file."""

import json
import re
from pathlib import Path

from playwright.sync_api import Page

import random_runs
import threadmodel
from conftest import Show, go

ROOT = Path(__file__).resolve().parents[2]
VIEWS = ["overview", "timeline", "statistics", "locks", "whatif", "flame"]


def test_it_reports_what_the_data_cannot_show(
    show: Show, model: threadmodel.Model
) -> None:
    model.define_run(threadmodel.Run(threshold_ns=20_000_000))
    model.add_caveat("The moon was not recorded.")
    page = show(model)
    shown = page.locator(".caveats li").all_text_contents()
    assert set(model.caveats) <= set(shown)
    assert "The moon was not recorded." in shown
    assert any("20.0 ms" in sentence for sentence in shown)


def test_it_reports_which_findings_were_not_looked_for(
    show: Show, model: threadmodel.Model
) -> None:
    page = show(model)
    for row in model.finding_kinds():
        if row["remedy"] is not None:
            kind = row["kind"].replace("_", " ")
            reason = page.locator(".not-looked-for div", has_text=kind).first
            assert f"{row['why']} {row['remedy']}" in (reason.text_content() or "")


def test_facts_of_the_run_are_shown(show: Show, model: threadmodel.Model) -> None:
    page = show(model)
    facts = dict(
        zip(
            page.locator(".facts dt").all_text_contents(),
            page.locator(".facts dd").all_text_contents(),
            strict=True,
        )
    )
    assert facts["Threads"] == str(len(model.threads()))
    assert facts["Events"] == str(model.event_count)
    assert facts["Runtime"] == model.run.vm


def test_every_view_opens_in_light_and_dark(show: Show) -> None:
    model = threadmodel.Model()
    random_runs.fill(model, 5, threads=6, objects=5, count=800)
    for scheme in ("light", "dark"):
        page = show(model, color_scheme=scheme)
        for view in VIEWS:
            go(page, view)
            assert page.locator(f"#tab-{view}").get_attribute("aria-selected") == "true"
            assert page.locator("#view").inner_text().strip()


def test_tabs_are_walked_through_by_keyboard(
    show: Show, model: threadmodel.Model
) -> None:
    page = show(model)
    page.locator("#tab-overview").focus()
    seen = []
    for _ in VIEWS:
        seen.append(page.evaluate("document.activeElement.id"))
        page.keyboard.press("ArrowRight")
    assert seen == [f"tab-{view}" for view in VIEWS]
    assert page.evaluate("document.activeElement.id") == "tab-overview"


def test_light_and_dark_are_switched(show: Show, model: threadmodel.Model) -> None:
    page = show(model, color_scheme="light")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_label("Switch between light and dark").click()
    assert page.evaluate(ground) != light


def test_licences_of_what_is_bundled_are_listed(
    show: Show, model: threadmodel.Model
) -> None:
    page = show(model)
    page.get_by_role("button", name="Licences").click()
    listed = page.locator(".licences summary").all_text_contents()
    manifest = json.loads((ROOT / "bindings/python/report/package.json").read_text())
    for name, version in manifest["dependencies"].items():
        assert any(line.startswith(f"{name} {version}, ") for line in listed)
    texts = page.locator(".licences pre").all_text_contents()
    assert len(texts) == len(listed)
    assert all(len(text) > 200 for text in texts)


def test_the_file_needs_nothing_else(model: threadmodel.Model) -> None:
    page = model.to_html()
    assert page is not None
    head = page[: page.index("<style>")]
    assert "default-src 'none'" in head
    assert not re.search(r"<(?:link|img|iframe|script)[^>]+(?:src|href)=", page)
    assert page.count("</script>") == 3


def test_without_scripts_the_findings_can_be_read(
    show: Show, model: threadmodel.Model, tmp_path: Path, browser: object
) -> None:
    text = model.to_html() or ""
    still = text[text.index('<main class="still">') : text.index("</main>")]
    for row in model.findings():
        assert row["text"].split(",")[0] in still


def test_it_prints_without_its_controls(show: Show, model: threadmodel.Model) -> None:
    page: Page = show(model, "statistics")
    page.emulate_media(media="print")
    assert not page.locator(".tabs").is_visible()
    assert page.locator(".totals").is_visible()
    assert page.pdf()[:5] == b"%PDF-"


def test_a_report_is_written_by_path_and_to_files(
    model: threadmodel.Model, tmp_path: Path
) -> None:
    model.report(tmp_path / "run.html")
    with open(tmp_path / "other.html", "wb") as file:
        model.to_html(file)
    written = (tmp_path / "run.html").read_text()
    assert written.startswith("<!doctype html>")
    assert written == (tmp_path / "other.html").read_text() == model.to_html()
