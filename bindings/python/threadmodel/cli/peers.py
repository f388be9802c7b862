# SPDX-License-Identifier: Apache-2.0
"""Peers of a listener: several may be connected until one proves to be the agent.

The listener turns nobody away for a peer whose first block is incomplete: it may be a
port scan, a program that sends other data or nothing, or another user's agent.
"""

import contextlib
import errno
import hmac
import os
import selectors
import socket
import ssl
import struct
import tempfile
import time
import zlib
from collections import Counter
from typing import Final

from threadmodel.cli.messages import say
from threadmodel.errors import ThreadmodelError
from threadmodel.run import Run
from threadmodel.source import Live

MAGIC: Final = b"\xb1TMT\r\n\x1a\n"
BLOCK_MAGIC: Final = b"\xb1TB\x01"
FILE_HEADER_BYTES: Final = 16
BLOCK_HEADER_BYTES: Final = 40
HEADER_BYTES: Final = FILE_HEADER_BYTES + BLOCK_HEADER_BYTES
MOST_PACKED_BYTES: Final = 17 << 20
# The time from the connection to the end of the first block.
PATIENCE_S: Final = 10.0
MOST_PEERS: Final = 16
# The pause before the next accept if descriptors or memory are exhausted.
PAUSE_S: Final = 0.1
NO_ROOM: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
CHUNK_BYTES: Final = 1 << 18
TOKEN_PREFIX: Final = b"threadmodel "
NO_TRACE: Final = "a peer sent something else than a trace: still listening"
NO_TOKEN: Final = "a peer did not have the token: still listening"
TOKEN_ALONE: Final = "a peer sent the token and nothing else: still listening"


class Peer:
    """A connection, and the bytes that it has sent so far."""

    def __init__(
        self, connection: socket.socket, token: bytes | None, host: str = ""
    ) -> None:
        """Own an accepted connection, which must send ``token`` first."""
        self.connection: Final = connection
        self.host: Final = host
        self.deadline: Final = time.monotonic() + PATIENCE_S
        self.said = bytearray()
        self.run = Run()
        self._needs_token = token is not None
        self._expected = b"" if token is None else TOKEN_PREFIX + token + b"\n"

    def hear(self) -> str | None:
        """Receive its next bytes.

        Returns:
            Why it is not the agent, "" if it sent nothing; None: it still may be
        """
        try:
            data = self._received()
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return None
        except ssl.SSLError as failure:
            why = failure.reason or "no TLS"
            return f"a peer was refused, {why}: still listening"
        except OSError:
            data = b""
        self.said += data
        if not data:
            return self.lack()
        if self._expected:
            # A part of a token is not compared: the answer would show how much of it
            # was right.
            length = len(self._expected)
            if len(self.said) < length:
                return None
            if not hmac.compare_digest(bytes(self.said[:length]), self._expected):
                return NO_TOKEN
            del self.said[:length]
            self._expected = b""
        return None if self._may_be_a_trace() else NO_TRACE

    @property
    def has_shown(self) -> bool:
        """Whether it has sent the token, or, if none is required, any bytes."""
        return not self._expected if self._needs_token else bool(self.said)

    def lack(self) -> str:
        """Return why it is not the agent if nothing more comes; "": it sent nothing."""
        if self._expected:
            return NO_TOKEN if self.said else ""
        if self.said:
            return NO_TRACE
        return TOKEN_ALONE if self._needs_token else ""

    def _received(self) -> bytes:
        data = self.connection.recv(CHUNK_BYTES)
        if isinstance(self.connection, ssl.SSLSocket):
            # The selector does not see bytes that TLS has already decrypted.
            while data and self.connection.pending():
                data += self.connection.recv(self.connection.pending())
        return data

    def _may_be_a_trace(self) -> bool:
        if not self.said.startswith(MAGIC[: len(self.said)]):
            return False
        if len(self.said) < HEADER_BYTES:
            return True
        file_header = self.said[:FILE_HEADER_BYTES]
        header = self.said[FILE_HEADER_BYTES:][:BLOCK_HEADER_BYTES]
        return (
            is_checked(file_header)
            and is_checked(header)
            and header.startswith(BLOCK_MAGIC)
            and self._packed_bytes() <= MOST_PACKED_BYTES
        )

    def _packed_bytes(self) -> int:
        at = FILE_HEADER_BYTES + 4
        return int.from_bytes(self.said[at : at + 4], "little")

    def has_begun(self) -> bool:
        """Whether its first block is complete."""
        if self._expected or len(self.said) < HEADER_BYTES:
            return False
        return len(self.said) >= HEADER_BYTES + self._packed_bytes()

    def is_whole(self) -> bool:
        """Whether its first block can be read and describes a run."""
        try:
            with tempfile.NamedTemporaryFile(suffix=".tmt") as file:
                file.write(self.said[: HEADER_BYTES + self._packed_bytes()])
                file.flush()
                model = Live(file.name).update()
        except ThreadmodelError:
            return False
        except OSError as failure:
            # This peer may connect again; the others stay.
            say(f"a peer is sent away: no temporary file: {failure.strerror}")
            return False
        self.run = run = model.run
        return bool(model.event_count or run.producer or run.vm or run.pid)


def is_checked(header: bytes | bytearray) -> bool:
    """Whether a header ends with the checksum of its other bytes."""
    checksum = int.from_bytes(header[-4:], "little")
    return zlib.crc32(header[:-4]) == checksum


def _is_ours(connection: socket.socket) -> bool:
    """Whether a peer on a Unix socket is of our user, or root."""
    if connection.family != socket.AF_UNIX:
        return True
    form = "3i"
    facts = connection.getsockopt(
        socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize(form)
    )
    user: int = struct.unpack(form, facts)[1]
    return user in (os.geteuid(), 0)


class Peers:
    """The connections that may still be the agent."""

    def __init__(
        self,
        listener: socket.socket,
        token: bytes | None,
        tls: ssl.SSLContext | None = None,
        most: int = MOST_PEERS,
    ) -> None:
        """Accept at ``listener``, which the caller owns, ``most`` peers at a time."""
        self._listener = listener
        self._most = most
        self._token = token
        self._tls = tls
        self._selector = selectors.DefaultSelector()
        self._peers: list[Peer] = []
        self._is_out_of_room = False
        listener.setblocking(False)
        self._selector.register(listener, selectors.EVENT_READ)

    def wait(self) -> Peer:
        """Wait for a peer with a complete first block, and disconnect the others."""
        try:
            return self.next()
        finally:
            self.close()

    def next(self) -> Peer:
        """Wait for a peer with a complete first block; the others may be agents too."""
        while True:
            ready = self._selector.select(self._patience())
            # The listener comes last: which peer makes room for a new one depends on
            # the bytes that the others have sent.
            for key, _ in sorted(ready, key=lambda one: one[0].data is None):
                if key.fileobj is self._listener:
                    self._accept()
                else:
                    peer: Peer = key.data
                    if self._hear(peer):
                        self._forget(peer)
                        return peer
            for late in list(self._peers):
                if time.monotonic() > late.deadline:
                    self._send_away(late, late.lack())

    def close(self) -> None:
        """Disconnect all peers."""
        for other in list(self._peers):
            self._send_away(other, "")
        self._selector.close()

    def _patience(self) -> float | None:
        if not self._peers:
            return None
        return max(self._peers[0].deadline - time.monotonic(), 0.0) + 0.01

    def _accept(self) -> None:
        try:
            connection, address = self._listener.accept()
        except OSError as failure:
            if failure.errno in NO_ROOM:
                self._pause(failure)
            return
        self._is_out_of_room = False
        if not _is_ours(connection):
            connection.close()
            say("refused a connection from another user: still listening")
            return
        host = str(address[0]) if isinstance(address, tuple) else ""
        if len(self._peers) >= self._most and not self._make_room(host):
            connection.close()
            return
        connection.setblocking(False)
        if self._tls is not None:
            try:
                connection = self._tls.wrap_socket(
                    connection, server_side=True, do_handshake_on_connect=False
                )
            except OSError:
                connection.close()
                return
        peer = Peer(connection, self._token, host)
        self._peers.append(peer)
        self._selector.register(connection, selectors.EVENT_READ, peer)

    def _pause(self, failure: OSError) -> None:
        """Pause, as a connection that cannot be accepted stays ready."""
        if not self._is_out_of_room:
            say(f"no connection is accepted: {failure.strerror}")
        self._is_out_of_room = True
        time.sleep(PAUSE_S)

    def _make_room(self, host: str) -> bool:
        """Disconnect a peer to make room for a new one of a host.

        A peer that has shown a token or a certificate stays. Of the others, it is one
        of the host with the most, so that no host takes the room of another; and there
        the oldest one that has sent nothing.
        """
        others = self._peers
        if self._token is not None or self._tls is not None:
            others = [peer for peer in others if not peer.has_shown]
        if not others:
            return False
        hosts = Counter(peer.host for peer in others)
        hosts[host] += 1
        most = max(hosts[peer.host] for peer in others)
        chosen = [peer for peer in others if hosts[peer.host] == most]
        self._send_away(min(chosen, key=lambda peer: peer.has_shown), "")
        return True

    def _hear(self, peer: Peer) -> bool:
        if peer not in self._peers:
            return False
        why_not = peer.hear()
        if why_not is None and peer.has_begun():
            if peer.is_whole():
                return True
            why_not = NO_TRACE
        if why_not is not None:
            self._send_away(peer, why_not)
        return False

    def _forget(self, peer: Peer) -> None:
        self._peers.remove(peer)
        self._selector.unregister(peer.connection)
        peer.connection.setblocking(True)

    def _send_away(self, peer: Peer, why: str) -> None:
        self._forget(peer)
        with contextlib.suppress(OSError):
            peer.connection.close()
        if why:
            say(why)
