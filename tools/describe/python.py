# SPDX-License-Identifier: Apache-2.0
"""What the Python package has of the description: enums, and tables by name."""

import re
import subprocess
import textwrap

from describe import MADE, PACKAGE
from describe.columns import read_tables, summed_states
from describe.enums import Enum, read_enums

HEAD = f'''\
# SPDX-License-Identifier: Apache-2.0
"""Numbers of the C library by name. {MADE} from the public headers."""

from enum import IntEnum, IntFlag
'''
TABLES_HEAD = f'''\
# SPDX-License-Identifier: Apache-2.0
"""Tables by name. {MADE} from libthreadmodel/table/tables.toml."""

from typing import Final

#: The method of Model that answers with a table, by its name.
'''
SUMMED = "#: States that statistics sum up by any keys."
WIDTH = 88
# Those that the package has a use for: each class costs time at every start.
ENUMS = (
    "tm_event_kind",
    "tm_event_flag",
    "tm_policy",
    "tm_identity",
    "tm_ending",
    "tm_object_kind",
    "tm_writer_format",
    "tm_export_format",
    "tm_export_side",
    "tm_blame_key",
    "tm_hold_key",
    "tm_path_key",
    "tm_statistics_key",
)


def formatted(text: str, suffix: str = ".py") -> str:
    """Python as ruff has it."""
    done = subprocess.run(
        ["ruff", "format", f"--stdin-filename={PACKAGE / 'made'}{suffix}", "-"],
        input=text,
        capture_output=True,
        check=True,
        text=True,
    )
    return done.stdout


def class_name(name: str) -> str:
    """tm_event_kind is EventKind."""
    words = name.removeprefix("tm_").split("_")
    return "".join(word.capitalize() for word in words)


def in_python(text: str) -> str:
    """What C's comments say, by Python's names and marks."""
    text = text.replace("`", "``").replace("\\", "\\\\")
    return re.sub(
        r"\b(tm_[a-z_]+)(?:\.(\w+))?",
        lambda found: f"``{class_name(found[1])}{'.' + found[2] if found[2] else ''}``",
        text,
    )


def docstring(text: str) -> list[str]:
    sentence, _, rest = in_python(text).partition(". ")
    lines = textwrap.wrap(f'"""{sentence}.', WIDTH - 4)
    if rest:
        lines += ["", *textwrap.wrap(f"{rest}.", WIDTH - 4), '"""']
    elif len(lines) == 1 and len(lines[0]) + 3 <= WIDTH - 4:
        lines[0] += '"""'
    else:
        lines.append('"""')
    return [f"    {line}".rstrip() for line in lines]


def enum_class(enum: Enum) -> str:
    base = "IntFlag" if enum.is_flags else "IntEnum"
    lines = [f"class {class_name(enum.name)}({base}):", *docstring(enum.text), ""]
    for value in enum.values:
        about = textwrap.wrap(in_python(value.text), WIDTH - 8)
        lines += [f"    #: {line}" for line in about]
        lines.append(f"    {value.name.upper()} = {value.number}")
    return "\n".join(lines) + "\n"


def enums() -> str:
    known = read_enums()
    numbers = {value.name: value.number for value in known["tm_state"].values}
    states = ", ".join(f'"{name}": {numbers[name]}' for name in summed_states())
    head = f"{HEAD}\n{SUMMED}\nSTATES = {{{states}}}\n"
    return formatted("\n\n".join([head, *(enum_class(known[name]) for name in ENUMS)]))


def questions() -> str:
    lines = [
        f'    "{table.sql}": "{table.question or table.name}",'
        for table in read_tables().values()
        if table.sql
    ]
    text = "\n".join(["QUESTIONS: Final = {", *lines, "}"])
    return formatted(f"{TABLES_HEAD}{text}\n")
