# SPDX-License-Identifier: Apache-2.0
"""A listener beside the agents that forwards their traces by TLS.

The agent depends only on libc. So it connects to a socket of its own machine, and a
separate process has the keys. Nothing is stored: if the collector is gone or slow, so
is this listener for the agent, which then writes only to its file or drops events.
"""

import contextlib
import select
import socket
import ssl
import threading
from typing import Final

from threadmodel.cli.messages import say
from threadmodel.cli.peers import CHUNK_BYTES, Peer, Peers

CONNECT_S: Final = 10.0


class Forwarder:
    """Connects to the collector once for each agent."""

    def __init__(
        self,
        name: str,
        target: tuple[str, int],
        tls: ssl.SSLContext | None,
        agents: int,
    ) -> None:
        """Keep the address; nothing is connected yet."""
        self._name = name
        self._host = name.rpartition(":")[0].strip("[]") or target[0]
        self._target = target
        self._tls = tls
        self._room = threading.Semaphore(agents)

    def run(self, peers: Peers) -> None:
        """Forward the traces of agents until an interrupt."""
        try:
            while True:
                peer = peers.next()
                if not self._room.acquire(blocking=False):
                    say("an agent was sent away: there are too many")
                    peer.connection.close()
                    continue
                threading.Thread(
                    target=self._pass_on, args=(peer,), daemon=True
                ).start()
        finally:
            peers.close()

    def _pass_on(self, peer: Peer) -> None:
        try:
            with peer.connection as agent, self._connected() as collector:
                data: bytes | bytearray = peer.said
                while data:
                    collector.sendall(data)
                    data = self._next(agent, collector)
                if isinstance(collector, ssl.SSLSocket):
                    # Otherwise an end would look like a lost connection.
                    with contextlib.suppress(OSError):
                        collector.unwrap()
        except OSError as failure:
            say(f"{self._name}: {_reason(failure)}: an agent was closed")
        finally:
            self._room.release()

    def _next(self, agent: socket.socket, collector: socket.socket) -> bytes:
        """Wait for data of the agent; b"": it has ended.

        A collector sends no data. It may close the connection, or refuse: in TLS 1.3 a
        certificate is refused after the handshake.

        Raises:
            OSError: the collector has closed the connection, with its reason
        """
        while True:
            readable, _, _ = select.select([agent, collector], [], [])
            if collector in readable:
                _check_open(collector)
            if agent in readable:
                return agent.recv(CHUNK_BYTES)

    def _connected(self) -> socket.socket:
        plain = socket.create_connection(self._target, timeout=CONNECT_S)
        if self._tls is None:
            plain.settimeout(None)
            return plain
        try:
            made = self._tls.wrap_socket(plain, server_hostname=self._host)
        except OSError:
            plain.close()
            raise
        made.settimeout(None)
        return made


def _check_open(collector: socket.socket) -> None:
    """Discard data of the collector, such as TLS tickets, without waiting for more."""
    collector.setblocking(False)
    try:
        if not collector.recv(CHUNK_BYTES):
            raise ConnectionResetError("the collector closed the connection")
    except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
        pass
    finally:
        collector.setblocking(True)


def _reason(failure: OSError) -> str:
    if isinstance(failure, ssl.SSLEOFError):
        return "the collector closed the connection"
    if isinstance(failure, ssl.SSLError) and failure.reason:
        return f"TLS: {failure.reason.replace('_', ' ').lower()}"
    return failure.strerror or str(failure)
