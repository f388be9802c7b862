# SPDX-License-Identifier: Apache-2.0
"""How Sphinx makes the site."""

import re
from pathlib import Path

VERSION = Path(__file__).parents[2] / "include/threadmodel/version.h"

project = "threadmodel"
release = ".".join(re.findall(r"#define TM_VERSION_\w+ (\d+)", VERSION.read_text()))
version = release
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["examples", "notebooks/*.ipynb"]
html_theme = "furo"
html_title = f"threadmodel {release}"
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
pygments_style = "friendly"
pygments_dark_style = "github-dark"
highlight_language = "none"
# Links within pages lead to headings, as they do where Markdown is shown as it is.
myst_heading_anchors = 4
myst_links_external_new_tab = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
