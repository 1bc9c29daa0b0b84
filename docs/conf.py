"""How Sphinx builds the site: `python -m tools.docs` calls it on a copy of this folder, see there."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))

from _ext.gallery_order import in_order  # noqa: E402,F401  named below, as text

import perceptrons  # noqa: E402

project = "perceptrons"
author = "The perceptrons developers"
copyright = "The perceptrons developers, BSD-3-Clause"
version = release = perceptrons.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
    "_ext.plain_docstrings",
]
exclude_patterns = ["_build", "papers/results/*.md", "gallery_scripts/README.rst"]
templates_path = ["_templates"]
nitpicky = False

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]
suppress_warnings = ["myst.header", "config.cache"]  # pages that GitHub shows, too, begin where they like

autosummary_generate = True
default_role = "py:obj"  # `name` in a docstring is a link where there is such a name, else code
smartquotes = False  # quoted values of parameters can be copied
toc_object_entries_show_parents = "hide"
autodoc_typehints = "none"  # the docstrings say what a parameter takes
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery_scripts",
    "gallery_dirs": "examples",
    "filename_pattern": "/plot_",
    "within_subsection_order": "_ext.gallery_order.in_order",
    "show_memory": False,
    "write_computation_times": False,  # the page of them asks other machines for scripts
    "min_reported_time": 5,
    "remove_config_comments": True,
    "download_all_examples": False,
    "plot_gallery": "True",
    "abort_on_example_error": True,
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "perceptrons"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_context = {"default_mode": "auto"}  # light or dark, as the reader's system is
html_sidebars = {page: [] for page in ("index", "first-steps", "which-learner")}  # which have no pages below
html_theme_options = {
    "show_prev_next": True,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
