# SPDX-License-Identifier: Apache-2.0
"""Sum up recordings in Spark, as docs/fleet.md shows it; for test_spark.py."""

import pickle
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from threadmodel import fleet

COLUMNS = (
    "url string, run string, error string, facts string, table string, content binary"
)
# Two workers, each a process with one core, and its Python beside it.
MASTER = "local-cluster[2,1,1024]"


def main(output: str, *files: str) -> None:
    builder = SparkSession.builder.master(MASTER)
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.executor.memory": "512m",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    urls = spark.createDataFrame([(url,) for url in files], "url string")
    # A file a task, or the workers would have no turns.
    rows = urls.repartition(len(files)).mapInArrow(fleet.summarize_batches, COLUMNS)
    results = fleet.from_rows(row.asDict() for row in rows.toLocalIterator())
    Path(output).write_bytes(pickle.dumps([tuple(result) for result in results]))
    spark.stop()


main(*sys.argv[1:])
