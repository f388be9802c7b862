# SPDX-License-Identifier: Apache-2.0
"""A collector, and one beside the agent, that authenticate by certificates."""

import contextlib
import signal
import socket
import ssl
import subprocess
from pathlib import Path

import pytest

from collected import files, until
from conftest import Cli, one_line
from test_collector import collecting
from test_listen import connect, first_block_end
from threadmodel.cli import secured


def openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(
        ["openssl", *arguments], cwd=folder, check=True, capture_output=True, timeout=60
    )


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An authority, its collector and host, and a stranger of another authority."""
    folder = tmp_path_factory.mktemp("keys")
    new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    for name in ("ca", "other"):
        openssl(
            *(folder, "req", "-x509", *new_key, "-days", "2", "-subj", f"/CN={name}"),
            *("-keyout", f"{name}.key", "-out", f"{name}.pem"),
        )
    for name, authority in (
        ("localhost", "ca"),
        ("shop-1", "ca"),
        ("stranger", "other"),
    ):
        openssl(
            *(folder, "req", *new_key, "-subj", f"/CN={name}"),
            *("-keyout", f"{name}.key", "-out", f"{name}.csr"),
            *("-addext", f"subjectAltName=DNS:{name},IP:127.0.0.1"),
        )
        openssl(
            *(folder, "x509", "-req", "-in", f"{name}.csr", "-days", "2"),
            *("-CA", f"{authority}.pem", "-CAkey", f"{authority}.key"),
            *("-CAcreateserial", "-copy_extensions", "copy", "-out", f"{name}.pem"),
        )
    for key in folder.glob("*.key"):
        key.chmod(0o600)
    return folder


def tls_options(keys: Path, name: str) -> list[str]:
    return [
        *("--tls-cert", str(keys / f"{name}.pem")),
        *("--tls-key", str(keys / f"{name}.key"), "--tls-ca", str(keys / "ca.pem")),
    ]


def test_by_tls_only_those_with_a_certificate_send(
    keys: Path, trace: Path, tmp_path: Path
) -> None:
    whole = trace.read_bytes()
    options = ("--folder", "runs", *tls_options(keys, "localhost"))
    with collecting("127.0.0.1:0", *options, folder=tmp_path) as (process, at):
        host, _, port = at.rpartition(":")

        def send(name: str | None) -> None:
            context = ssl.create_default_context(cafile=str(keys / "ca.pem"))
            if name:
                context.load_cert_chain(keys / f"{name}.pem", keys / f"{name}.key")
            with (
                socket.create_connection((host, int(port))) as plain,
                context.wrap_socket(plain, server_hostname="localhost") as peer,
            ):
                peer.sendall(whole)
                if name != "shop-1":
                    peer.settimeout(30)
                    peer.recv(1)

        for wrong in (None, "stranger"):
            with pytest.raises(OSError, match=r"(?i)alert|reset|broken|EOF"):
                send(wrong)
        with connect(at) as plain:
            plain.sendall(whole)
            plain.settimeout(30)
            # An alert of TLS, and the end.
            with contextlib.suppress(ConnectionError):
                assert len(plain.recv(100)) < 20
        send("shop-1")
        (found,) = until(lambda: files(tmp_path / "runs"))
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=60)
    assert stderr.count("a peer was refused") == 3, stderr
    assert found.parent.name == "shop-1"
    assert found.read_bytes() == whole


def test_a_collector_beside_the_agent_passes_on_by_tls(
    keys: Path, trace: Path, tmp_path: Path
) -> None:
    whole = trace.read_bytes()
    options = ("--folder", "runs", *tls_options(keys, "localhost"))
    with collecting("127.0.0.1:0", *options, folder=tmp_path) as (_, collector):
        port = collector.rpartition(":")[2]
        passing = ("--forward", f"localhost:{port}", *tls_options(keys, "shop-1"))
        with collecting("unix:here", *passing, folder=tmp_path) as (beside, _):
            for _ in range(2):
                with connect(f"unix:{tmp_path / 'here'}") as peer:
                    peer.sendall(whole)
            until(lambda: len(files(tmp_path / "runs")) == 2)
            beside.send_signal(signal.SIGTERM)
            beside.communicate(timeout=60)
    assert {path.parent.name for path in files(tmp_path / "runs")} == {"shop-1"}
    assert {path.read_bytes() for path in files(tmp_path / "runs")} == {whole}


def test_a_certificate_that_is_refused_after_the_handshake_is_reported(
    keys: Path, trace: Path, tmp_path: Path
) -> None:
    """In TLS 1.3 the client's handshake ends before the collector has decided."""
    options = ("--folder", "runs", *tls_options(keys, "localhost"))
    with collecting("127.0.0.1:0", *options, folder=tmp_path) as (_, collector):
        port = collector.rpartition(":")[2]
        passing = ("--forward", f"localhost:{port}", *tls_options(keys, "stranger"))
        with (
            collecting("unix:here", *passing, folder=tmp_path) as (beside, _),
            connect(f"unix:{tmp_path / 'here'}") as peer,
        ):
            # The rest does not arrive: the agent has no events for a long time.
            peer.sendall(trace.read_bytes()[: first_block_end(trace.read_bytes())])
            assert beside.stderr is not None
            said = beside.stderr.readline()
            assert "an agent was closed" in said
            assert "TLS" in said or "closed the connection" in said or "reset" in said
            peer.settimeout(30)
            with contextlib.suppress(ConnectionError):
                assert peer.recv(1) == b""


def test_keys_that_are_missing_wrong_or_others_to_read_are_refused(
    cli: Cli, keys: Path, tmp_path: Path
) -> None:
    collect = ("collect", "127.0.0.1:0", "--folder", str(tmp_path / "runs"))
    done = cli(*collect, "--tls-cert", keys / "ca.pem")
    assert done.returncode == 2
    assert "TLS needs" in one_line(done.stderr)
    done = cli(*collect, *tls_options(keys, "none"))
    assert done.returncode == 2
    assert "none.key" in one_line(done.stderr)
    mixed = tls_options(keys, "localhost")
    mixed[1] = str(keys / "shop-1.pem")
    done = cli(*collect, *mixed)
    assert done.returncode == 2
    assert "MISMATCH" in one_line(done.stderr)
    readable = tmp_path / "readable.key"
    readable.write_bytes((keys / "localhost.key").read_bytes())
    readable.chmod(0o644)
    mixed = tls_options(keys, "localhost")
    mixed[3] = str(readable)
    done = cli(*collect, *mixed)
    assert done.returncode == 2
    assert "chmod 600" in one_line(done.stderr)
    assert secured.context(None, None, None, is_server=True) is None
