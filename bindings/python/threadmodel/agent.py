# SPDX-License-Identifier: Apache-2.0
"""The JVM agent that comes with the package."""

from pathlib import Path
from typing import Final

from threadmodel import errors

NAME: Final = "libthreadmodel-agent.so"


def path() -> Path:
    """Return the agent library, for ``java -agentpath:<path>=file=run.tmt``.

    Raises:
        MissingFileError: this build of the package has no agent (a FileNotFoundError)
    """
    library = Path(__file__).parent.resolve() / NAME
    if not library.is_file():
        raise errors.MissingFileError(
            f"{library}: this build has no agent; it needs a JDK's headers"
        )
    return library
