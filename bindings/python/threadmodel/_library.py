# SPDX-License-Identifier: Apache-2.0
"""The C library, loaded and checked, and how its values become Python's."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, cast

from threadmodel import errors
from threadmodel._core import ffi as ffi
from threadmodel._core import lib as lib

if TYPE_CHECKING:
    from threadmodel._core import CData, Chars, Null

BUILT_VERSION: Final[int] = (
    lib.TM_VERSION_MAJOR * 10000 + lib.TM_VERSION_MINOR * 100 + lib.TM_VERSION_PATCH
)

_EXCEPTIONS: Final[dict[int, type[errors.ThreadmodelError]]] = {
    lib.TM_ENOMEM: errors.OutOfMemoryError,
    lib.TM_EINVAL: errors.InvalidArgumentError,
    lib.TM_EIO: errors.InputOutputError,
    lib.TM_EFORMAT: errors.FormatError,
    lib.TM_EDAMAGED: errors.DamagedError,
    lib.TM_EVERSION: errors.NewerVersionError,
    lib.TM_ENOTFOUND: errors.NotFoundError,
    lib.TM_ELIMIT: errors.LimitError,
    lib.TM_EUNSUPPORTED: errors.UnsupportedError,
    lib.TM_ESTOPPED: errors.StoppedError,
}


def version_text(number: int) -> str:
    """Write a release number as people do: 102 is ``0.1.2``."""
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


def check_version(built: int, loaded: int) -> None:
    """Raise VersionMismatchError unless both are the same major and minor release."""
    if built // 100 != loaded // 100:
        raise errors.VersionMismatchError(
            f"threadmodel was built for libthreadmodel {version_text(built)} "
            f"and loaded {version_text(loaded)}"
        )


check_version(BUILT_VERSION, lib.tm_version())


def text(pointer: "Chars | Null") -> str | None:
    """Copy a C string; what is not UTF-8 becomes U+FFFD, NULL becomes None."""
    if pointer == ffi.NULL:
        return None
    return bytes(ffi.string(pointer)).decode("utf-8", "replace")


def path_bytes(path: str | os.PathLike[str]) -> bytes:
    """Encode a path as the operating system has it.

    Raises:
        InvalidArgumentError: it holds a zero byte, at which C would cut it
    """
    name = os.fsencode(path)
    if b"\0" in name:
        raise errors.InvalidArgumentError(f"a path has no zero byte: {name!r:.200}")
    return name


def error(code: int) -> errors.ThreadmodelError:
    """Make the exception for the calling thread's last failed call."""
    kind = _EXCEPTIONS.get(code, errors.ThreadmodelError)
    return kind(text(lib.tm_error_text()) or text(lib.tm_error_name(code)))


def check(code: int) -> int:
    """Pass a return code on, or raise what a negative one means."""
    if code < 0:
        raise error(code)
    return code


def options(ctype: str, **fields: Any) -> Any:
    """Make a struct whose first field is its size, others zero or as given."""
    struct: Any = ffi.new(f"{ctype} *", fields)
    struct.size = ffi.sizeof(ctype)
    return struct


class WriteTarget:
    """Takes the bytes that a C writer gives out.

    Any exception of ``write`` ends the writing and is raised by :meth:`run` again.
    """

    def __init__(self, write: Callable[[bytes], object]) -> None:
        """Pass all bytes on to ``write``."""
        self.write = write
        self.failure: BaseException | None = None
        self.handle = ffi.new_handle(self)

    def run(self, writer: Callable[[Any, Any], int]) -> None:
        """Call ``writer(function, payload)`` and raise what went wrong in it."""
        code = writer(lib.threadmodel_write, self.handle)
        if self.failure is not None:
            raise self.failure
        check(code)


def _keep_failure(_kind: Any, failure: BaseException, traceback: Any) -> None:
    """Have :meth:`WriteTarget.run` raise it: Ctrl-C may come at any step of a call."""
    payload = traceback.tb_frame.f_locals.get("payload") if traceback else None
    if payload is None:
        raise failure
    cast(WriteTarget, ffi.from_handle(payload)).failure = failure


@ffi.def_extern(error=lib.TM_ESTOPPED, onerror=_keep_failure)
def threadmodel_write(payload: "CData", data: "Chars", count: int) -> int:
    """Hand bytes from C to the WriteTarget behind ``payload``."""
    cast(WriteTarget, ffi.from_handle(payload)).write(ffi.buffer(data, count)[:])
    return lib.TM_OK
