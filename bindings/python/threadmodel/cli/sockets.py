# SPDX-License-Identifier: Apache-2.0
"""Addresses as people write them, the sockets that wait there, and who may connect."""

import contextlib
import ipaddress
import os
import re
import socket
import ssl
import stat
from collections.abc import Iterator
from typing import Any, Final

import click

LEAST_TOKEN_BYTES: Final = 16
MOST_TOKEN_BYTES: Final = 256
UNIX: Final = "unix:"
_TCP: Final = re.compile(r"(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})")


def is_address(text: str) -> bool:
    """Whether a text is HOST:PORT or unix:PATH, and no name of a process."""
    return text.startswith(UNIX) or _TCP.fullmatch(text) is not None


def token_of(path: str | None) -> bytes | None:
    """Read the word that an agent must send; the file must be nobody else's to read.

    Raises:
        click.UsageError: others can read it, or it is too easy to guess
    """
    if path is None:
        return None
    with open(path, "rb") as file:
        facts = os.fstat(file.fileno())
        if facts.st_uid != os.geteuid() or facts.st_mode & 0o077:
            raise click.UsageError(f"{path} is not yours alone: chmod 600 it")
        token = file.read(MOST_TOKEN_BYTES + 1).strip()
    if not LEAST_TOKEN_BYTES <= len(token) <= MOST_TOKEN_BYTES or b"\n" in token:
        raise click.UsageError(
            f"{path} must hold one line of {LEAST_TOKEN_BYTES} to {MOST_TOKEN_BYTES} "
            "bytes"
        )
    return token


@contextlib.contextmanager
def listener_at(
    address: str,
    token: bytes | None,
    tls: ssl.SSLContext | None = None,
    needed: str = "a --token-file",
) -> Iterator[socket.socket]:
    """Wait for connections at HOST:PORT or unix:PATH.

    Args:
        address: where
        token: that who connects must send
        tls: by which who connects shows a certificate
        needed: one of these two, as an option, beyond loopback

    Raises:
        click.UsageError: it cannot be, or anybody could connect from elsewhere
    """
    if address.startswith(UNIX):
        path = address.removeprefix(UNIX)
        _remove_dead(path)
        with socket.socket(socket.AF_UNIX) as listener:
            _bind(listener, path, address)
            own = os.stat(path)
            try:
                yield listener
            finally:
                # By now another listener may have that name.
                with contextlib.suppress(OSError):
                    if os.path.samestat(own, os.stat(path)):
                        os.unlink(path)
        return
    family, target = resolved(address)
    if (
        token is None
        and tls is None
        and not ipaddress.ip_address(target[0]).is_loopback
    ):
        raise click.UsageError(f"{address} is not loopback: give {needed}")
    with tcp_listener(family, target) as listener:
        yield listener


def resolved(address: str) -> tuple[int, Any]:
    """Return the family and the address that HOST:PORT stands for."""
    match = _TCP.fullmatch(address)
    if match is None or int(match[3]) > 65535:
        raise click.UsageError(f"{address!r} is neither HOST:PORT nor unix:PATH")
    host = match[1] or match[2] or "127.0.0.1"
    try:
        family, _, _, _, target = socket.getaddrinfo(
            host, int(match[3]), type=socket.SOCK_STREAM
        )[0]
    except OSError as failure:
        raise click.UsageError(f"{address}: {failure.strerror}") from None
    except UnicodeError:
        raise click.UsageError(f"{address!r}: no such host") from None
    return family, target


@contextlib.contextmanager
def tcp_listener(family: int, target: Any) -> Iterator[socket.socket]:
    """Wait for connections at what resolved() returned."""
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        _bind(listener, target, f"{target[0]}:{target[1]}")
        yield listener


def name_of(listener: socket.socket) -> str:
    """Return where it waits, as one writes it."""
    name = listener.getsockname()
    if isinstance(name, str):
        return f"{UNIX}{name}"
    host, port = name[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _bind(
    listener: socket.socket, target: "str | tuple[object, ...]", address: str
) -> None:
    try:
        # Of a Unix socket, that nobody else can connect.
        before = os.umask(0o177)
        try:
            listener.bind(target)
        finally:
            os.umask(before)
        listener.listen(16)
    except OSError as failure:
        reason = failure.strerror or str(failure)
        raise click.UsageError(f"{address}: {reason}") from None


def _remove_dead(path: str) -> None:
    """Remove the socket of a listener that was killed; another's is left."""
    with contextlib.suppress(OSError):
        if not stat.S_ISSOCK(os.stat(path).st_mode):
            return
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(path)
            except ConnectionRefusedError:
                os.unlink(path)
