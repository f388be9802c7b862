# SPDX-License-Identifier: Apache-2.0
"""What commands print, pasted into the pages that show them.

A block of the language console holds commands, each after "$ ", and below it what it
prints. They run in an empty folder with the files that the page names:

    <!-- files: run.tmt = examples/demo/demo.tmt -->
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from describe import ROOT

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
FILES = re.compile(r"^<!-- files: (.*?) -->$", re.MULTILINE | re.DOTALL)
FENCE = re.compile(
    r"^(?:<!-- run by: (\S+) -->\n)?```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
INDENTED = re.compile(r"(?:^|\n)\n((?:    \S.*\n(?:(?:    .*)?\n)*?)+)(?=\S|\Z)")
CALL = re.compile(r"^(?:\./dev run|threadmodel) (.*)$")
# These record a program, or wait for one.
OF_PROGRAMS = ("record", "attach", "control", "dump", "listen", "collect")
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# So wide are lines of a page.
COLUMNS = 88
TIMEOUT_S = 300
LAUNCHER = """\
#!/bin/sh
exec {python} -m threadmodel "$@"
"""


def files(text: str) -> dict[str, Path]:
    """Return the files that a page names, by the names that they have there."""
    named = FILES.search(text)
    if not named:
        return {}
    pairs = (pair.split("=") for pair in named[1].split(","))
    return {name.strip(): DOCS / path.strip() for name, path in pairs}


def code(page: Path, language: str) -> list[str]:
    """Return the blocks of a language, but for those that another test runs."""
    found = FENCE.findall(page.read_text())
    return [
        body for elsewhere, kind, body in found if kind == language and not elsewhere
    ]


def lines(page: Path, *, run_elsewhere: bool = True) -> list[str]:
    """Return what a page has its reader type into a shell, in blocks without output."""
    text = page.read_text()
    blocks = [
        body
        for elsewhere, kind, body in FENCE.findall(text)
        if kind in ("sh", "") and (run_elsewhere or not elsewhere)
    ]
    blocks += INDENTED.findall(FENCE.sub("", text))
    joined = "\n".join(block.replace("\\\n", " ") for block in blocks)
    return [line.strip() for line in joined.splitlines()]


def calls(page: Path, *, run_elsewhere: bool = True) -> list[str]:
    """Return the calls of our command among these: what follows its name."""
    found = [CALL.match(line) for line in lines(page, run_elsewhere=run_elsewhere)]
    return [match[1] for match in found if match]


def words_of(call: str) -> list[str]:
    """Return a call's arguments, without what is the shell's: a pipe, a redirection."""
    words = shlex.split(call, comments=True)
    ends = [i for i, word in enumerate(words) if word in ("|", ">", ">>", "&", ";")]
    return words[: ends[0]] if ends else words


@contextmanager
def sandbox(text: str) -> Iterator[tuple[Path, dict[str, str]]]:
    """Make the folder in which a page's commands run, and their environment."""
    import threadmodel

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, source in files(text).items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, folder / file)
        commands = folder / ".bin"
        commands.mkdir()
        launcher = commands / "threadmodel"
        launcher.write_text(LAUNCHER.format(python=shlex.quote(sys.executable)))
        launcher.chmod(0o755)
        package = Path(threadmodel.__file__).parents[1]
        yield (
            folder,
            {
                **os.environ,
                "THREADMODEL_CALLED_AS": "threadmodel",
                "PATH": f"{commands}:{os.environ['PATH']}",
                "PYTHONPATH": str(package),
                "COLUMNS": str(COLUMNS),
                "LC_ALL": "C.UTF-8",
                "NO_COLOR": "1",
                "TZ": "UTC",
            },
        )


def printed(command: str, folder: Path, environment: dict[str, str]) -> str:
    """Run a command as a shell does; what it prints, without blanks at ends."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    return "\n".join(line.rstrip() for line in done.stdout.rstrip().split("\n"))


def rewritten(text: str) -> str:
    """Return a page with what its commands print now."""

    def block(match: re.Match[str]) -> str:
        lines = []
        for command in re.findall(r"^\$ (.*(?:\\\n.*)*)", match[1], re.MULTILINE):
            lines.append(f"$ {command}")
            lines.append(printed(command, folder, environment))
        return "```console\n" + "\n".join(line for line in lines if line) + "\n```"

    with sandbox(text) as (folder, environment):
        return BLOCK.sub(block, text)


def pages() -> Iterator[tuple[Path, str]]:
    """Yield each page that shows commands, with what they print."""
    texts = {path: path.read_text() for path in PAGES}
    having = [path for path, text in texts.items() if BLOCK.search(text)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        shown = pool.map(lambda path: rewritten(texts[path]), having)
        yield from zip(having, shown, strict=True)
