# SPDX-License-Identifier: Apache-2.0
"""TLS with certificates on both sides."""

import os
import ssl

import click


def context(
    certificate: str | None, key: str | None, authority: str | None, *, is_server: bool
) -> ssl.SSLContext | None:
    """Return what a listener or a client needs; None: no file is named, no TLS.

    Raises:
        click.UsageError: one is missing or wrong, or others can read the key
    """
    if not (certificate or key or authority):
        return None
    if not (certificate and key and authority):
        raise click.UsageError("TLS needs --tls-cert, --tls-key and --tls-ca")
    try:
        # A group may read it, as with credentials of systemd, and in Debian.
        if os.stat(key).st_mode & 0o027:
            raise click.UsageError(f"{key} can be read by others: chmod 600 it")
        made = ssl.SSLContext(
            ssl.PROTOCOL_TLS_SERVER if is_server else ssl.PROTOCOL_TLS_CLIENT
        )
        made.minimum_version = ssl.TLSVersion.TLSv1_2
        # A key with a password would ask for it, and nobody would answer.
        made.load_cert_chain(certificate, key, password="")
        made.load_verify_locations(authority)
    except ssl.SSLError as failure:
        why = failure.reason or str(failure)
        files = f"{certificate}, {key}, {authority}"
        raise click.UsageError(f"TLS: {why} in one of {files}") from None
    except OSError as failure:
        raise click.UsageError(f"TLS: {failure}") from None
    made.verify_mode = ssl.CERT_REQUIRED
    return made
