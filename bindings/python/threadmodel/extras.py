# SPDX-License-Identifier: Apache-2.0
"""Packages that only some answers need."""

import importlib
from typing import Any

from threadmodel import errors


def extra(package: str, *, module: str | None = None) -> Any:
    """Import a package, or a module of it.

    Raises:
        MissingExtraError: it is not installed; the text says how to install it
    """
    try:
        return importlib.import_module(module or package)
    except ImportError:
        raise errors.MissingExtraError(
            f"this needs {package}: pip install 'threadmodel[{package}]'"
        ) from None
