"""The Arrow C stream interface without pyarrow.

Streams become capsules for libraries that take them, or Python values. The structures are those of
https://arrow.apache.org/docs/format/CDataInterface.html.
"""

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p


class ArrowSchema(ctypes.Structure):
    pass


class ArrowArray(ctypes.Structure):
    pass


class ArrowArrayStream(ctypes.Structure):
    pass


ArrowSchema._fields_ = [
    ("format", c_char_p), ("name", c_char_p), ("metadata", c_void_p), ("flags", c_int64), ("n_children", c_int64),
    ("children", POINTER(POINTER(ArrowSchema))), ("dictionary", POINTER(ArrowSchema)),
    ("release", CFUNCTYPE(None, POINTER(ArrowSchema))), ("private_data", c_void_p)]
ArrowArray._fields_ = [
    ("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64),
    ("n_children", c_int64), ("buffers", POINTER(c_void_p)), ("children", POINTER(POINTER(ArrowArray))),
    ("dictionary", POINTER(ArrowArray)), ("release", CFUNCTYPE(None, POINTER(ArrowArray))),
    ("private_data", c_void_p)]
ArrowArrayStream._fields_ = [
    ("get_schema", CFUNCTYPE(c_int, POINTER(ArrowArrayStream), POINTER(ArrowSchema))),
    ("get_next", CFUNCTYPE(c_int, POINTER(ArrowArrayStream), POINTER(ArrowArray))),
    ("get_last_error", CFUNCTYPE(c_char_p, POINTER(ArrowArrayStream))),
    ("release", CFUNCTYPE(None, POINTER(ArrowArrayStream))), ("private_data", c_void_p)]


def release(structure):
    """Releases a schema, an array or a stream; does nothing if it is released or was moved out."""
    if structure.release:
        structure.release(ctypes.byref(structure))


# --- Capsules ------------------------------------------------------------------------------------
# The destructor is called when nothing refers to the capsule any more. It gets the capsule as an address, because
# counting references to it again would be wrong.
_Destructor = CFUNCTYPE(None, c_void_p)
_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [c_void_p, c_char_p, _Destructor]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = c_void_p, [c_void_p, c_char_p]
_exported = {}  # by address: the structures that capsules point at


def _destroyer(name):
    def destroy(capsule):
        structure = _exported.pop(_pointer(capsule, name), None)
        if structure is not None:
            release(structure)
    return _Destructor(destroy)


_STREAM, _SCHEMA = b"arrow_array_stream", b"arrow_schema"
_destroy = {_STREAM: _destroyer(_STREAM), _SCHEMA: _destroyer(_SCHEMA)}


def _capsule(structure, name):
    address = ctypes.addressof(structure)
    _exported[address] = structure
    return _new(address, name, _destroy[name])


def stream_capsule(stream):
    """A capsule that owns the stream and releases it, unless a reader moved it out."""
    return _capsule(stream, _STREAM)


def schema_capsule(schema):
    """A capsule that owns the schema and releases it, unless a reader moved it out."""
    return _capsule(schema, _SCHEMA)


# --- Values --------------------------------------------------------------------------------------
def check(stream, status):
    """Raises where a function of the stream returned an error number."""
    if status == 12:  # ENOMEM
        raise MemoryError("there is not enough memory")
    if status:
        raise OSError(status, stream.get_last_error(ctypes.byref(stream)) or b"a stream failed")


def schema_of(stream):
    """The type of the stream's arrays; the caller releases it."""
    schema = ArrowSchema()
    check(stream, stream.get_schema(ctypes.byref(stream), ctypes.byref(schema)))
    return schema


def batches(stream):
    """Yields the arrays of a stream; each is released when the next one is asked for."""
    while True:
        array = ArrowArray()
        check(stream, stream.get_next(ctypes.byref(stream), ctypes.byref(array)))
        if not array.release:
            return
        try:
            yield array
        finally:
            release(array)


def metadata_of(schema):
    """The metadata of a field, as {key: value}."""
    if not schema.metadata:
        return {}
    at = schema.metadata

    def number():
        nonlocal at
        value = ctypes.c_int32.from_address(at).value
        at += 4
        return value

    def text():
        nonlocal at
        size = number()
        value = ctypes.string_at(at, size).decode()
        at += size
        return value

    return {text(): text() for _ in range(number())}


def _items(array, buffer, kind, first, count):
    """Numbers of a buffer. `kind` is their format in the module struct."""
    if count == 0:
        return []
    size = {"q": 8, "d": 8, "i": 4}[kind]
    raw = (ctypes.c_char * (count * size)).from_address(array.buffers[buffer] + first * size)
    return memoryview(raw).cast("B").cast(kind).tolist()


def _bits(array, buffer, first, count):
    if count == 0:
        return []
    raw = ctypes.string_at(array.buffers[buffer] + first // 8, (first % 8 + count + 7) // 8)
    return [bool(raw[i // 8] >> i % 8 & 1) for i in range(first % 8, first % 8 + count)]


def _texts(array, first, count):
    offsets = _items(array, 1, "q", first, count + 1)
    if not offsets or offsets[0] == offsets[-1]:
        return [""] * count
    raw = ctypes.string_at(array.buffers[2] + offsets[0], offsets[-1] - offsets[0])
    base = offsets[0]
    return [raw[begin - base:end - base].decode() for begin, end in zip(offsets, offsets[1:])]


def _records(schema, array, first, count):
    names = [schema.children[i].contents.name.decode() for i in range(schema.n_children)]
    columns = [values(schema.children[i].contents, array.children[i].contents, first, count)
               for i in range(schema.n_children)]
    return [dict(zip(names, row)) for row in zip(*columns)]


def _lists(schema, array, first, count, kind):
    offsets = _items(array, 1, kind, first, count + 1)
    item, items = schema.children[0].contents, array.children[0].contents
    base = offsets[0] if offsets else 0
    flat = values(item, items, base, (offsets[-1] if offsets else 0) - base)
    return [flat[begin - base:end - base] for begin, end in zip(offsets, offsets[1:])]


def values(schema, array, first, count):
    """Rows [first, first + count) of a column as Python values; None where a row has no value."""
    first += array.offset
    kind = schema.format
    if schema.dictionary:
        texts = values(schema.dictionary.contents, array.dictionary.contents, 0, array.dictionary.contents.length)
        found = [texts[i] for i in _items(array, 1, "i", first, count)]
    elif kind == b"l":
        found = _items(array, 1, "q", first, count)
    elif kind == b"g":
        found = _items(array, 1, "d", first, count)
    elif kind == b"b":
        found = _bits(array, 1, first, count)
    elif kind == b"U":
        found = _texts(array, first, count)
    elif kind == b"+L":
        found = _lists(schema, array, first, count, "q")
    elif kind == b"+m":
        found = [{e["key"]: e["value"] for e in entries} for entries in _lists(schema, array, first, count, "i")]
    elif kind == b"+s":
        found = _records(schema, array, first, count)
    else:
        raise TypeError(f"a column of kind {kind.decode()}")
    if array.null_count and array.buffers[0]:
        there = _bits(array, 0, first, count)
        found = [value if ok else None for value, ok in zip(found, there)]
    return found
