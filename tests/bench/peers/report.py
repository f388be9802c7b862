# SPDX-License-Identifier: Apache-2.0
"""The page of a run: how long it takes to write, to open and to move in headless
Chromium.

Opening is from the start of the navigation until the overview is there, and until the
lanes are drawn; a frame is the time between two while the lanes move by a few pixels,
and a wheel step that from the wheel to the second frame after it.
"""

import statistics
import sys
import time
from pathlib import Path
from typing import Any

from fetch import MissingError, Setting, command, python_package

import runs
from rounds import Figures, Result, Subject, measure

NAME = "report"
SIZES, SMALL_SIZES = (48_000, 10_000_000), (2_000,)
FRAMES, SMALL_FRAMES = 60, 3
DEPTHS = (1.2, 100)
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"]
# Moves the window by 4 pixels in each of so many frames, and tells how long each took.
PAN = """([depth, frames]) => new Promise(done => {
    const { state, scene } = threadmodelTimeline;
    const { length } = state.data;
    const size = length / depth;
    let from = (length - size) / 3;
    state.look(from, from + size);
    const stamps = [];
    scene.frames.length = 0;
    const step = now => {
        stamps.push(now);
        if (stamps.length > frames)
            return done([stamps.slice(1).map((t, i) => t - stamps[i]), scene.frames]);
        from += size / scene.plotWidth * 4;
        state.look(from, from + size);
        requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
})"""

# Zooms in by one step of the wheel in the middle of the lanes.
WHEEL = """steps => new Promise(done => {
    const lanes = document.querySelector(".lanes");
    const box = lanes.getBoundingClientRect();
    const took = [];
    const step = () => {
        if (took.length === steps) return done(took);
        const began = performance.now();
        lanes.dispatchEvent(new WheelEvent("wheel", {
            deltaY: -100, ctrlKey: true, bubbles: true, cancelable: true,
            clientX: box.x + box.width / 2, clientY: box.y + box.height / 2}));
        requestAnimationFrame(() => requestAnimationFrame(() => {
            took.push(performance.now() - began);
            step();
        }));
    };
    step();
})"""


def look(browser: Any, path: Path, frames: int) -> Figures:
    """Open the page once, and move in it."""
    page = browser.new_page(viewport={"width": 1600, "height": 1000})
    page.set_default_timeout(300_000)
    try:
        began = time.perf_counter()
        page.goto(path.as_uri(), wait_until="commit")
        page.wait_for_selector("html[data-ready]")
        figures = {"first_picture_s": time.perf_counter() - began}
        page.wait_for_selector("html[data-ready=all]")
        page.click("#tab-timeline")
        page.wait_for_selector(".lanes[data-drawn]")
        figures["lanes_drawn_s"] = time.perf_counter() - began
        for depth in DEPTHS:
            between, _ = page.evaluate(PAN, [depth, frames])
            figures[f"frame_at_{depth:g}x_ms"] = statistics.median(between)
        figures["wheel_step_ms"] = statistics.median(page.evaluate(WHEEL, frames))
    finally:
        page.close()
    return figures


def bench(setting: Setting) -> Result:
    try:
        python_package("numpy")
        python_package("playwright")
        chromium = command("chromium", "chromium")
    except MissingError as reason:
        setting.skip(str(reason))
        return setting.result
    from playwright.sync_api import sync_playwright

    frames = setting.size(FRAMES, SMALL_FRAMES)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        for intervals in SMALL_SIZES if setting.small else SIZES:
            print(f"  {intervals:,} intervals", file=sys.stderr, flush=True)
            model = runs.model(intervals)
            path = setting.folder / "report.html"

            def page(model: Any = model, path: Path = path) -> Figures:
                began, work = time.perf_counter(), time.process_time()
                model.report(path)
                return {
                    "written_s": time.perf_counter() - began,
                    "written_cpu_s": time.process_time() - work,
                    "file_mb": path.stat().st_size / 1e6,
                    **look(browser, path, frames),
                }

            subjects: dict[str, Subject] = {"threadmodel": page}
            name = f"page of {intervals:,} intervals"
            setting.result.add(measure(name, subjects, setting.rounds))
        browser.close()
    return setting.result
