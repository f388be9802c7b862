# SPDX-License-Identifier: Apache-2.0
"""The report of a run of ten million intervals: how long it takes to write, to open and
to pan in headless Chromium.

usage: report.py PACKAGE_FOLDER [INTERVALS]

Opening is from the start of the navigation until the overview is there, and until the
timeline can be drawn; panning is the time between frames while the lanes move by a few
pixels a frame, at several depths of zoom.
"""

import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, sys.argv[1])

import numpy
from playwright.sync_api import Page, sync_playwright

import threadmodel
from threadmodel import EventKind, Frame

THREADS = 64
OBJECTS = 1000
STACKS = 200
FRAMES = 120
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


def fill(model: threadmodel.Model, intervals: int) -> None:
    """Emit blocks of threads on locks, as many as make so many intervals."""
    rng = numpy.random.default_rng(1)
    model.define_run(threadmodel.Run(policy=1, start_ns=1))
    for number in range(1, 11):
        model.define_class(number, f"com.example.service.Lock{number}")
        model.define_method(number, number, "acquire")
    for stack in range(1, STACKS + 1):
        frames = [Frame(1 + (stack + i) % 10, line=stack + i) for i in range(8)]
        model.define_stack(stack, frames)
    for thread in range(1, THREADS + 1):
        model.define_thread(thread, f"worker-{thread}", group=f"pool-{thread % 8}")
    for number in range(OBJECTS):
        model.define_object(1000 + number, 1 + number % 10)
    blocks = intervals // 2
    for begin in range(0, blocks, 250_000):
        count = min(250_000, blocks - begin)
        events = numpy.zeros(2 * count, threadmodel.event_dtype())
        # Each thread in its turn blocks, and goes on before its next turn.
        number = begin + numpy.arange(count)
        enter = 1 + number * 2000 + rng.integers(0, 500, count)
        length = rng.integers(1, 50, count) ** 3
        events["time_ns"][0::2] = enter
        events["time_ns"][1::2] = enter + numpy.minimum(length, 120_000)
        events["thread"] = numpy.repeat(1 + number % THREADS, 2)
        lock = 1000 + rng.integers(0, OBJECTS, count)
        events["object"] = numpy.repeat(lock, 2)
        events["stack"][0::2] = rng.integers(1, STACKS + 1, count)
        events["kind"][0::2] = EventKind.CONTENDED_ENTER
        events["kind"][1::2] = EventKind.CONTENDED_ENTERED
        events = events[numpy.argsort(events["time_ns"], kind="stable")]
        model.ingest(events)


def stopwatch(page: Page, uri: str) -> tuple[float, float, float]:
    """Return the seconds to the overview, the timeline's data, the drawn lanes."""
    began = time.perf_counter()
    page.goto(uri, wait_until="commit")
    page.wait_for_selector("html[data-ready]")
    overview = time.perf_counter() - began
    page.wait_for_selector("html[data-ready=all]")
    unpacked = time.perf_counter() - began
    page.click("#tab-timeline")
    page.wait_for_selector(".lanes[data-drawn]")
    return overview, unpacked, time.perf_counter() - began


def main() -> int:
    chromium = shutil.which("chromium")
    if chromium is None:
        print("no chromium")
        return 0
    intervals = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000_000
    model = threadmodel.Model()
    fill(model, intervals)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        began, worked = time.perf_counter(), time.process_time()
        model.report(path)
        written, work = time.perf_counter() - began, time.process_time() - worked
        print(
            f"{intervals:,} intervals written in {written:.1f} s, {work:.1f} s of "
            f"processor, {path.stat().st_size / 1e6:.1f} MB"
        )
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium, args=ARGUMENTS
            )
            for attempt in range(3):
                page = browser.new_page(viewport={"width": 1600, "height": 1000})
                page.set_default_timeout(300_000)
                overview, unpacked, drawn = stopwatch(page, path.as_uri())
                print(
                    f"open {attempt + 1}: overview {overview:.2f} s, timeline unpacked "
                    f"{unpacked:.2f} s, lanes drawn {drawn:.2f} s"
                )
                if attempt == 2:
                    for depth in (1.2, 10, 100, 10_000):
                        between, drawing = page.evaluate(PAN, [depth, FRAMES])
                        print(
                            f"pan at {depth:g}x: {1000 / numpy.mean(between):.0f} "
                            f"frames a second, slowest {max(between):.0f} ms, "
                            f"drawing {numpy.median(drawing):.1f} ms"
                        )
                page.close()
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
