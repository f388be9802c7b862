# SPDX-License-Identifier: Apache-2.0
"""What the report has of the description: names of values, and what they mean."""

from describe import MADE
from describe.columns import summed_states
from describe.enums import Enum, read_enums

# Those that the report distinguishes.
ENUMS = ("tm_state", "tm_interaction_kind", "tm_type")


def constant(enum: Enum) -> str:
    name = enum.name.removeprefix("tm_")
    kind = "".join(word.capitalize() for word in name.split("_"))
    lines = [f"/** enum {enum.name}, in the order of its numbers. */"]
    lines.append(f"export const {name.upper()} = {{")
    for value in enum.values:
        text = value.text.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'  {value.name}: "{text}",')
    lines += ["} as const;", f"export type {kind} = keyof typeof {name.upper()};", ""]
    return "\n".join(lines)


def names() -> str:
    head = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// {MADE} from the enums of the public headers.",
        "",
    ]
    states = ", ".join(f'"{name}"' for name in summed_states())
    summed = [
        "/** States that statistics sum up by any keys. */",
        f"export const SUMMED_STATES = [{states}] as const;",
        "",
    ]
    return "\n".join(
        [*head, *(constant(read_enums()[name]) for name in ENUMS), *summed]
    )
