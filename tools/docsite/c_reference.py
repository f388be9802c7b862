# SPDX-License-Identifier: Apache-2.0
"""Pages of the C reference: a page a public header, from its comments."""

import re
from collections.abc import Iterator
from pathlib import Path

from describe import INCLUDE

HEADERS = sorted(INCLUDE.glob("*.h"))
OPENING = re.compile(r"/\*\s*(?:\* )?threadmodel/(?P<text>.*?)\*/", re.DOTALL)
# A comment for readers of the reference, or what it is about.
COMMENT = re.compile(r"/\*\*(.*?)\*/", re.DOTALL)
DECLARED = (
    re.compile(r"#define (\w+)"),
    re.compile(r"^(?:typedef )?(?:struct|enum|union) (\w+)"),
    re.compile(r"\(\*(\w+)\)\("),
    re.compile(r"^(?:TM_API|static inline) [^(]*?(\w+)\("),
    re.compile(r"^typedef .*?(\w+);$"),
)
TAG = re.compile(r"@(param(?:\[\w+\])?|return|since)\s+")
IGNORED = re.compile(
    r"#(?:include|ifndef|ifdef|endif|else|if)\b|TM_(?:BEGIN|END)_DECLS"
)


def prose(comment: str) -> str:
    """Return the text of a comment without its stars."""
    lines = (re.sub(r"^\s*\* ?", "", line) for line in comment.split("\n"))
    return "\n".join(line.rstrip() for line in lines).strip()


def linked(text: str) -> str:
    """Return Markdown of a comment's words: names as code, tables as links."""
    text = text.replace("<", "&lt;")
    text = re.sub(
        r"\(table `(\w+)`\)", r"([table `\1`](../../tables.md#\1))", text, count=1
    )
    # What already is code stays.
    parts = re.split(r"(`[^`]*`)", text)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"\b((?:tm|TM)_\w+(?:\(\))?)", r"`\1`", parts[i])
        parts[i] = parts[i].replace("*", "\\*").replace("[out]", "")
    return "".join(parts)


def declarations(header: str) -> Iterator[str]:
    """Yield comments and declarations in turn, each as it stands."""
    lines = header.split("\n")
    i = 0
    while i < len(lines):
        line = lines[i]
        if not line.strip() or IGNORED.match(line):
            i += 1
            continue
        end = i
        if line.startswith("/*"):
            while "*/" not in lines[end]:
                end += 1
        elif line.startswith("#define"):
            while lines[end].endswith("\\"):
                end += 1
        else:
            depth = line.count("{") - line.count("}")
            while depth > 0 or not re.search(r"[;}](\s*///.*)?$", lines[end]):
                end += 1
                depth += lines[end].count("{") - lines[end].count("}")
        yield "\n".join(lines[i : end + 1])
        i = end + 1


def name_of(declaration: str) -> str:
    """Return what is declared."""
    for pattern in DECLARED:
        if found := pattern.search(declaration):
            return found[1]
    raise ValueError(f"declares nothing: {declaration}")


def described(comment: str) -> list[str]:
    """Return lines of Markdown: the text, the parameters, the result."""
    text, *tagged = TAG.split(prose(comment))
    lines = [linked(text), ""]
    parameters = []
    for tag, said in zip(tagged[::2], tagged[1::2], strict=True):
        said = " ".join(said.split())
        if tag.startswith("param"):
            name, _, meaning = said.partition(" ")
            parameters.append(
                f"| `{name}` | {linked(meaning).replace('|', '&#124;')} |"
            )
        elif tag == "return":
            lines += [f"Returns {linked(said)}", ""]
        else:
            lines += [f"Since {said}", ""]
    if parameters:
        lines[2:2] = ["| parameter | |", "|---|---|", *parameters, ""]
    return lines


def page(header: Path) -> str:
    """Return the page of a header."""
    text = header.read_text()
    opening = OPENING.search(text)
    assert opening, header
    body = text[opening.end() :]
    title = f"threadmodel/{header.name}"
    about = prose(opening["text"]).partition(":")[2]
    lines = [f"# {title}", "", linked(about[:2].upper() + about[2:]).strip(), ""]
    comment = ""
    headed = set()
    for part in declarations(body):
        if part.startswith("/*"):
            comment = part.removeprefix("/**").removesuffix("*/")
            continue
        if name_of(part).startswith("THREADMODEL_"):
            continue
        if name_of(part) not in headed:
            lines += [f"## {name_of(part)}", ""]
        headed.add(name_of(part))
        lines += ["```c", part.removeprefix("TM_API "), "```", ""]
        if comment:
            lines += described(comment)
        comment = ""
    return "\n".join(lines)


def pages() -> Iterator[tuple[str, str]]:
    """Yield each page by its name."""
    lines = [
        "# C",
        "",
        "A page a header, from its comments. `threadmodel/threadmodel.h` includes all.",
        "[Embedding](../../embedding.md) explains the use of them.",
        "",
        "```{toctree}",
        ":maxdepth: 2",
        "",
        *(header.stem for header in HEADERS),
        "```",
        "",
    ]
    yield "reference/c/index.md", "\n".join(lines)
    for header in HEADERS:
        yield f"reference/c/{header.stem}.md", page(header)
