# SPDX-License-Identifier: Apache-2.0
"""Tables as the capsules of Arrow's PyCapsule protocol.

The functions are C in the extension module and make Python objects, so they are
called with the interpreter's lock held, which CFFI's calls are not.
"""

import ctypes
from typing import Any, Final

from threadmodel import _core
from threadmodel._core import ffi

# The value that stands for all columns.
WHOLE: Final = -1

_functions = ctypes.PyDLL(_core.__file__)


def _capsule(name: str, table: Any, *column: int) -> object:
    function = getattr(_functions, name)
    function.restype = ctypes.py_object
    function.argtypes = [ctypes.c_void_p, ctypes.c_int][: 1 + len(column)]
    capsule: object = function(int(ffi.cast("uintptr_t", table)), *column)
    return capsule


def schema(table: Any, column: int = WHOLE) -> object:
    """Make an ``arrow_schema`` capsule of a ``tm_table *``, or of one column."""
    return _capsule("threadmodel_schema_capsule", table, column)


def array(table: Any, column: int = WHOLE) -> object:
    """Make an ``arrow_array`` capsule of one column, or of all as a struct array."""
    return _capsule("threadmodel_array_capsule", table, column)


def stream(table: Any) -> object:
    """Make an ``arrow_array_stream`` capsule of a ``tm_table *``: one batch."""
    return _capsule("threadmodel_stream_capsule", table)
