# SPDX-License-Identifier: Apache-2.0
"""``threadmodel record``: run a program and record it."""

import glob
import os
import re
from pathlib import Path
from typing import Final

import click

from threadmodel import agent, attach, errors
from threadmodel.cli.agent_options import recording_options
from threadmodel.cli.files import TRACE, FileCommand
from threadmodel.cli.messages import called_as, say, shell_word
from threadmodel.cli.program import run
from threadmodel.cli.record_native import explain_missing_trace, record_native

NOT_FOUND: Final = 127
NOT_STARTED: Final = 126
NO_TRACE: Final = 2
# Options of the agent that the recorder of native programs also has.
NATIVE_OPTIONS: Final = frozenset(
    f"{option}={value}"
    for option in ("io", "paths", "processes", "switches")
    for value in "yn"
)

# A file's identity and age, to distinguish a new trace from an older one.
Stamp = tuple[int, int, int]


@click.command(
    cls=FileCommand,
    context_settings={"allow_interspersed_args": False},
    short_help="Run a program and record what its threads do.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=TRACE,
    default="run.tmt",
    show_default=True,
    help="The trace. %p in it is the JVM's process id.",
)
@click.option(
    "--native",
    "is_native",
    is_flag=True,
    help="Record a program in C, C++ or the like, by its calls of pthreads.",
)
@click.option(
    "--ring-kib",
    metavar="KIB",
    type=click.IntRange(16, 4096),
    help="Native: memory for the records of one thread. [default: 128]",
)
@click.option(
    "--stuck-s",
    metavar="SECONDS",
    type=click.IntRange(0, 1_000_000),
    help="Native: report on stderr, once, threads that have not been able to go on for"
    " so long; 0: never. [default: 5]",
)
@recording_options
@click.argument("command", metavar="PROGRAM [ARGUMENT]...", nargs=-1)
@click.pass_context
def record(
    context: click.Context,
    output: str,
    is_native: bool,
    ring_kib: int | None,
    stuck_s: int | None,
    depth: int | None,
    agent_options: tuple[str, ...],
    command: tuple[str, ...],
) -> None:
    """Run PROGRAM and record what its threads do to one another.

    Write -- before PROGRAM when its name begins with a dash. A `java` command line
    gets the agent inserted. Any other program gets it through JAVA_TOOL_OPTIONS, and
    as it may start several JVMs, each writes a trace of its own: run.tmt becomes
    run-PID.tmt.

    The program has stdin, stdout, stderr and the terminal to itself, and signals reach
    it. The exit status is the program's, 128+n when signal n ended it; 127 when the
    program is not found, 126 when it cannot be started, and 2 when a program that
    succeeded left no trace.

    \b
    threadmodel record -o run.tmt -- java -jar app.jar
    threadmodel record -- mvn test
    threadmodel record --native -- redis-server --io-threads 4
    """
    if not command:
        raise click.UsageError("record what? Name a program: record -- java ...")
    if is_native and "%p" in output:
        raise click.UsageError("-o of --native has no %p: others become run-PID.tmt")
    if ring_kib is not None and not is_native:
        raise click.UsageError(
            "--ring-kib is for --native; the agent has -A buffer=KIB"
        )
    if stuck_s is not None and not is_native:
        raise click.UsageError("--stuck-s is for --native; the agent has -A stuck=N")
    is_java = os.path.basename(command[0]) == "java"
    if is_native and (depth is not None or set(agent_options) - NATIVE_OPTIONS):
        raise click.UsageError(
            "--depth and --agent-option are the JVM agent's; "
            f"of the latter --native knows {', '.join(sorted(NATIVE_OPTIONS))}"
        )
    pattern = trace_pattern(output, several=not is_java and not is_native)
    before = traces(pattern)
    native = None
    try:
        if is_native:
            native = record_native(command, pattern, ring_kib, stuck_s, agent_options)
            status = native.status
        else:
            status = _record_java(command, pattern, is_java, depth, agent_options)
    except errors.MissingFileError:
        raise
    except OSError as failure:
        missing = isinstance(failure, FileNotFoundError)
        reason = "program not found" if missing else failure.strerror
        say(f"{command[0]}: {reason}")
        context.exit(NOT_FOUND if missing else NOT_STARTED)
    if native and not native.is_recorded:
        context.exit(status or NO_TRACE)
    if native and not native.is_cut:
        # A file of that name may be another producer's.
        made = [native.trace, *native.others] if native.trace else []
    else:
        after = traces(pattern)
        made = [path for path, stamp in after.items() if before.get(path) != stamp]
    if made:
        say(see_it(made, native.busiest if native else None))
    elif is_native:
        explain_missing_trace(command)
    else:
        say(_why_no_trace(is_java, status, pattern))
    context.exit(status if made else status or NO_TRACE)


def _record_java(
    command: tuple[str, ...],
    pattern: str,
    is_java: bool,
    depth: int | None,
    agent_options: tuple[str, ...],
) -> int:
    options = [f"file={pattern}"]
    if depth is not None:
        options.append(f"depth={depth}")
    options += agent_options
    agent_path = f"-agentpath:{agent.path()}={attach.join_options(options)}"
    if is_java:
        return run((command[0], agent_path, *command[1:]), os.environ)
    return run(command, {**os.environ, "JAVA_TOOL_OPTIONS": tool_options(agent_path)})


def trace_pattern(output: str, several: bool) -> str:
    """Return the absolute path of the trace, in which %p is the JVM's process id.

    Raises:
        UsageError: nothing can be written there
    """
    path = Path(os.path.abspath(output))
    if not output or output.endswith("/") or path.is_dir():
        raise click.UsageError(f"{output!r} is a folder: give the trace a file name")
    if not path.parent.is_dir():
        raise click.UsageError(f"{path.parent}: there is no such folder")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise click.UsageError(f"{path.parent}: no right to write there")
    if several and "%p" not in path.name:
        path = path.with_name(f"{path.stem}-%p{path.suffix}")
    return str(path)


def tool_options(agent_path: str) -> str:
    """Add an option to what JAVA_TOOL_OPTIONS has, quoted as the JVM reads it.

    Raises:
        UsageError: the path has both kinds of quotes, so it cannot be quoted
    """
    if re.search(r"[\s'\"]", agent_path):
        quotes = [quote for quote in "'\"" if quote not in agent_path]
        if not quotes:
            raise click.UsageError("the trace's path holds both kinds of quotes")
        agent_path = f"{quotes[0]}{agent_path}{quotes[0]}"
    return f"{os.environ.get('JAVA_TOOL_OPTIONS', '')} {agent_path}".strip()


def traces(pattern: str) -> dict[str, Stamp]:
    """Find the files that match a pattern with %p and %%, the oldest first."""
    pieces = re.split("(%p|%%)", pattern)
    special = {"%p": "*", "%%": "%"}
    numbered = {"%p": r"\d+", "%%": "%"}
    shape = re.compile("".join(numbered.get(p, re.escape(p)) for p in pieces))
    found: dict[str, Stamp] = {}
    for path in glob.iglob("".join(special.get(p, glob.escape(p)) for p in pieces)):
        if not shape.fullmatch(path):
            continue
        try:
            facts = os.stat(path)
        except OSError:
            continue
        found[path] = (facts.st_mtime_ns, facts.st_ino, facts.st_size)
    return dict(sorted(found.items(), key=lambda item: item[1]))


def see_it(made: list[str], busiest: str | None = None) -> str:
    """Name the traces, and the command that shows the one with most events."""
    shown = shell_word(busiest or made[0])
    which = "see it" if len(made) == 1 else "see the busiest" if busiest else "see one"
    return f"{_where(made)}; {which} with: {called_as()} report {shown}"


def _where(made: list[str]) -> str:
    shown = ", ".join(shell_word(path) for path in made[:5])
    if len(made) == 1:
        return f"trace in {shown}"
    more = f" and {len(made) - 5} more" if len(made) > 5 else ""
    return f"{len(made)} traces in {shown}{more}"


def _why_no_trace(is_java: bool, status: int, pattern: str) -> str:
    if not is_java:
        return (
            "no trace: no JVM that read JAVA_TOOL_OPTIONS ran "
            f"long enough to write {shell_word(pattern)}"
        )
    how = f"signal {status - 128}" if status > 128 else f"exit status {status}"
    return f"no trace: the JVM ended with {how} before the agent could write one"
