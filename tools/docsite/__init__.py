# SPDX-License-Identifier: Apache-2.0
"""The site of the documents; ./dev docs makes it."""
