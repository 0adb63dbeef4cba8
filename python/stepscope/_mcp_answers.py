"""Answers of at most 20,000 characters, which say how to get the rest."""

import json

MOST = 20_000
MOST_CELL = 400  # characters of a text in a table
MOST_ITEMS = 60  # of a map in a table, such as an event's arguments
ROOM = 600  # for what stands around the rows


def _cell(value):
    if isinstance(value, str) and len(value) > MOST_CELL:
        return value[:MOST_CELL] + f"… ({len(value)} characters)"
    if isinstance(value, list) and len(value) > 3:
        return [_cell(item) for item in value[:3]] + [f"… {len(value)} in all"]
    if isinstance(value, dict):
        kept = {key: _cell(item) for key, item in list(value.items())[:MOST_ITEMS]}
        return {**kept, "…": f"{len(value)} in all"} if len(value) > MOST_ITEMS else kept
    return value


def written(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def text_of(value):
    """JSON of a value that is small; of a longer one its begin, as a text in JSON."""
    text = written(value)
    if len(text) <= MOST:
        return text
    rest = "the begin of a longer answer: ask for a part (table_id, query, range or steps)"
    most = MOST - ROOM
    while len(cut := written({"cut": text[:most], "rest": rest})) > MOST:
        most -= len(cut) - MOST  # a quote takes two characters there
    return cut


def table(rows, columns, offset=0, total=None, about=None, most=MOST):
    """Rows as one JSON object: what fits of them from `offset` on. `columns`: name to unit.

    `rows` are dicts, of which the first is row number `offset`. A row that is too long alone is cut to short texts.
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
        kept.append([None if isinstance(value, (list, dict)) else str(value)[:40]
                     for value in (rows[0].get(name) for name in names)])
    head["rows"] = kept
    end = offset + len(kept)
    if end < total:
        head["rest"] = f"rows {offset} to {end - 1} of {total}; ask again with offset={end}"
    return text_of(head)
