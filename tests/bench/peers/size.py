# SPDX-License-Identifier: Apache-2.0
"""Bytes of a recording of the same storms, and for each block that it holds."""

from collections.abc import Callable
from pathlib import Path

from fetch import HERE, MissingError, Setting, compiled, every_event

from jdks import Jdk
from rounds import Figures, Result, measure, run

NAME = "size"
STORMS = {"monitor": 150_000, "buffer": 60_000, "lock": 60_000}
SMALL_TURNS = 2_000


def bench(setting: Setting) -> Result:
    import threadmodel

    for jdk in setting.jdks()[-1:]:
        classes = compiled(jdk, setting.folder, HERE.parent / "programs/Storms.java")
        ours, theirs = setting.folder / "size.tmt", setting.folder / "size.jfr"
        flags = {
            "threadmodel": (f"-agentpath:{setting.agent()}=file={ours}", ours),
            "JFR at 0 ns": (
                f"-XX:StartFlightRecording=filename={theirs},"
                f"settings={every_event(jdk, setting.folder)}",
                theirs,
            ),
        }
        try:
            out = setting.folder / "size.ap.jfr"
            library = setting.async_profiler()
            flags["async-profiler, lock=0"] = (
                f"-agentpath:{library}=start,event=lock,lock=0,jfr,file={out}",
                out,
            )
        except MissingError as reason:
            setting.skip(str(reason))
        for storm, turns in STORMS.items():
            words = [classes, "Storms", storm, setting.size(turns, SMALL_TURNS)]

            def subject(
                flag: str, file: Path, words: list[object] = words, jdk: Jdk = jdk
            ) -> Callable[[], Figures]:
                def once() -> Figures:
                    run([jdk.tool("java"), flag, "-cp", *words])
                    model = threadmodel.open(file)
                    blocks = sum(
                        sum(model.total()[f"{state}_count"])
                        for state in ("blocked", "waiting", "parked")
                    )
                    size = file.stat().st_size
                    return {
                        "file_mb": size / 1e6,
                        "bytes_per_block": size / max(blocks, 1),
                    }

                return once

            subjects = {name: subject(*each) for name, each in flags.items()}
            setting.result.add(measure(f"{storm}, {jdk}", subjects, setting.rounds))
    return setting.result
