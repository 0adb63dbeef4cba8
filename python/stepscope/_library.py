"""The functions of libstepscope (capi/stepscope.h), and handles that give back what it made.

ctypes.CDLL releases the lock of the interpreter, so other threads run during a call.
"""

import ctypes
import os
import weakref
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

from ._arrow import ArrowArrayStream
from ._errors import BY_STATUS, Error

ABI = 1  # STEPSCOPE_ABI of the header that this module is written for
WITH_ARGS = 1
BY_TRACK = 2
COMPAT_XPROF = 1


class OpenOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("run", c_char_p), ("max_inflated_bytes", c_uint64)]


class Hlo(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("program", c_char_p), ("instruction", c_char_p), ("memory_space", c_int64),
                ("has_radius", c_int32), ("radius", c_int64)]


class Part(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("host", c_char_p), ("range_begin_ps", c_int64), ("range_end_ps", c_int64),
                ("has_steps", c_int32), ("first_step", c_int64), ("last_step", c_int64), ("hlo", POINTER(Hlo)),
                ("peaks", c_char_p)]


class FleetFile(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("path", c_char_p), ("run", c_char_p), ("error", c_char_p), ("bytes", c_int64)]


# The result and the arguments of each function, as in the C header.
_text, _handle, _out, _error = c_char_p, c_void_p, POINTER(c_void_p), POINTER(c_void_p)
FUNCTIONS = {
    "abi": (c_uint32,), "version": (_text,), "free_text": (None, c_void_p),
    "parse_time": (c_int32, _text, POINTER(c_int64), _error),
    "open": (c_int32, POINTER(_text), c_size_t, POINTER(OpenOptions), _out, _error), "close": (None, _handle),
    "profile_path": (_text, _handle), "profile_run": (_text, _handle),
    "profile_run_name": (_text, _handle, c_size_t), "profile_host": (_text, _handle, c_size_t),
    "profile_events": (c_uint64, _handle),
    "profile_span": (None, _handle, POINTER(c_int64), POINTER(c_int64)),
    "profile_origin_unix_ns": (c_int64, _handle),
    "events": (c_int32, _handle, POINTER(Part), _text, c_uint32, _out, _error),
    "event_stats": (c_int32, _handle, POINTER(Part), _text, _text, _out, _error),
    "steps": (c_int32, _handle, _out, _error), "tracks": (c_int32, _handle, _out, _error),
    "panel": (_text, c_size_t),
    "report_of": (c_int32, _handle, _text, POINTER(Part), c_uint32, _out, _error),
    "compare": (c_int32, _handle, _handle, POINTER(Part), POINTER(Part), _out, _error),
    "fleet_tables": (c_int32, _handle, _out, _error),
    "fleet_part": (c_int32, _handle, POINTER(FleetFile), _out, POINTER(c_size_t), _error),
    "report_free": (None, _handle), "report_panel": (_text, _handle), "report_empty_reason": (_text, _handle),
    "report_table_id": (_text, _handle, c_size_t), "report_table_title": (_text, _handle, c_size_t),
    "report_table": (c_int32, _handle, c_size_t, _out, _error),
    "report_properties": (c_int32, _handle, _out, _error), "report_verdicts": (c_int32, _handle, _out, _error),
    "table_free": (None, _handle), "table_rows": (c_int64, _handle),
    "table_stream": (c_int32, _handle, POINTER(ArrowArrayStream), _error),
}


def _path():
    """$STEPSCOPE_LIBRARY, else the library beside this module."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libstepscope.so")
    return os.environ.get("STEPSCOPE_LIBRARY") or beside


def _load():
    path = _path()
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"stepscope: its library cannot be loaded: {error}") from None
    for name, (result, *arguments) in FUNCTIONS.items():
        function = getattr(library, "stepscope_" + name)
        function.restype = result
        function.argtypes = arguments
    if library.stepscope_abi() != ABI:
        raise ImportError(f"stepscope: {path} is of another version than this module")
    return library


_library = _load()


def encode(text):
    """Encodes paths and names as the file system does: bytes that are not UTF-8 are kept."""
    return None if text is None else os.fsencode(text)


def decode(text):
    """Decodes a text of the library; bytes that are not UTF-8 become replacement characters."""
    return None if text is None else text.decode("utf-8", "replace")


def call(name, *arguments):
    """Calls a function that cannot fail."""
    return getattr(_library, "stepscope_" + name)(*arguments)


def ask(name, *arguments):
    """Calls a function that returns a status. Raises the exception of a status that is not OK."""
    error = c_void_p()
    status = call(name, *arguments, ctypes.byref(error))
    if status == 0:
        return
    text = "there is not enough memory"
    if error.value:
        text = decode(ctypes.string_at(error.value))
        call("free_text", error)
    raise BY_STATUS.get(status, Error)(text)


class Handle:
    """Something that the library made. It is freed when nothing refers to it, so never while a call uses it."""

    def __init__(self, address, free):
        self._as_parameter_ = address
        weakref.finalize(self, call, free, address)


def made(free, name, *arguments):
    """Calls a function that makes something and returns its Handle; `free` names the function that frees it."""
    out = c_void_p()
    ask(name, *arguments, ctypes.byref(out))
    return Handle(out, free)


def listed(name, *arguments):
    """All texts of a function that returns the i-th text, and null after the last."""
    texts = []
    while True:
        text = call(name, *arguments, len(texts))
        if text is None:
            return texts
        texts.append(decode(text))


version = decode(call("version"))
