# SPDX-License-Identifier: Apache-2.0
"""Errors, as exceptions.

Each is a :class:`ThreadmodelError` and also the builtin exception that a caller would
catch who does not know this package. A text is one line and holds the invalid value.
"""


class ThreadmodelError(Exception):
    """The base of all exceptions of this package."""


class OutOfMemoryError(ThreadmodelError, MemoryError):
    """An allocation failed; the object stays usable."""


class InvalidArgumentError(ThreadmodelError, ValueError):
    """The call itself was wrong."""


class InputOutputError(ThreadmodelError, OSError):
    """The operating system refused a read, write or open."""


class MissingFileError(InputOutputError, FileNotFoundError):
    """There is no file of that name."""


class FormatError(ThreadmodelError, ValueError):
    """Not a file of any known format, or an empty one."""


class NewerVersionError(FormatError):
    """The file was written by a newer release, in a newer format."""


class DamagedError(ThreadmodelError, ValueError):
    """The file is cut or damaged; all that is whole was delivered."""


class NotFoundError(ThreadmodelError, LookupError):
    """The run has no thread, class or object of that name."""


class LimitError(ThreadmodelError, OverflowError):
    """Larger than a stated limit."""


class UnsupportedError(ThreadmodelError, NotImplementedError):
    """Known, but not possible in this build or on this data."""


class StoppedError(ThreadmodelError, RuntimeError):
    """A callback asked to stop."""


class AttachError(ThreadmodelError, ConnectionError):
    """A process cannot be attached to, or does not do what it is asked to."""


class MissingExtraError(ThreadmodelError, ImportError):
    """A package that the core does without is needed for this and not installed."""


class VersionMismatchError(ThreadmodelError, ImportError):
    """The package was built for another release of the library than it loaded."""


class DamagedTraceWarning(UserWarning):
    """Only part of a file could be read; see ``Model.damage``."""
