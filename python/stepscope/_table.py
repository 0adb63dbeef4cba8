"""Tables: Arrow streams for other libraries (PyCapsule interface), lists and dicts for Python, HTML for notebooks."""

import ctypes
import html

from . import _arrow
from ._library import ask, call

SHOWN_ROWS = 20

_KINDS = {"l": "int", "g": "float", "b": "bool", "U": "str", "i": "str", "+L": "list", "+m": "dict"}


class Column:
    """A column: its `name`, its `label` for people, its `unit`, `how` it is computed, and the `kind` of its values."""

    def __init__(self, schema):
        said = _arrow.metadata_of(schema)
        self.name = schema.name.decode()
        self.label = said.get("label", self.name)
        self.unit = said.get("unit", "")
        self.how = said.get("how", "")
        self.kind = _KINDS[schema.format.decode()]

    def __repr__(self):
        return f"Column({self.name!r}, {self.kind}{', ' + self.unit if self.unit else ''})"


class Table:
    """An immutable table.

    A library that reads Arrow streams takes a Table without a copy: polars.DataFrame(table), pyarrow.table(table),
    pandas.DataFrame.from_arrow(table), and its name in a query of DuckDB. Without such a library,
    table["name"] is a list and table.rows() are dicts.
    """

    def __init__(self, handle, title=""):
        self._handle = handle
        self.title = title
        stream = self._stream()
        try:
            schema = _arrow.schema_of(stream)
            self.columns = [Column(schema.children[i].contents) for i in range(schema.n_children)]
            _arrow.release(schema)
        finally:
            _arrow.release(stream)

    def _stream(self):
        stream = _arrow.ArrowArrayStream()
        ask("table_stream", self._handle, ctypes.byref(stream))
        return stream

    def __arrow_c_stream__(self, requested_schema=None):
        """A stream of all rows. A requested schema is ignored, which the interface allows."""
        return _arrow.stream_capsule(self._stream())

    def __arrow_c_schema__(self):
        stream = self._stream()
        try:
            return _arrow.schema_capsule(_arrow.schema_of(stream))
        finally:
            _arrow.release(stream)

    def __len__(self):
        return call("table_rows", self._handle)

    @property
    def names(self):
        return [column.name for column in self.columns]

    def _values(self, chosen, most=None):
        """A list of values for each chosen column; `chosen` has their numbers."""
        stream = self._stream()
        lists = [[] for _ in chosen]
        left = len(self) if most is None else min(most, len(self))
        try:
            schema = _arrow.schema_of(stream)
            try:
                for array in _arrow.batches(stream):
                    count = min(left, array.length)
                    for values, c in zip(lists, chosen):
                        values += _arrow.values(schema.children[c].contents, array.children[c].contents, 0, count)
                    left -= count
                    if left == 0:
                        break
            finally:
                _arrow.release(schema)
        finally:
            _arrow.release(stream)
        return lists

    def __getitem__(self, name):
        """The values of a column as a list."""
        if name not in self.names:
            raise KeyError(f"{name!r}: there is no such column; there are {', '.join(self.names)}")
        return self._values([self.names.index(name)])[0]

    def to_dict(self):
        """All values, as {name: list}."""
        return dict(zip(self.names, self._values(range(len(self.columns)))))

    def rows(self, most=None):
        """A dict for each row; only for the first `most` rows, if given."""
        lists = self._values(range(len(self.columns)), most)
        return [dict(zip(self.names, row)) for row in zip(*lists)]

    def __iter__(self):
        return iter(self.rows())

    def __repr__(self):
        title = f" {self.title!r}" if self.title else ""
        return f"<stepscope.Table{title}: {len(self)} rows of {', '.join(self.names)}>"

    def _repr_html_(self):
        def cell(value, tag="td"):
            return f"<{tag}>{html.escape(_shown(value))}</{tag}>"
        head = "".join(cell(c.label + (f" ({c.unit})" if c.unit else ""), "th") for c in self.columns)
        body = "".join("<tr>" + "".join(cell(row[name]) for name in self.names) + "</tr>"
                       for row in self.rows(SHOWN_ROWS))
        left = len(self) - SHOWN_ROWS
        rest = f"<p>… {left} more rows</p>" if left > 0 else ""
        title = f"<p><b>{html.escape(self.title)}</b></p>" if self.title else ""
        return f"{title}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _shown(value):
    if value is None:
        return ""
    if isinstance(value, list):
        return f"{len(value)} events"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
