"""What follows from the facts of all ranks: DIR/fleet_TABLE.parquet, by the code that the panel uses."""

import os

from . import _fleet_parts
from ._errors import InputError
from ._profile import open as open_profile


def write(out):
    """Puts the ranks of the fleet together. A fleet without facts has no results."""
    import pyarrow as pa
    import pyarrow.parquet

    try:
        opened = open_profile(out)
    except InputError:
        return
    with opened:
        report = opened.report("fleet")
        tables = {name: pa.table(report[name]) for name in report.keys()}
        properties = report.properties
    tables["summary"] = pa.Table.from_pylist([{name: value for name, value in properties.items()}])
    for name, table in tables.items():
        names = [field.name for field in table.schema if not pa.types.is_nested(field.type)]
        _fleet_parts.place(os.path.join(out, f"fleet_{name}.parquet"), lambda temporary, kept=table.select(names):
                           pyarrow.parquet.write_table(kept, temporary, compression="zstd"))
