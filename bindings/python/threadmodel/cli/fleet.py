# SPDX-License-Identifier: Apache-2.0
"""``threadmodel fleet``: answers of many recordings."""

import contextlib
from collections.abc import Iterator
from typing import Any

import click

from threadmodel.cli.messages import say
from threadmodel.cli.progress import LateProgress
from threadmodel.extras import extra
from threadmodel.fleet import Limits
from threadmodel.text import count

MIB = 1 << 20


@click.group(short_help="Sum up many recordings, and ask them together.")
def fleet() -> None:
    """Sum up many recordings in a dataset of Parquet files, and ask it.

    \b
    threadmodel fleet summarize 'runs/*.tmt' -o dataset
    threadmodel fleet sql dataset 'from runs limit 10'
    """


@fleet.command()
@click.argument("urls", metavar="URL...", nargs=-1, required=True)
@click.option(
    "-o", "--output", metavar="DATASET", required=True, help="A folder or its URL."
)
@click.option(
    "--labels",
    "pattern",
    metavar="PATTERN",
    help="Labels by parts of each path: {service}/{host}/{version}/*.tmt.",
)
@click.option(
    "--manifest", metavar="CSV", help="Labels by file: a column url, and a label each."
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
def summarize(
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
    be read is a row of its table errors. DATASET changes when all are done; what an
    interruption leaves is continued from.
    """
    # Packages that no other command needs.
    from threadmodel import fleet_dask
    from threadmodel.fleet_dataset import Dataset

    marks = fleet_dask.find(urls)
    listed = fleet_dask.read_labels(manifest) if manifest else {}
    labels = fleet_dask.labels_by(marks, pattern, listed)
    dataset = Dataset(output)
    limits = Limits(memory_bytes=memory_mib * MIB // 2, seconds=seconds)
    with _client(scheduler, workers, memory_mib) as client, LateProgress() as progress:
        read = fleet_dask.summarize(
            marks,
            dataset,
            labels,
            client,
            limits=limits,
            progress=lambda done, of: progress.step(f"{done:,} of {of:,} files"),
        )
    say(f"{count(read, 'file')} read, {len(marks) - read:,} known")


@fleet.command()
@click.argument("dataset")
@click.argument("statement")
@click.option("--json", "as_json", is_flag=True, help="Print an object a row.")
def sql(dataset: str, statement: str, as_json: bool) -> None:
    """Ask DATASET by SQL: runs, errors, and the tables of summaries by column run."""
    from threadmodel.fleet_dataset import Dataset

    answer = Dataset(dataset).sql(statement)
    if as_json:
        # A library that only this needs.
        import json

        for row in answer.fetchall():
            click.echo(json.dumps(dict(zip(answer.columns, row, strict=True))))
    else:
        click.echo(answer)


@contextlib.contextmanager
def _client(
    scheduler: str | None, workers: int | None, memory_mib: int
) -> Iterator[Any]:
    distributed = extra("fleet", module="distributed")
    if scheduler:
        with distributed.Client(scheduler) as client:
            yield client
        return
    with (
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            memory_limit=memory_mib * MIB,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
