"""Profiles of TensorFlow, JAX and PyTorch as tables.

    import stepscope
    p = stepscope.open("logs")
    p.events(query="matmul dur>1ms")     # any table library takes it: polars, pandas, pyarrow, DuckDB
    p.report("kernel_stats")["kernels"]

Times are picoseconds from the trace's origin. Numbers, tables and columns are those of the `stepscope` program.
docs/python.md has examples; start reading the code at _profile.py.
"""

from ._errors import Error, InputError, UsageError
from ._library import version as __version__
from ._profile import Profile, Report, open, panels
from ._screenshot import Image
from ._table import Column, Table

__all__ = ["Column", "Error", "Image", "InputError", "Profile", "Report", "Table", "UsageError", "open", "panels"]
