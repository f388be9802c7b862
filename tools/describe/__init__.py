# SPDX-License-Identifier: Apache-2.0
"""Enums, tables and columns: what stands once, and is written from there elsewhere.

Enums, with a sentence a value, stand in the public headers; tables and columns in
libthreadmodel/table/tables.toml. `./dev describe` runs this package.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include" / "threadmodel"
PACKAGE = ROOT / "bindings" / "python" / "threadmodel"
MADE = "Made by ./dev describe"
