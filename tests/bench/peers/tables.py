# SPDX-License-Identifier: Apache-2.0
"""Figures as Markdown, and where a page has them."""

from pathlib import Path

from rounds import Result, Row, Spread

# Figures without ratios: a larger one may mean more work done.
PLAIN = ("bytes_per_block", "instructions")
UNITS = {
    "_s": "s",
    "_ms": "ms",
    "_mib": "MiB",
    "_mb": "MB",
    "_percent": "%",
}


def titled(column: str) -> str:
    """`cpu_s` is `cpu, s`."""
    for ending, unit in UNITS.items():
        if column.endswith(ending) and column != f"requests_per{ending}":
            return f"{column.removesuffix(ending).replace('_', ' ')}, {unit}"
    return column.replace("_", " ")


def number(value: float) -> str:
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def spread(it: Spread) -> str:
    if it.least == it.most:
        return number(it.median)
    return f"{number(it.median)} ({number(it.least)} to {number(it.most)})"


def cell(row: Row, column: str) -> str:
    text = spread(row.figures[column])
    if column in row.ratios:
        times = row.ratios[column]
        text += f"; {times.median:.2f}x" if times else "; within noise"
    return text


def table(result: Result) -> str:
    """One table a set of columns, then what was left out."""
    lines: list[str] = []
    before: tuple[str, ...] = ()
    for row in result.rows:
        columns = tuple(row.figures)
        if row.failed:
            continue
        if columns != before:
            heads = ["of", "what", *map(titled, columns)]
            lines += ["", f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
            before = columns
        cells = [row.setting, row.subject, *(cell(row, name) for name in columns)]
        lines.append(f"| {' | '.join(cells)} |")
    lines.append("")
    lines += [
        f"{it.setting}: the same once more differs by up to "
        + ", ".join(f"{share:.0%} ({titled(name)})" for name, share in it.share.items())
        + "."
        for it in result.noise
    ]
    lines += [f"Skipped: {why}." for why in result.skipped]
    lines += [
        f"Failed: {row.setting}, {row.subject}: {' '.join(row.failed.split())}"
        for row in result.rows
        if row.failed
    ]
    return "\n".join(lines).strip() + "\n"


def write(page: Path, group: str, sentence: str, text: str) -> None:
    """Put a group's table between its two marks in a page.

    Raises:
        ValueError: the page has no such marks
    """
    begin, end = f"<!-- peers: {group} -->\n", f"<!-- end of {group} -->"
    old = page.read_text()
    head, mark, rest = old.partition(begin)
    _, last, tail = rest.partition(end)
    if not mark or not last:
        raise ValueError(f"{page} has no marks of {group}")
    page.write_text(f"{head}{begin}{sentence}\n\n{text}{end}{tail}")
