# SPDX-License-Identifier: Apache-2.0
"""What commands take before their first byte of work."""

import sys

from fetch import HERE, MissingError, Setting, command

from rounds import Result, Subject, measure, run

NAME = "start"
INTERVALS = 1_000


def bench(setting: Setting) -> Result:
    small = setting.folder / "small.tmt"
    ours = setting.python()
    run([sys.executable, HERE / "runs.py", small, INTERVALS], **ours)
    subjects: dict[str, Subject] = {
        "threadmodel --version": lambda: run(setting.threadmodel("--version"), **ours)[
            0
        ],
        "report of a small file": lambda: run(
            setting.threadmodel("report", small), **ours
        )[0],
    }
    for jdk in setting.jdks(21)[-1:]:
        subjects["jfr version"] = lambda jdk=jdk: run([jdk.tool("jfr"), "version"])[0]
    try:
        babeltrace = command("babeltrace2", "babeltrace2")
        subjects["babeltrace2 --version"] = lambda: run([babeltrace, "--version"])[0]
    except MissingError as reason:
        setting.skip(str(reason))
    setting.result.add(measure("commands", subjects, setting.rounds))
    return setting.result
