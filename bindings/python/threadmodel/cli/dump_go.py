# SPDX-License-Identifier: Apache-2.0
"""Goroutines of a running Go program, as its own pprof endpoint prints them.

The kernel shows the threads of a Go program, but not what its goroutines wait for. Only
the program itself does, if it serves net/http/pprof.
"""

import mmap
import time
import urllib.parse
import urllib.request
from datetime import datetime
from typing import Final

from threadmodel.errors import AttachError

PATH: Final = "/debug/pprof/goroutine"
# The dump of a hundred thousand goroutines has some 100 MB.
_MOST_BYTES: Final = 1 << 29
_PATIENCE_S: Final = 20.0
# The head of the build information, which every program linked by Go has.
_MARK: Final = b"\xff Go buildinf:"
_MOST_OF_A_PROGRAM: Final = 1 << 28


def is_url(text: str) -> bool:
    """Return whether a target is the URL of an endpoint."""
    return text.startswith(("http://", "https://"))


def endpoint(url: str) -> str:
    """Return the URL of the goroutines for that of a host or of the endpoint."""
    parts = urllib.parse.urlsplit(url)
    path = parts.path.rstrip("/")
    if path in ("", "/debug/pprof"):
        path = PATH
    query = parts.query or "debug=2"
    return urllib.parse.urlunsplit((parts.scheme, parts.netloc, path, query, ""))


def fetch(url: str) -> str:
    """Return the goroutines of a program as text, after a line with the time.

    Args:
        url: as ``endpoint`` returns it

    Raises:
        AttachError: there is no answer, or it is not a dump of goroutines
    """
    # The proxy of the environment is not used: the program is usually local.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=_PATIENCE_S) as answer:
            kind = answer.headers.get_content_type()
            data: bytes = answer.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as failure:
        reason = getattr(failure, "reason", None) or failure
        reason = getattr(reason, "strerror", None) or reason
        raise AttachError(f"{url}: {reason}") from None
    if len(data) > _MOST_BYTES:
        raise AttachError(f"{url}: more than {_MOST_BYTES >> 20} MiB of goroutines")
    if not data.startswith(b"goroutine "):
        raise AttachError(
            f"{url}: the answer is {kind}, not the goroutines of a Go program; give "
            "the address at which it serves net/http/pprof"
        )
    when = datetime.now().strftime("%Y-%m-%d %H:%M:%S")
    return f"{when}\n{data.decode('utf-8', 'surrogateescape')}"


def dump(url: str, times: int, every_s: float) -> str:
    """Return `times` dumps, one after another."""
    texts = [fetch(url)]
    for _ in range(times - 1):
        time.sleep(every_s)
        texts.append(fetch(url))
    return "\n".join(texts)


def is_go(pid: int) -> bool:
    """Return whether a process runs a program of Go; False: unknown, too."""
    try:
        with (
            open(f"/proc/{pid}/exe", "rb") as program,
            mmap.mmap(program.fileno(), 0, access=mmap.ACCESS_READ) as content,
        ):
            return content.find(_MARK, 0, _MOST_OF_A_PROGRAM) >= 0
    except (OSError, ValueError):
        return False
