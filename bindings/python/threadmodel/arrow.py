# SPDX-License-Identifier: Apache-2.0
"""Tables as the capsules of Arrow's PyCapsule protocol.

The functions are C in the extension module and make Python objects, so they are
called with the interpreter's lock held, which CFFI's calls are not.
"""

import ctypes
from typing import Any

from threadmodel import _core
from threadmodel._core import ffi

_functions = ctypes.PyDLL(_core.__file__)


def _capsule(name: str, table: Any) -> object:
    function = getattr(_functions, name)
    function.restype = ctypes.py_object
    function.argtypes = [ctypes.c_void_p]
    capsule: object = function(int(ffi.cast("uintptr_t", table)))
    return capsule


def schema(table: Any) -> object:
    """Make an ``arrow_schema`` capsule of a ``tm_table *``."""
    return _capsule("threadmodel_schema_capsule", table)


def array(table: Any) -> object:
    """Make an ``arrow_array`` capsule of a ``tm_table *``: a struct array."""
    return _capsule("threadmodel_array_capsule", table)


def stream(table: Any) -> object:
    """Make an ``arrow_array_stream`` capsule of a ``tm_table *``: one batch."""
    return _capsule("threadmodel_stream_capsule", table)
