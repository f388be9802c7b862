# SPDX-License-Identifier: Apache-2.0
"""The C library, loaded and checked, and conversions of its values."""

import functools
import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, cast

from threadmodel import errors
from threadmodel._core import ffi as ffi
from threadmodel._core import lib as lib

if TYPE_CHECKING:
    from threadmodel._core import CData, Chars, Null

BUILT_VERSION: Final[int] = (
    lib.TM_VERSION_MAJOR * 10000 + lib.TM_VERSION_MINOR * 100 + lib.TM_VERSION_PATCH
)

MAX_INT32: Final = 2**31 - 1
MAX_UINT32: Final = 2**32 - 1
MAX_INT64: Final = 2**63 - 1
MAX_UINT64: Final = 2**64 - 1

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
    """Encode a path as the operating system does.

    Raises:
        InvalidArgumentError: it holds a zero byte, at which C would end it
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
    """Return a code, or raise the exception that a negative one stands for."""
    if code < 0:
        raise error(code)
    return code


def _keep(_owners: Any, _pointer: Any) -> None:
    """Hold ``_owners`` for as long as this destructor of a pointer lives."""


def holding(pointer: Any, *owners: Any) -> Any:
    """Return a pointer that keeps alive the objects that its memory depends on."""
    return ffi.gc(pointer, functools.partial(_keep, owners))


def options(ctype: str, **fields: Any) -> Any:
    """Make a struct whose first field is its size, others zero or as given.

    The objects that its pointers point at live as long as it does.
    """
    struct: Any = ffi.new(f"{ctype} *", fields)
    struct.size = ffi.sizeof(ctype)
    return holding(struct, fields)


def whole(value: int, what: str, highest: int, lowest: int = 0) -> int:
    """Check that a number fits its C field.

    Raises:
        InvalidArgumentError: it does not fit, or is not a whole number
    """
    try:
        number = value.__index__()
    except AttributeError:
        raise errors.InvalidArgumentError(
            f"{what} is not a whole number: {value!r:.100}"
        ) from None
    if not lowest <= number <= highest:
        raise errors.InvalidArgumentError(f"{what} is out of range: {number}")
    return number


def c_string(value: str, what: str) -> Any:
    """Make a C string that lives as long as the returned object.

    Raises:
        InvalidArgumentError: not a text, or it holds a zero character
    """
    if not isinstance(value, str) or "\0" in value:
        raise errors.InvalidArgumentError(f"{what} is not a string: {value!r:.100}")
    return ffi.new("char[]", value.encode("utf-8", "replace"))


def c_strings(values: Iterable[str], what: str) -> Any:
    """Make an array of C strings; it is not NULL even if it is empty.

    Raises:
        InvalidArgumentError: one of them is not text
    """
    strings = [c_string(value, what) for value in values]
    array = ffi.new("char *[]", strings or 1)
    return holding(ffi.cast("char **", array), array, strings)


class WriteTarget:
    """Receives the bytes of a C writer.

    Any exception of ``write`` ends the writing and is raised by :meth:`run` again.
    """

    def __init__(self, write: Callable[[bytes], object]) -> None:
        """Pass all bytes on to ``write``."""
        self.write = write
        self.failure: BaseException | None = None
        self.handle = ffi.new_handle(self)

    def run(self, writer: Callable[[Any, Any], int]) -> None:
        """Call ``writer(function, payload)``; raise its error or that of ``write``."""
        code = writer(lib.threadmodel_write, self.handle)
        if self.failure is not None:
            raise self.failure
        check(code)


def _keep_failure(_kind: Any, failure: BaseException, traceback: Any) -> None:
    """Keep an exception for :meth:`WriteTarget.run`: Ctrl-C may come at any step."""
    payload = traceback.tb_frame.f_locals.get("payload") if traceback else None
    if payload is None:
        raise failure
    cast(WriteTarget, ffi.from_handle(payload)).failure = failure


@ffi.def_extern(error=lib.TM_ESTOPPED, onerror=_keep_failure)
def threadmodel_write(payload: "CData", data: "Chars", count: int) -> int:
    """Pass bytes from C to the WriteTarget behind ``payload``."""
    cast(WriteTarget, ffi.from_handle(payload)).write(ffi.buffer(data, count)[:])
    return lib.TM_OK
