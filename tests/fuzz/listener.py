# SPDX-License-Identifier: Apache-2.0
"""What peers send to a listener, decided by bytes, and who of them is the agent.

The first byte says whether a token is asked for. Each after it is an action: its low
three bits say which, the others how much. A peer alone must be taken or refused as a
reading of all that it sent says, however it came in pieces; of several, among them the
agent, the one that is found must be one that such a reading takes.
"""

import contextlib
import functools
import os
import socket
import tempfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import threadmodel
from threadmodel.cli.peers import (
    BLOCK_HEADER_BYTES,
    BLOCK_MAGIC,
    CHUNK_BYTES,
    FILE_HEADER_BYTES,
    HEADER_BYTES,
    MAGIC,
    MOST_PACKED_BYTES,
    NO_TOKEN,
    NO_TRACE,
    TOKEN_ALONE,
    Peer,
    Peers,
)

TOKEN: Final = b"a-word-of-sixteen"
WORD: Final = b"threadmodel " + TOKEN + b"\n"
ACCEPTED: Final = "accepted"
MOST_PEERS: Final = 5
# Sockets keep that much before anybody reads it.
MOST_SENT_BYTES: Final = 1 << 16


@functools.cache
def a_trace(pid: int = 1) -> bytes:
    """Return a small trace, of a process of that number."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.tmt"
        with threadmodel.Writer(path) as writer:
            writer.define_run(threadmodel.Run(producer="agent", pid=pid))
        return path.read_bytes()


def checked(header: bytes, size: int) -> bytes:
    """Return a header of this size: zeros for what is missing, and its checksum."""
    whole = header[: size - 4].ljust(size - 4, b"\0")
    return whole + zlib.crc32(whole).to_bytes(4, "little")


def scripts(data: bytes) -> list[list[bytes]]:
    """Return what each peer sends, in pieces."""
    peers: list[list[bytes]] = [[]]
    at = from_trace = 0

    def taken(count: int) -> bytes:
        nonlocal at
        at += count
        return data[at - count : at]

    while at < len(data):
        action = taken(1)[0]
        what, much = action & 7, action >> 3
        pieces = peers[-1]
        if what == 0:
            pieces.append(taken(1 + much))
        elif what == 1:
            pieces.append(WORD[: 1 + much] if much < 31 else WORD)
        elif what in (2, 3):
            count = 1 << (much % 16)
            pieces.append(a_trace()[from_trace:][:count])
            from_trace = 0 if what == 3 else from_trace + count
        elif what == 4:
            pieces.append(checked(MAGIC[:much] + taken(much % 12), FILE_HEADER_BYTES))
        elif what == 5:
            start = BLOCK_MAGIC[: much % 5]
            pieces.append(checked(start + taken(much), BLOCK_HEADER_BYTES))
        elif what == 6 and pieces and pieces[-1]:
            last = bytearray(pieces[-1])
            last[much % len(last)] ^= 1 << (much % 8)
            pieces[-1] = bytes(last)
        elif what == 7 and len(peers) < MOST_PEERS:
            peers.append([])
            from_trace = 0
    return [[piece for piece in pieces if piece] for pieces in peers]


def is_a_trace(sent: bytes) -> bool:
    """Whether it begins with a block that is whole and of a run, read from a file."""
    header = sent[FILE_HEADER_BYTES:HEADER_BYTES]
    packed_bytes = int.from_bytes(header[4:8], "little")
    end = HEADER_BYTES + packed_bytes
    if (
        sent[:FILE_HEADER_BYTES] != checked(sent, FILE_HEADER_BYTES)
        or not sent.startswith(MAGIC)
        or header != checked(header, BLOCK_HEADER_BYTES)
        or not header.startswith(BLOCK_MAGIC)
        or packed_bytes > MOST_PACKED_BYTES
        or len(sent) < end
    ):
        return False
    with tempfile.NamedTemporaryFile(suffix=".tmt") as file:
        file.write(sent[:end])
        file.flush()
        try:
            model = threadmodel.open(file.name)
        except threadmodel.ThreadmodelError:
            return False
    run = model.run
    return bool(model.event_count or run.producer or run.vm or run.pid)


def expected(sent: bytes, token: bytes | None) -> str:
    """Return the verdict on a peer that sent this, and then went."""
    if not sent:
        return ""
    if token is not None:
        if not sent.startswith(WORD):
            return NO_TOKEN
        sent = sent[len(WORD) :]
        if not sent:
            return TOKEN_ALONE
    return ACCEPTED if is_a_trace(sent) else NO_TRACE


def verdict(pieces: Iterable[bytes], token: bytes | None) -> str:
    """Return what the listener makes of a peer that sends these, and then goes."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        peer = Peer(ours, token)
        for piece in pieces:
            theirs.sendall(piece)
            why_not = peer.hear()
            assert len(peer.said) <= HEADER_BYTES + MOST_PACKED_BYTES + CHUNK_BYTES
            if why_not is None and peer.has_begun():
                return ACCEPTED if peer.is_whole() else NO_TRACE
            if why_not is not None:
                return why_not
        theirs.shutdown(socket.SHUT_WR)
        why_not = peer.hear()
        assert why_not is not None
        return why_not


def found_among(peers: list[bytes], token: bytes | None) -> bytes:
    """Return what the peer sent, behind its token, that a listener takes."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        listener = stack.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind(f"{folder}/socket")
        listener.listen(MOST_PEERS + 1)
        for sent in peers:
            sender = stack.enter_context(socket.socket(socket.AF_UNIX))
            sender.connect(f"{folder}/socket")
            sender.sendall(sent)
        found = Peers(listener, token).wait()
        found.connection.close()
        return bytes(found.said)


def check(data: bytes) -> None:
    """Let a listener hear what these bytes decide."""
    token = TOKEN if data[:1] and data[0] & 1 else None
    word = WORD if token else b""
    peers = scripts(data[1:])
    everything = [b"".join(pieces)[:MOST_SENT_BYTES] for pieces in peers]
    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stderr(nowhere):
        if len(peers) == 1:
            assert verdict(peers[0], token) == expected(b"".join(peers[0]), token)
            return
        # The agent's is another than what strangers send.
        everything.append(word + a_trace(2))
        found = found_among(everything, token)
        takable = [sent for sent in everything if expected(sent, token) == ACCEPTED]
        assert any(sent.startswith(word + found) for sent in takable)
