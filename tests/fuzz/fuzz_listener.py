# SPDX-License-Identifier: Apache-2.0
"""The fuzz target of what peers send to a listener, guided by Atheris.

tests/python/test_peers.py feeds it the stored inputs without it.
"""

import sys
import warnings

import atheris

import threadmodel.cli  # noqa: F401 - what else it imports is not what is looked at

with atheris.instrument_imports(include=["threadmodel.cli.peers", "listener"]):
    import listener

warnings.simplefilter("ignore")
atheris.Setup(sys.argv, listener.check)
atheris.Fuzz()
