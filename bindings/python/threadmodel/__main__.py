# SPDX-License-Identifier: Apache-2.0
"""``python -m threadmodel``."""

from threadmodel.cli import main

main()
