# SPDX-License-Identifier: Apache-2.0
"""The recorder of native programs that comes with the package."""

import contextlib
import os
import re
import stat
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from threadmodel import errors

PRELOAD: Final = "libthreadmodel-preload.so"
#: time for the recorder to write the rest, once the program has ended
PATIENCE_SECONDS: Final = 120.0
DUMPER: Final = "threadmodel-native-dump"
RECORDER: Final = "threadmodel-native-recorder"
REGION_VARIABLE: Final = "THREADMODEL_NATIVE"
#: seconds after which threads that cannot go on are reported
STUCK_S: Final = 5
#: the most bytes of a program that are searched for the names of its libraries
IMAGE_BYTES_MOST: Final = 256 << 20
_ELF: Final = b"\x7fELF"
_INTERPRETER: Final = 3


def path(name: str) -> Path:
    """Return a file of the recorder of native programs.

    Raises:
        MissingFileError: this build of the package has none (a FileNotFoundError)
    """
    file = Path(__file__).parent.resolve() / name
    if not file.is_file():
        raise errors.MissingFileError(
            f"{file}: this build records no native programs: that needs Linux and glibc"
        )
    return file


class Recorder:
    """The process that writes the trace, from its start to the end of the program."""

    def __init__(
        self,
        output: str,
        ring_kib: int | None = None,
        stuck_s: int = STUCK_S,
        options: Sequence[str] = (),
    ) -> None:
        """Start it; what it writes to stderr is for the user.

        Args:
            output: the trace
            ring_kib: of memory for the records of one thread, 16 to 4096
            stuck_s: after so many seconds it reports threads that cannot go on; 0:
                never
            options: ``io=n`` records no waits in the kernel, ``paths=y`` names files by
                their paths, ``processes=y`` makes a trace of each process,
                ``switches=n`` does not record when threads have a processor. That is
                recorded of what the calling thread starts

        Raises:
            MissingFileError: this build has none
            OSError: it cannot be started
        """
        if "switches=n" not in options:
            options = [*options, f"launcher={threading.get_native_id()}"]
        self._process = subprocess.Popen(
            [path(RECORDER), output, str(ring_kib or 0), str(stuck_s), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        #: of the recorder, once it has ended: below 0 where a signal has ended it
        self.status = 0
        #: path of the trace, once the recorder has ended; None: there is no trace
        self.trace: str | None = None
        #: traces of other processes
        self.others: list[str] = []
        #: how many events each trace has
        self.events: dict[str, int] = {}
        #: processes without a trace, by name, if the trace shows no threads that had
        #: to do with one another
        self.silent: dict[str, int] = {}
        #: programs that were not recorded, if the trace shows no threads
        self.unseen: list[str] = []
        assert self._process.stdout
        self.region = self._process.stdout.readline().decode().strip()

    def environment(
        self, variables: Mapping[str, str], program: str | None = None
    ) -> dict[str, str]:
        """Return the environment of a program that is to be recorded.

        Args:
            variables: as they are without recording
            program: the file that it runs. The runtime of a sanitizer, which refuses to
                start behind another library, is loaded before ours
        """
        sanitizers = sanitizers_of(program) if program else []
        preload = ":".join([*sanitizers, str(path(PRELOAD))])
        if others := variables.get("LD_PRELOAD"):
            preload = f"{preload}:{others}"
        return {**variables, "LD_PRELOAD": preload, REGION_VARIABLE: self.region}

    def ended(self, pid: int, status: int) -> None:
        """Pass on how the program ended, as ``waitpid`` reported it."""
        assert self._process.stdin
        with contextlib.suppress(OSError):
            self._process.stdin.write(b"%d %d\n" % (pid, status))
            self._process.stdin.flush()

    def __enter__(self) -> Self:
        """Return the recorder, which runs already."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wait until the recorder has written the rest and ended."""
        try:
            written, _ = self._process.communicate(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            # It ignores the signals that end the program.
            self._process.kill()
            written, _ = self._process.communicate()
        self.status = self._process.returncode
        for line in written.split(b"\0"):
            what, _, value = line.partition(b" ")
            if what in (b"trace", b"also"):
                events, _, file = value.partition(b" ")
                self.events[os.fsdecode(file)] = int(events)
                if what == b"trace":
                    self.trace = os.fsdecode(file)
                else:
                    self.others.append(os.fsdecode(file))
            elif what == b"silent":
                count, _, name = value.partition(b" ")
                self.silent[name.decode("utf-8", "backslashreplace")] = int(count)
            elif what == b"unseen":
                self.unseen.append(os.fsdecode(value))


def dump(
    pid: int, trace: str, *, times: int = 1, every_s: float = 0, stacks: str = "stop"
) -> str:
    """Look at the threads of a native process, and write what is seen into a trace.

    Args:
        pid: its process id
        trace: where the looks go, each as a thread dump
        times: how often
        every_s: seconds between two looks
        stacks: "stop": a thread whose stack cannot be read else is stopped for a
            moment; "go-on": none is; "none": no stacks are read

    Returns:
        The last look as text

    Raises:
        MissingFileError: this build has no such program
        AttachError: there is no such process, or it has ended
    """
    arguments = [str(pid), trace, str(times), str(round(every_s * 1000)), stacks]
    done = subprocess.run(
        [path(DUMPER), *arguments], stdin=subprocess.DEVNULL, capture_output=True
    )
    said = done.stderr.decode("utf-8", "backslashreplace").strip()
    if done.returncode != 0:
        raise errors.AttachError(said.removeprefix("threadmodel: "))
    return done.stdout.decode("utf-8", "surrogateescape")


def sanitizers_of(program: str) -> list[str]:
    """Return the sanitizer runtimes that a program is linked with dynamically."""
    try:
        with open(program, "rb") as file:
            image = file.read(IMAGE_BYTES_MOST)
    except OSError:
        return []
    if image[:4] != _ELF:
        return []
    # A table of strings holds the names of the needed libraries.
    found = re.findall(rb"\0(lib(?:asan|tsan|hwasan|lsan)\.so\.\d+)(?=\0)", image)
    return sorted({name.decode() for name in found})


def why_unseen(program: str) -> str | None:
    """Say why the loader does not preload our library into a program.

    Returns:
        the reason; None: none is known
    """
    try:
        mode = os.stat(program).st_mode
        with open(program, "rb") as file:
            head = file.read(65536)
        own = _libc(path(RECORDER).read_bytes()[:65536])
    except OSError:
        return None
    if mode & (stat.S_ISUID | stat.S_ISGID):
        return "it is setuid or setgid, where the loader ignores LD_PRELOAD"
    if _has_capabilities(program):
        return "it has capabilities of its own, where the loader ignores LD_PRELOAD"
    if head[:5] == _ELF + b"\x01":
        return "it is a program of 32 bits, and this package is for 64"
    libc = _libc(head)
    if libc is None:
        return None
    if not libc:
        return "it is statically linked, so no library can be loaded before it"
    if libc != own:
        return f"it is linked with {libc}, and this package is for {own}"
    return None


def _has_capabilities(program: str) -> bool:
    try:
        return bool(os.getxattr(program, "security.capability"))
    except OSError:
        return False


def _libc(head: bytes) -> str | None:
    """Name the C library that a program is linked with; "": none, None: no program."""
    if head[:5] != _ELF + b"\x02":
        return None
    offset = int.from_bytes(head[32:40], "little")
    size = int.from_bytes(head[54:56], "little")
    count = int.from_bytes(head[56:58], "little")
    for at in range(offset, offset + size * count, size or 1):
        if int.from_bytes(head[at : at + 4], "little") == _INTERPRETER:
            begin = int.from_bytes(head[at + 8 : at + 16], "little")
            loader = head[begin : begin + 256].partition(b"\0")[0]
            return "musl" if b"/ld-musl-" in loader else "glibc"
    return ""
