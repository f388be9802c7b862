# SPDX-License-Identifier: Apache-2.0
"""``threadmodel fleet``: answers of many recordings."""

import os
import signal
from urllib.parse import quote

import click

from threadmodel import errors, private
from threadmodel.cli.asking import TOP
from threadmodel.cli.files import (
    INPUT_DATASET,
    INPUT_URL,
    OUTPUT,
    OUTPUT_DATASET,
    OUTPUT_PAGES,
    FileCommand,
    local,
    refuse_same,
)
from threadmodel.cli.messages import say
from threadmodel.cli.progress import LateProgress
from threadmodel.cli.report import NOTHING
from threadmodel.extras import extra
from threadmodel.fleet import Limits
from threadmodel.text import clean, count

MIB = 1 << 20


@click.group(short_help="Sum up many recordings, and ask them together.")
def fleet() -> None:
    """Sum up many recordings in a dataset of Parquet files, and ask it.

    \b
    threadmodel fleet summarize 'runs/*.tmt' -o dataset
    threadmodel fleet report dataset -o fleet.html
    threadmodel fleet sql dataset 'from runs limit 10'
    """


@fleet.command(cls=FileCommand)
@click.argument("urls", metavar="URL...", nargs=-1, required=True, type=INPUT_URL)
@click.option(
    "-o",
    "--output",
    metavar="DATASET",
    type=OUTPUT_DATASET,
    required=True,
    help="A folder or its URL.",
)
@click.option(
    "--labels",
    "pattern",
    metavar="PATTERN",
    help="Labels by parts of each path: {service}/{host}/{version}/*.tmt.",
)
@click.option(
    "--manifest",
    metavar="CSV",
    type=INPUT_URL,
    help="Labels by file: a column url, and a label each.",
)
@click.option("--scheduler", metavar="ADDRESS", help="Of your own Dask cluster.")
@click.option(
    "--workers", type=click.IntRange(1), help="Processes here; as many as processors."
)
@click.option(
    "--memory-mib",
    type=click.IntRange(64),
    default=1024,
    show_default=True,
    help="A worker here may use; one that needs more is started anew.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0),
    default=Limits().seconds,
    show_default=True,
    help="A file may take.",
)
@click.pass_context
def summarize(
    context: click.Context,
    urls: tuple[str, ...],
    output: str,
    pattern: str | None,
    manifest: str | None,
    scheduler: str | None,
    workers: int | None,
    memory_mib: int,
    seconds: float,
) -> None:
    """Sum up recordings of any format: files, folders, globs; on disk, S3, https.

    Files that DATASET has are not read again, unless they changed. A file that cannot
    be read is a row of its table errors. DATASET changes when all files are done; after
    an interruption, the same command continues.
    """
    # Only this command needs these packages.
    from threadmodel import fleet_dask
    from threadmodel.fleet_dataset import Dataset

    marks = fleet_dask.find(urls)
    listed = fleet_dask.read_labels(manifest) if manifest else {}
    labels = fleet_dask.labels_by(marks, pattern, listed)
    dataset = Dataset(output, resume=True)
    limits = Limits(memory_bytes=memory_mib * MIB // 2, seconds=seconds)
    engine = fleet_dask.connected(scheduler, workers, memory_mib * MIB)
    with engine as client, LateProgress() as progress:
        read, failed = fleet_dask.summarize(
            marks,
            dataset,
            labels,
            client,
            limits=limits,
            progress=lambda done, of: progress.step(f"{done:,} of {of:,} files"),
        )
    known = len(marks) - read - failed
    not_read = f", {failed:,} could not be read: see table errors" if failed else ""
    say(f"{count(read, 'file')} read, {known:,} known{not_read}")
    if failed and not read and not known:
        context.exit(NOTHING)


@fleet.command(cls=FileCommand)
@click.argument("dataset", type=INPUT_DATASET)
@click.argument("statement")
@click.option("--json", "as_json", is_flag=True, help="Print an object a row.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
def sql(dataset: str, statement: str, as_json: bool, as_csv: bool) -> None:
    """Ask DATASET by SQL: runs, errors, and the tables of summaries by column run."""
    from threadmodel.fleet_dataset import Dataset

    if as_json and as_csv:
        raise click.UsageError("--json and --csv exclude each other")
    # A reader that closes our output early, as `head` does, ends us silently.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    answer = Dataset(dataset).sql(statement)
    try:
        # DuckDB reports an invalid value only when it makes the rows.
        is_data = as_json or as_csv
        rows = answer.fetchall() if is_data else str(answer).splitlines()
    except extra("fleet", module="duckdb").Error as failure:
        raise errors.InvalidArgumentError(f"SQL: {failure}") from failure
    if not is_data:
        for line in rows:
            click.echo(clean(line, len(line)))
        return
    # Only this needs these libraries.
    import csv
    import json
    import sys

    names = answer.columns
    if len(set(names)) < len(names):
        raise errors.InvalidArgumentError(
            "two columns have one name: call one `as` another"
        )
    if as_csv:
        csv.writer(sys.stdout, lineterminator="\n").writerows([names, *rows])
        return
    for row in rows:
        click.echo(json.dumps(dict(zip(names, row, strict=True)), default=str))


@fleet.command(cls=FileCommand)
@click.argument("dataset", type=INPUT_DATASET)
@click.option("--since", metavar="VERSION", help="Say what changed with this version.")
@click.option(
    "--before", metavar="VERSION", help="Compare with this one; else with all older."
)
@click.option(
    "--only",
    metavar="LABEL=VALUE",
    multiple=True,
    help="Only runs with that label; repeatable.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print all answers as one object."
)
@click.option(
    "--reports",
    metavar="DIR",
    type=OUTPUT_PAGES,
    help="Write the own reports of the runs that are named there.",
)
@click.option(
    "-o", "--output", metavar="FILE", type=OUTPUT, help="Write a page: .html or .md."
)
@TOP
def report(
    dataset: str,
    since: str | None,
    before: str | None,
    only: tuple[str, ...],
    as_json: bool,
    reports: str | None,
    output: str | None,
    top: int,
) -> None:
    """Show what the runs of DATASET say together.

    The report lists the most expensive causes, over all runs and by each label; changes
    since a version, with a confidence interval from the runs; hosts unlike the others;
    and cycles among all lock orders, each order with a run that has it. It states which
    answers need more runs.

    \b
    threadmodel fleet report dataset --only service=shop --since 1.4.0
    threadmodel fleet report dataset -o fleet.html --reports runs
    threadmodel fleet report dataset --json | jq .causes.rows
    """
    # Only this command needs these packages.
    from threadmodel.cli import fleet_page, hypertext, markdown, report
    from threadmodel.fleet_dataset import Dataset
    from threadmodel.fleet_report import Report

    if before is not None and since is None:
        raise click.UsageError("--before needs --since")
    wrong = [one for one in only if "=" not in one]
    if wrong:
        raise click.UsageError(f"--only {wrong[0]}: say LABEL=VALUE")
    asked = Report(Dataset(dataset), dict(one.split("=", 1) for one in only))
    if as_json:
        if reports:
            raise click.UsageError("--json and --reports exclude each other")
        text = fleet_page.as_json(asked, top, since, before)
        if output is None:
            click.echo(text)
            return
        with open(output, "wb", opener=private.owner_only) as file:
            file.write(f"{text}\n".encode())
        return
    sections = fleet_page.sections(asked, top, since, before)
    links = {}
    if reports:
        urls = fleet_page.urls(sections)
        refuse_same((output,) if output else (), map(local, urls))
        links = _write_reports(urls, reports)
    if output is None or not output.lower().endswith((".html", ".htm", ".md")):
        report.print_sections(sections, output)
        return
    title = f"Threads of {count(asked.runs, 'run')}"
    if output.lower().endswith(".md"):
        page = markdown.render(sections, title)
    else:
        folder = os.path.dirname(os.path.abspath(output))
        near = {url: relative(path, folder) for url, path in links.items()}
        page = hypertext.render(sections, title, near)
    with open(output, "wb", opener=private.owner_only) as file:
        file.write(page.encode(errors="backslashreplace"))


def relative(path: str, folder: str) -> str:
    """Return the URL of a file for a page in a folder."""
    return quote(os.path.relpath(path, folder))


def _write_reports(urls: list[str], folder: str) -> dict[str, str]:
    """Write a report of each run whose file can still be read; return them by URL."""
    # Only this needs the library.
    import hashlib

    from threadmodel import page
    from threadmodel.fleet import opened

    os.makedirs(folder, mode=0o700, exist_ok=True)
    written: dict[str, str] = {}
    with LateProgress() as progress:
        for number, url in enumerate(urls, 1):
            progress.step(f"{number:,} of {len(urls):,} reports")
            name = hashlib.sha256(url.encode()).hexdigest()[:16]
            path = os.path.join(folder, f"{name}.html")
            try:
                text = page.render(opened(url))
            except (errors.ThreadmodelError, OSError) as failure:
                say(f"{url}: {failure}")
                continue
            with open(path, "wb", opener=private.owner_only) as file:
                file.write(text.encode())
            written[url] = path
    return written
