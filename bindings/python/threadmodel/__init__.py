# SPDX-License-Identifier: Apache-2.0
"""What the threads of a program did to one another: who waited for whom, and why.

    import threadmodel

    model = threadmodel.open("run.tmt")
    model.locks().to_pandas()
    model.deadlocks()

Every answer is a :class:`Table`; the docstring of each question lists its columns.
"""

from threadmodel import agent
from threadmodel._library import BUILT_VERSION, version_text
from threadmodel.class_sums import sum_classes
from threadmodel.column import Column
from threadmodel.comparison import Comparison, compare
from threadmodel.errors import (
    DamagedError,
    DamagedTraceWarning,
    FormatError,
    InputOutputError,
    InvalidArgumentError,
    LimitError,
    MissingExtraError,
    MissingFileError,
    NewerVersionError,
    NotFoundError,
    OutOfMemoryError,
    StoppedError,
    ThreadmodelError,
    UnsupportedError,
    VersionMismatchError,
)
from threadmodel.event import Event, EventFlag, EventKind, event_dtype
from threadmodel.hprof import HprofWriter
from threadmodel.lanes import Timeline
from threadmodel.model import Model
from threadmodel.run import Ending, Identity, Policy, Run
from threadmodel.selection import Selection
from threadmodel.sink import Frame, ObjectKind, Sink
from threadmodel.source import Live, Progress, open, read
from threadmodel.table import Table
from threadmodel.writer import Writer, WriterFormat

__version__ = version_text(BUILT_VERSION)

__all__ = [
    "Column",
    "Comparison",
    "DamagedError",
    "DamagedTraceWarning",
    "Ending",
    "Event",
    "EventFlag",
    "EventKind",
    "FormatError",
    "Frame",
    "HprofWriter",
    "Identity",
    "InputOutputError",
    "InvalidArgumentError",
    "LimitError",
    "Live",
    "MissingExtraError",
    "MissingFileError",
    "Model",
    "NewerVersionError",
    "NotFoundError",
    "ObjectKind",
    "OutOfMemoryError",
    "Policy",
    "Progress",
    "Run",
    "Selection",
    "Sink",
    "StoppedError",
    "Table",
    "ThreadmodelError",
    "Timeline",
    "UnsupportedError",
    "VersionMismatchError",
    "Writer",
    "WriterFormat",
    "agent",
    "compare",
    "event_dtype",
    "open",
    "read",
    "sum_classes",
]


def __dir__() -> list[str]:
    """List the public names: an imported submodule would be listed as well."""
    return [*__all__, "__doc__", "__version__"]
