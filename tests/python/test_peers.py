# SPDX-License-Identifier: Apache-2.0
"""Bytes that peers send to a listener: any content, in pieces of any size."""

import contextlib
import functools
import random
import socket
import tempfile
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

import listener as fuzzed
import runs
import threadmodel
from campaign import campaign
from listener import ACCEPTED, TOKEN, WORD, verdict
from threadmodel.cli.peers import (
    BLOCK_HEADER_BYTES,
    FILE_HEADER_BYTES,
    HEADER_BYTES,
    MOST_PACKED_BYTES,
    MOST_PEERS,
    NO_TOKEN,
    Peer,
    Peers,
)

STORED = Path(__file__).parents[1] / "fuzz/corpus/listener"


@functools.cache
def a_trace() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.tmt"
        with threadmodel.Writer(path) as writer:
            runs.fill(writer)
        return path.read_bytes()


def first_block_end(trace: bytes) -> int:
    at = FILE_HEADER_BYTES + 4
    return HEADER_BYTES + int.from_bytes(trace[at : at + 4], "little")


def with_length(trace: bytes, packed_bytes: int) -> bytes:
    """A trace whose first block claims another length, behind a right checksum."""
    header = bytearray(trace[FILE_HEADER_BYTES:HEADER_BYTES])
    header[4:8] = packed_bytes.to_bytes(4, "little")
    header[-4:] = zlib.crc32(header[:-4]).to_bytes(4, "little")
    assert len(header) == BLOCK_HEADER_BYTES
    return trace[:FILE_HEADER_BYTES] + bytes(header) + trace[HEADER_BYTES:]


def spoilt(chance: random.Random) -> bytes:
    """A trace whose first block is not what was written."""
    trace = a_trace()
    end = first_block_end(trace)
    what = chance.randrange(5)
    if what == 0:
        return chance.randbytes(chance.randrange(400))
    if what == 1:
        return trace[: chance.randrange(end)]
    if what == 2:
        claimed = chance.choice((0, 1, end, MOST_PACKED_BYTES + 1, 2**32 - 1))
        return with_length(trace, claimed)
    changed = bytearray(trace)
    if what == 3:
        at = chance.randrange(end)
        changed[at] ^= 1 << chance.randrange(8)
    else:
        at = chance.randrange(HEADER_BYTES)
        changed[at:at] = chance.randbytes(1 + chance.randrange(8))
    return bytes(changed)


def pieces(data: bytes, chance: random.Random) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        size = chance.choice((1, 3, 50, 1000, len(data)))
        yield data[at : at + size]
        at += size


@pytest.mark.filterwarnings("ignore::threadmodel.DamagedTraceWarning")
@pytest.mark.parametrize("path", sorted(STORED.iterdir()), ids=lambda path: path.name)
def test_what_a_fuzzer_decides(path: Path) -> None:
    fuzzed.check(path.read_bytes())


@campaign(150, 5000)
def test_a_whole_trace_is_accepted_in_pieces_of_any_size(seed: int) -> None:
    chance = random.Random(seed)
    assert verdict(pieces(a_trace(), chance), None) == ACCEPTED
    assert verdict(pieces(WORD + a_trace(), chance), TOKEN) == ACCEPTED


@campaign(300, 10000)
def test_what_is_no_trace_is_refused_however_it_comes(seed: int) -> None:
    chance = random.Random(seed)
    data = spoilt(chance)
    assert verdict([data] if data else [], None) != ACCEPTED
    assert verdict(pieces(data, chance), None) != ACCEPTED


@campaign(150, 5000)
def test_without_the_token_nothing_is_accepted(seed: int) -> None:
    chance = random.Random(seed)
    wrong = bytearray(WORD)
    at = chance.randrange(len(wrong))
    if chance.random() < 0.5:
        wrong[at] ^= 1 + chance.randrange(255)
    else:
        del wrong[at]
    data = bytes(wrong) + a_trace()
    assert "token" in verdict(pieces(data, chance), TOKEN)
    assert "token" in verdict(pieces(a_trace(), chance), TOKEN)


def test_a_part_of_the_token_has_the_same_answer_right_or_wrong() -> None:
    parts = [WORD[:end] for end in range(1, len(WORD))]
    wrong = [part[:-1] + bytes([part[-1] ^ 1]) for part in parts]
    for said in (*wrong, *parts, b"\0" * (len(WORD) - 1)):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.setblocking(False)
            peer = Peer(ours, TOKEN)
            for at in range(len(said)):
                theirs.sendall(said[at : at + 1])
                assert peer.hear() is None
            assert not peer.has_begun()
            late = peer.lack()
            theirs.shutdown(socket.SHUT_WR)
            assert peer.hear() == late == NO_TOKEN


@campaign(20, 300)
def test_the_agent_is_found_among_strangers(seed: int) -> None:
    chance = random.Random(seed)
    with (
        tempfile.TemporaryDirectory() as folder,
        socket.socket(socket.AF_UNIX) as listener,
    ):
        path = f"{folder}/socket"
        listener.bind(path)
        listener.listen(16)
        senders = [spoilt(chance) for _ in range(chance.randrange(10))]
        senders.insert(chance.randrange(len(senders) + 1), a_trace())
        connected = []
        for data in senders:
            sender = socket.socket(socket.AF_UNIX)
            connected.append(sender)
            sender.connect(path)
            sender.sendall(data)
        found = Peers(listener, None).wait()
        assert bytes(found.said) == a_trace()
        found.connection.close()
        for sender in connected:
            sender.close()


def is_closed(sender: socket.socket) -> bool:
    """Return whether the other side disconnects within five seconds."""
    sender.settimeout(5)
    try:
        return sender.recv(1) == b""
    except TimeoutError:
        return False
    except ConnectionError:
        return True


@pytest.mark.parametrize(
    ("token", "first", "host"),
    [
        (TOKEN, WORD, "127.0.0.1"),
        (None, b"\xb1TMT", "127.0.0.1"),
        (TOKEN, b"", "127.0.0.2"),
        (None, b"", "127.0.0.2"),
    ],
    ids=["token", "begin of a trace", "other host", "other host, no token"],
)
def test_an_agent_stays_among_many_strangers(
    token: bytes | None, first: bytes, host: str
) -> None:
    whole = (WORD if token else b"") + a_trace()
    found: list[Peer] = []
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        at = listener.getsockname()
        agent = stack.enter_context(
            socket.create_connection(at, source_address=(host, 0))
        )
        agent.sendall(first)
        peers = Peers(listener, token)
        waiter = threading.Thread(
            target=lambda: found.append(peers.wait()), daemon=True
        )
        waiter.start()
        strangers = [
            stack.enter_context(socket.create_connection(at))
            for _ in range(2 * MOST_PEERS)
        ]
        # All have been accepted, so this many were disconnected.
        for stranger in strangers[: MOST_PEERS + 1]:
            assert is_closed(stranger)
        agent.sendall(whole[len(first) :])
        waiter.join(10)
        assert [bytes(peer.said) for peer in found] == [a_trace()]
        found[0].connection.close()


def test_who_has_shown_the_token_makes_no_room_for_who_has_not() -> None:
    found: list[Peer] = []
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        at = listener.getsockname()
        agents = [stack.enter_context(socket.create_connection(at)) for _ in range(2)]
        for agent in agents:
            agent.sendall(WORD)
        peers = Peers(listener, TOKEN, most=2)
        waiter = threading.Thread(
            target=lambda: found.append(peers.wait()), daemon=True
        )
        waiter.start()
        with socket.create_connection(at) as stranger:
            assert is_closed(stranger)
        agents[0].sendall(a_trace())
        waiter.join(10)
        assert [bytes(peer.said) for peer in found] == [a_trace()]
        found[0].connection.close()
