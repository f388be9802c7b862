# SPDX-License-Identifier: Apache-2.0
"""Attach to a running JVM and record it; control a recording.

    with threadmodel.attach.record(1234, "run.tmt") as recording:
        time.sleep(30)
    model = threadmodel.open("run.tmt")

The agent is loaded into the JVM, reports what every thread is doing, and records from
then on; when it is stopped it leaves the JVM as it was. Same user only; a JVM in
a container is reached through its own file system.
"""

import contextlib
import os
import secrets
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final

from threadmodel import agent, hotspot, private
from threadmodel.errors import AttachError

#: Commands to a recording; each answers with one line.
CONTROLS: Final = ("dump", "pause", "resume", "stop")

# Part of the answer of a JVM, or of the agent in it, that has not started completely.
STARTING: Final = "this VM is still starting"
# The last line on a recording: its time is up, or a command of `control` stopped it.
ENDED: Final = ("=end", "=end reported")
YES, NO = "=ok", "=no"
STARTING_SECONDS: Final = 5.0
POLL_SECONDS: Final = 0.05


class Recording:
    """A recording that was begun by attaching."""

    def __init__(
        self,
        jvm: hotspot.Jvm,
        output: Path,
        inner: str,
        reply: Path,
        copy: Path | None,
    ) -> None:
        """Take over the recording that record() began."""
        self.jvm: Final = jvm
        self.output: Final = output
        self._inner = inner  # the trace, as the JVM knows it
        self._reply = reply
        self._copy = copy  # of the agent, in the JVM's own file system
        # The agent may have written messages before its answer was read.
        self._read_bytes = 0
        self._heard: list[str] = []
        self._is_over = False
        self._has_ended = False
        self._has_answered = False

    def path_here(self) -> Path:
        """Where this process finds the trace while it grows."""
        if self.jvm.shares_files:
            return self.output
        return self.jvm.root / self._inner.lstrip("/")

    def notices(self) -> list[str]:
        """Return the agent's new messages: a deadlock, or a loss."""
        self._hear()
        lines, self._heard = self._heard, []
        return lines

    def is_going_on(self) -> bool:
        """Whether the agent still records: nobody has stopped it, and the JVM runs."""
        self._hear()
        return not self._is_over and not self._has_ended and self.jvm.is_running()

    def was_stopped(self) -> bool:
        """Whether another process had the agent stop."""
        return self._has_answered and not self._is_over

    def _hear(self) -> None:
        try:
            with private.open_foreign(self._reply) as file:
                text = file.read()
        except OSError:
            return
        # The last line may be incomplete.
        whole = text[self._read_bytes : text.rfind(b"\n") + 1]
        self._read_bytes += len(whole)
        for line in _lines(whole):
            if line in ENDED:
                self._has_ended = True
                self._has_answered = line != ENDED[0]
            elif not line.startswith(YES):
                self._heard.append(line)

    def stop(self) -> None:
        """End the recording, and leave the JVM as it was. May be called again.

        Raises:
            AttachError: the JVM does not answer; the trace has what was written
        """
        if self._is_over:
            return
        self._is_over = True
        try:
            if self.jvm.is_running():
                _control(self.jvm, "stop")
        except AttachError as failure:
            # The recording has ended by itself, or another process has stopped it.
            if self.jvm.is_running() and "nothing is being" not in str(failure):
                raise
        finally:
            self._hear()
            self._bring_home()

    def _bring_home(self) -> None:
        theirs = self.jvm.root / self._inner.lstrip("/")
        if not self.jvm.shares_files and os.path.lexists(theirs):
            with (
                private.open_foreign(theirs) as source,
                private.create(self.output) as target,
            ):
                shutil.copyfileobj(source, target)
            theirs.unlink()
        for file in (self._reply, self._copy):
            if file is not None:
                with contextlib.suppress(OSError):
                    file.unlink()

    def __enter__(self) -> "Recording":
        """Go on until the block ends."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop."""
        self.stop()


def record(
    pid: int,
    output: str | os.PathLike[str],
    *,
    seconds: int = 0,
    options: Sequence[str] = (),
) -> Recording:
    """Begin to record a JVM.

    Args:
        pid: its process id, as we see it
        output: the trace
        seconds: after these the agent stops by itself, even without us; 0: never
        options: of the agent, ``"depth=8"``

    Raises:
        AttachError: it cannot be attached to, or is being recorded already
    """
    jvm = hotspot.find(pid)
    path = Path(os.path.abspath(output))
    inner = str(path)
    if not jvm.shares_files:
        inner = f"/tmp/threadmodel-{jvm.inner_pid}-{secrets.token_hex(4)}.tmt"
    every = [f"file={inner.replace('%', '%%')}", f"seconds={seconds}", *options]
    deadline = time.monotonic() + STARTING_SECONDS
    while True:
        try:
            _, reply, copy = _ask(jvm, every)
            break
        except AttachError as failure:
            if STARTING not in str(failure) or time.monotonic() > deadline:
                raise
            time.sleep(POLL_SECONDS)
    return Recording(jvm, path, inner, reply, copy)


def control(pid: int, what: str) -> str:
    """Send a command to a recording, whoever started it, and return its answer.

    Args:
        pid: of the JVM
        what: one of CONTROLS

    Raises:
        AttachError: it cannot be attached to, or is not being recorded
    """
    return _control(hotspot.find(pid), what)


def dump(pid: int, *, virtual: bool = False) -> str:
    """Return what the threads of a JVM are doing, as the JVM writes it.

    Args:
        pid: its process id
        virtual: as JSON, with virtual threads; else as text, all at one instant

    Returns:
        Text in which bytes that are not valid UTF-8 are surrogates: encoded with
        ``surrogateescape`` it is what the JVM wrote. Names in it may hold anything.

    Raises:
        AttachError: the JVM cannot be attached to, or cannot write such a dump
    """
    jvm = hotspot.find(pid)
    if not virtual:
        return hotspot.command(jvm, "jcmd", "Thread.print -l")
    name = f"threadmodel-{jvm.inner_pid}-{secrets.token_hex(8)}.json"
    file = jvm.root / "tmp" / name
    try:
        said = hotspot.command(
            jvm, "jcmd", f"Thread.dump_to_file -format=json /tmp/{name}"
        )
        with private.open_foreign(file) as written:
            return written.read().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        raise AttachError(
            f"process {pid}: its JVM writes no dump of virtual threads: "
            f"{' '.join(said.split())}"
        ) from None
    finally:
        with contextlib.suppress(OSError):
            file.unlink()


def _control(jvm: hotspot.Jvm, what: str) -> str:
    if not _loaded(jvm):
        raise AttachError(f"process {jvm.pid}: nothing is being recorded")
    answer, reply, _ = _ask(jvm, [f"control={what}"])
    with contextlib.suppress(OSError):
        reply.unlink()
    return answer


def join_options(options: Sequence[str]) -> str:
    """Write the agent's option list, in which a comma in a value is doubled."""
    return ",".join(option.replace(",", ",,") for option in options)


def _ask(jvm: hotspot.Jvm, options: Sequence[str]) -> tuple[str, Path, Path | None]:
    """Call the agent in a JVM.

    Return its answer, the file that it came in, and the copy of the agent that was made
    for it: as long as that is there, the agent can be called again.
    """
    name = f"threadmodel-{jvm.inner_pid}-{secrets.token_hex(8)}"
    reply = jvm.root / "tmp" / name
    try:
        os.close(os.open(reply, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as failure:
        raise AttachError(
            f"process {jvm.pid}: cannot write to its /tmp: {failure.strerror}"
        ) from None
    copy = None
    is_asked = False
    try:
        library, is_copy = _library(jvm)
        copy = jvm.root / library.lstrip("/") if is_copy else None
        is_asked = True
        _load(jvm, library, join_options([f"reply=/tmp/{name}", *options]))
        is_asked = False
        with private.open_foreign(reply) as file:
            lines = _lines(file.read())
        answer = next((line for line in lines if line.startswith((YES, NO))), "")
        sign, _, text = answer.partition(" ")
        if sign != YES:
            raise AttachError(f"process {jvm.pid}: {_cause(lines, text)}")
    except BaseException as failure:
        # Interrupted during the call, the agent may begin to record: it can be
        # stopped only through its file, which then stays.
        is_lost = is_asked and not isinstance(failure, AttachError)
        for made in (reply, None if is_lost else copy):
            if made is not None:
                with contextlib.suppress(OSError):
                    made.unlink()
        raise
    return text, reply, copy


def _lines(reply: bytes) -> list[str]:
    """Return the lines of a reply; names may contain other line separators."""
    text = reply.decode("utf-8", "backslashreplace").removesuffix("\n")
    return text.split("\n") if text else []


def _cause(lines: list[str], text: str) -> str:
    """Return the text of the refusal, or the message before it."""
    said = [line for line in lines if not line.startswith(NO)]
    return text or next(
        (line.removeprefix("threadmodel: ") for line in said),
        "the agent gave no answer",
    )


def _load(jvm: hotspot.Jvm, library: str, options: str) -> None:
    try:
        said = hotspot.command(jvm, "load", library, "true", options)
    except AttachError as failure:
        said = str(failure)
        if "EnableDynamicAgentLoading" not in said:
            raise
    if "EnableDynamicAgentLoading" in said:
        raise AttachError(
            f"process {jvm.pid} takes no agent: it runs with "
            "-XX:-EnableDynamicAgentLoading"
        )
    if "live phase" in said:
        raise AttachError(f"process {jvm.pid}: {STARTING}")
    if "return code: 0" not in said and said.strip() != "0":
        raise AttachError(
            f"process {jvm.pid}: its JVM does not load the agent: "
            f"{' '.join(said.split())}"
        )


def _library(jvm: hotspot.Jvm) -> tuple[str, bool]:
    """Return where the JVM finds the agent, and whether that is a copy that we made.

    An agent that is loaded already is called again: another file would be a second
    agent, without the state of the first one.
    """
    loaded = _loaded(jvm)
    if loaded:
        return loaded[-1], False
    if jvm.shares_files:
        return str(agent.path()), False
    # The loader takes a file of the same name for the one that it has loaded.
    copy = f"/tmp/{agent.NAME}.{secrets.token_hex(8)}"
    # The name is new; the owner of the folder may guess it all the same.
    made = os.open(
        jvm.root / copy.lstrip("/"),
        os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW,
        0o600,
    )
    with open(made, "wb") as target:
        target.write(agent.path().read_bytes())
    return copy, True


def _loaded(jvm: hotspot.Jvm) -> list[str]:
    """Return the agents that a JVM has loaded and that can be called."""
    return [
        path for path in jvm.libraries(agent.NAME) if not path.endswith("(deleted)")
    ]
