# SPDX-License-Identifier: Apache-2.0
"""JVMs that run now, and the attach mechanism of HotSpot.

A JVM opens a Unix socket when a file of a certain name is in its /tmp and it receives a
SIGQUIT; any other program is killed by that signal. So a process is checked first in
all ways that do not affect it, and each refusal is one sentence.
"""

import contextlib
import errno
import os
import signal
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from threadmodel import _proc
from threadmodel.errors import AttachError

TIMEOUT_SECONDS: Final = 10.0
POLL_SECONDS: Final = 0.02
# From the start of `java` until its JVM handles signals takes a tenth of a second.
STARTING_SECONDS: Final = 2.0

# Longer arguments are for JVMs that know the second version of the protocol.
ARGUMENT_BYTES: Final = 1024
ARGUMENTS: Final = 3


@dataclass(frozen=True)
class Jvm:
    """A HotSpot JVM of this user that can be attached to."""

    pid: int
    inner_pid: int  # in its own PID namespace

    @property
    def root(self) -> Path:
        """The root of its file system, as we see it."""
        return Path(f"/proc/{self.pid}/root")

    @property
    def shares_files(self) -> bool:
        """Whether a path names the same file for the JVM and for us."""
        try:
            theirs = os.readlink(f"/proc/{self.pid}/ns/mnt")
            return theirs == os.readlink("/proc/self/ns/mnt") and self._folder == ""
        except OSError:
            return False

    @property
    def _folder(self) -> str:
        """Its root folder as the kernel shows it in paths; "": the same as ours."""
        try:
            return os.readlink(self.root).rstrip("/")
        except OSError:
            return ""

    @property
    def socket(self) -> Path:
        """The path of its socket, once it listens."""
        return self.root / f"tmp/.java_pid{self.inner_pid}"

    def listens(self) -> bool:
        """Whether it listens. A killed JVM with the same number may have left a socket
        at which nobody listens."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as knock:
            knock.setblocking(False)
            try:
                knock.connect(str(self.socket))
            except OSError as failure:
                # The queue of the socket is full: it is listening.
                return failure.errno == errno.EAGAIN
        return True

    def is_running(self) -> bool:
        """Whether it has not ended yet."""
        return _proc.state(self.pid) not in ("", "Z", "X")

    def libraries(self, name: str) -> list[str]:
        """The loaded libraries of this name, as paths in the JVM's file system."""
        found = [
            fields[5].removeprefix(self._folder)
            for line in _proc.maps(self.pid).splitlines()
            if len(fields := line.split(None, 5)) == 6
            and fields[5].rpartition("/")[2].startswith(name)
        ]
        return list(dict.fromkeys(found))


@dataclass(frozen=True)
class Running:
    """A running JVM of this user, as a list shows it.

    Attributes:
        pid: its process id
        command: its main class or jar with the arguments, or the command that starts it
        threads: how many it has, by the kernel's count
        age_ns: since its start
        cpu_ns: processor time of all its threads
        is_recorded: whether our agent is loaded
    """

    pid: int
    command: str
    threads: int
    age_ns: int
    cpu_ns: int
    is_recorded: bool


def running() -> list[Running]:
    """List the running HotSpot JVMs of this user by process id; nothing is attached."""
    found = []
    for entry in os.listdir("/proc"):
        # A process may end, or be another user's, at any step.
        with contextlib.suppress(AttachError, OSError, ValueError):
            if (
                not entry.isdecimal()
                or os.stat(f"/proc/{entry}").st_uid != os.geteuid()
            ):
                continue
            pid = int(entry)
            loaded = _proc.maps(pid)
            if "/libjvm.so" not in loaded or "/libj9vm" in loaded:
                continue
            stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
            fields = stat.rpartition(")")[2].split()
            tick_ns = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
            start_ns = int(fields[19]) * tick_ns
            found.append(
                Running(
                    pid=pid,
                    command=_program(_proc.arguments(pid)),
                    threads=int(fields[17]),
                    age_ns=time.clock_gettime_ns(time.CLOCK_BOOTTIME) - start_ns,
                    cpu_ns=(int(fields[11]) + int(fields[12])) * tick_ns,
                    is_recorded="/libthreadmodel-agent" in loaded,
                )
            )
    return sorted(found, key=lambda jvm: jvm.pid)


# Options of `java` whose value is the next argument.
_WITH_VALUE: Final = frozenset(
    ("-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-modules")
    + ("--add-exports", "--add-opens", "--add-reads", "--source", "-m", "--module")
)


def _program(arguments: list[str]) -> str:
    """Return a command line from its main class, module or jar on."""
    if not arguments:
        return ""
    rest = arguments[1:]
    while rest and rest[0].startswith("-"):
        if rest[0] in ("-jar", "-m", "--module"):
            rest = rest[1:]
            break
        rest = rest[2 if rest[0] in _WITH_VALUE else 1 :]
    return " ".join(part for part in (rest or arguments) if part)


def find(pid: int) -> Jvm:
    """Find a JVM to attach to.

    Raises:
        AttachError: there is no such process, or it is not a JVM, belongs to another
            user, is stopped, or disallows attaching
    """
    status = _proc.status(pid)
    state = status.get("State", "?")[:1]
    if state in ("Z", "X"):
        raise AttachError(f"process {pid} has ended")
    owner = int(status.get("Uid", "-1 -1").split()[1])
    if owner != os.geteuid():
        raise AttachError(
            f"process {pid} belongs to {_proc.user(owner)}: only that user can attach "
            "to it"
        )
    if state in ("T", "t"):
        raise AttachError(
            f"process {pid} is stopped: continue it first (kill -CONT {pid})"
        )
    loaded = _settled(pid)
    if "/libj9vm" in loaded:
        raise AttachError(f"process {pid} runs OpenJ9: only HotSpot can be attached to")
    if "/libjvm.so" not in loaded:
        raise AttachError(f"process {pid} is not a JVM: it has no libjvm.so loaded")
    jvm = Jvm(pid, int(status.get("NSpid", str(pid)).split()[-1]))
    if not jvm.listens():
        _check_that_it_listens(jvm, status)
    return jvm


def is_jvm(pid: int) -> bool:
    """Whether a process runs a JVM; False if we may not see its mapped files."""
    try:
        loaded = _settled(pid)
    except AttachError:
        return False
    return "/libjvm.so" in loaded or "/libj9vm" in loaded


def command(jvm: Jvm, name: str, *arguments: str) -> str:
    """Send a command to a JVM and return its answer.

    Args:
        jvm: from find()
        name: ``load``, ``jcmd``, ``threaddump``
        arguments: at most three of 1024 bytes, or of any length from JDK 24 on

    Returns:
        Text in which bytes that are not valid UTF-8 are surrogates: encoded with
        ``surrogateescape`` it is what the JVM sent

    Raises:
        AttachError: it does not answer, or refuses; the text holds its answer
    """
    _wake(jvm)
    filled = [*arguments, *[""] * (ARGUMENTS - len(arguments))]
    words = [os.fsencode(word) for word in (name, *filled)]
    if any(len(word) > ARGUMENT_BYTES for word in words):
        version = _talk(jvm, _request_1([b"getversion", b"", b"", b""]))
        if not version.startswith(b"0\n"):
            raise AttachError(
                f"process {jvm.pid}: its JVM takes no path of more than "
                f"{ARGUMENT_BYTES} bytes; give shorter ones"
            )
        reply = _talk(jvm, _request_2(words))
    else:
        reply = _talk(jvm, _request_1(words))
    code, _, text = reply.decode("utf-8", "surrogateescape").partition("\n")
    if code.strip() != "0":
        said = " ".join(text.split()) or f"error {code.strip()}"
        raise AttachError(f"process {jvm.pid}: its JVM refuses: {said}")
    return text


def _request_1(words: list[bytes]) -> bytes:
    return b"".join(word + b"\0" for word in [b"1", *words])


def _request_2(words: list[bytes]) -> bytes:
    body = b"".join(word + b"\0" for word in words)
    return b"2\0%d\0" % len(body) + body


def _talk(jvm: Jvm, request: bytes) -> bytes:
    chunks = []
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as talk:
            talk.settimeout(TIMEOUT_SECONDS)
            talk.connect(str(jvm.socket))
            talk.sendall(request)
            while chunk := talk.recv(1 << 16):
                chunks.append(chunk)
    except TimeoutError:
        raise AttachError(_why_silent(jvm)) from None
    except OSError as failure:
        raise AttachError(
            f"process {jvm.pid} has ended, or is ending"
            if not jvm.is_running() or isinstance(failure, ConnectionError)
            else f"process {jvm.pid}: {failure.strerror}"
        ) from None
    if not chunks:
        raise AttachError(f"process {jvm.pid} has ended, or is ending")
    return b"".join(chunks)


def _wake(jvm: Jvm) -> None:
    """Make a JVM open its socket, unless it listens already."""
    if jvm.listens():
        return
    trigger = jvm.root / f"tmp/.attach_pid{jvm.inner_pid}"
    try:
        os.close(os.open(trigger, os.O_CREAT | os.O_WRONLY | os.O_NOFOLLOW, 0o600))
    except OSError as failure:
        raise AttachError(
            f"process {jvm.pid}: cannot write to its /tmp: {failure.strerror}"
        ) from None
    try:
        began = asked = time.monotonic()
        os.kill(jvm.pid, signal.SIGQUIT)
        while not jvm.listens():
            now = time.monotonic()
            if not jvm.is_running():
                raise AttachError(f"process {jvm.pid} has ended")
            if now > began + TIMEOUT_SECONDS:
                raise AttachError(_why_silent(jvm))
            # A JVM that was starting may have missed the signal.
            if now > asked + STARTING_SECONDS:
                os.kill(jvm.pid, signal.SIGQUIT)
                asked = now
            time.sleep(POLL_SECONDS)
    except ProcessLookupError:
        raise AttachError(f"process {jvm.pid} has ended") from None
    finally:
        with contextlib.suppress(OSError):
            trigger.unlink()


def _why_silent(jvm: Jvm) -> str:
    if _proc.state(jvm.pid) in ("T", "t"):
        return f"process {jvm.pid} was stopped meanwhile: it does not answer"
    return f"process {jvm.pid} does not answer within {TIMEOUT_SECONDS:.0f} s"


def _check_that_it_listens(jvm: Jvm, status: dict[str, str]) -> None:
    """Check that the JVM handles SIGQUIT, and as a request to attach."""
    able = _can_attach(jvm)
    if able is None:
        able = "-XX:+DisableAttachMechanism" not in _proc.arguments(jvm.pid)
    if not able:
        raise AttachError(
            f"process {jvm.pid} lets nobody attach: it runs with "
            "-XX:+DisableAttachMechanism"
        )
    deadline = time.monotonic() + STARTING_SECONDS
    while not (caught := _catches_quit(status)) and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
        status = _proc.status(jvm.pid)
    if not caught:
        raise AttachError(
            f"process {jvm.pid} cannot be attached to: it is starting, or ending"
        )


def _catches_quit(status: dict[str, str]) -> bool:
    return bool(int(status.get("SigCgt", "0"), 16) >> (signal.SIGQUIT - 1) & 1)


def _is_launcher(pid: int) -> bool:
    """Whether a process is `java`, or a child of ours that has not called exec yet."""
    names = {"java", os.path.basename(os.readlink("/proc/self/exe"))}
    with contextlib.suppress(OSError):
        return os.path.basename(os.readlink(f"/proc/{pid}/exe")) in names
    return False


def _settled(pid: int) -> str:
    """Return the mapped files; wait while a launcher has not loaded its JVM."""
    deadline = time.monotonic() + STARTING_SECONDS
    while True:
        loaded = _proc.maps(pid)
        if (
            "/libjvm.so" in loaded
            or not _is_launcher(pid)
            or time.monotonic() > deadline
        ):
            return loaded
        time.sleep(POLL_SECONDS)


def _can_attach(jvm: Jvm) -> bool | None:
    """Read from its performance counters whether it can be attached to."""
    key = b"sun.rt.jvmCapabilities\0"
    for file in jvm.root.glob(f"tmp/hsperfdata_*/{jvm.inner_pid}"):
        try:
            counters = file.read_bytes()
        except OSError:
            continue
        at = counters.find(key)
        if at >= 0:
            # The value, one digit for each capability, follows the name and zeros.
            value = counters[at + len(key) : at + len(key) + 64].lstrip(b"\0")
            return value[:1] == b"1"
    return None
