"""Answers of at most 20,000 characters, which say how to get the rest."""

import json

MOST = 20_000
MOST_CELL = 400  # characters of a text in a table
ROOM = 600  # for what stands around the rows


def _cell(value):
    if isinstance(value, str) and len(value) > MOST_CELL:
        return value[:MOST_CELL] + f"… ({len(value)} characters)"
    if isinstance(value, list) and len(value) > 3:
        return value[:3] + [f"… {len(value)} in all"]
    return value


def written(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def text_of(value):
    """JSON of a value that is small; a longer one is cut."""
    text = written(value)
    return text if len(text) <= MOST else text[:MOST - 60] + "… cut: ask for a part (table, query, range or steps)"


def table(rows, columns, offset=0, total=None, about=None, most=MOST):
    """Rows as one JSON object: what fits of them from `offset` on. `columns`: name to unit.

    `rows` are dicts, of which the first is row number `offset`.
    """
    names = list(columns)
    total = offset + len(rows) if total is None else total
    head = dict(about or {})
    head["columns"] = {name: unit for name, unit in columns.items()}
    head["row_count"] = total
    room = most - len(written(head)) - ROOM
    kept = []
    for row in rows:
        line = [_cell(row.get(name)) for name in names]
        room -= len(written(line)) + 1
        if room < 0:
            break
        kept.append(line)
    if rows and not kept:
        kept.append([None if isinstance(row_value, (list, dict)) else str(row_value)[:40]
                     for row_value in (rows[0].get(name) for name in names)])
    head["rows"] = kept
    end = offset + len(kept)
    if end < total:
        head["rest"] = f"rows {offset} to {end - 1} of {total}; ask again with offset={end}"
    return written(head)
