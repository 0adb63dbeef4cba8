"""Reads an XSpace with nothing but the wire format, for tools that check Stepscope and share no code with it.

  for plane in planes(PATH): plane.name, plane.lines (name, events), event.name, .begin, .end (ps), .stats

A file of Riegeli records is read if it is one block of records without compression or with Brotli.
"""
import ctypes
import ctypes.util
import struct


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """(number, value) of each field: an int, or the bytes of a message, string or fixed number."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(kind)
            if size is None:
                size, at = varint(data, at)
            value = data[at:at + size]
            at += size
        yield key >> 3, value


def text(data):
    return data.decode('utf-8', 'replace')


def signed(value):
    return value - (1 << 64) if value >> 63 else value


class Event:
    __slots__ = ('name', 'begin', 'end', 'stats')


class Line:
    def __init__(self, data, plane):
        self.name, begin, events = '', 0, []
        for number, value in fields(data):
            if number == 2:
                self.name = text(value)
            elif number == 3:
                begin = signed(value) * 1000
            elif number == 4:
                events.append(value)
        self.events = [self.event(e, begin, plane) for e in events]

    def event(self, data, line_begin, plane):
        event, offset, duration, stats, meta = Event(), 0, 0, {}, ('', {})
        for number, value in fields(data):
            if number == 1:
                meta = plane.names.get(value, meta)
            elif number == 2:
                offset = signed(value)
            elif number == 3:
                duration = signed(value)
            elif number == 4:
                key, stat = plane.stat(value)
                stats[key] = stat
        event.name, event.stats = meta[0], {**meta[1], **stats}
        event.begin = line_begin + offset
        event.end = event.begin + duration
        return event


class Plane:
    def __init__(self, data):
        self.name, lines, names, self.words = '', [], [], {}
        for number, value in fields(data):
            if number == 2:
                self.name = text(value)
            elif number == 3:
                lines.append(value)
            elif number == 4:
                names.append(dict(fields(value)))
            elif number == 5:
                entry = dict(fields(value))
                self.words[entry.get(1, 0)] = text(dict(fields(entry.get(2, b''))).get(2, b''))
        self.names = {}
        for entry in names:
            meta = list(fields(entry.get(2, b'')))
            stats = dict(self.stat(value) for number, value in meta if number == 5)
            self.names[entry.get(1, 0)] = (text(dict(meta).get(2, b'')), stats)
        self.lines = [Line(data, self) for data in lines]

    def stat(self, data):
        key = value = None
        for number, raw in fields(data):
            if number == 1:
                key = self.words.get(raw)
            elif number == 2:
                value = struct.unpack('<d', raw)[0]
            elif number == 4:
                value = signed(raw)
            elif number == 5:
                value = text(raw)
            elif number == 7:
                value = self.words.get(raw)
            else:
                value = raw
        return key, value


def brotli(data, size):
    library = ctypes.CDLL(ctypes.util.find_library('brotlidec'))
    out, n = ctypes.create_string_buffer(size), ctypes.c_size_t(size)
    if library.BrotliDecoderDecompress(ctypes.c_size_t(len(data)), data, ctypes.byref(n), out) != 1:
        raise ValueError('not Brotli')
    return out.raw[:n.value]


def riegeli_records(data):
    """The records of all simple chunks; riegeli's doc/riegeli_records_file_format.md has the layout."""
    at = 0x40  # behind the block's header and the signature
    while at + 40 <= len(data):
        _, size, _, kind, _ = struct.unpack_from('<QQQQQ', data, at)
        chunk = data[at + 40:at + 40 + size]
        at += 40 + size
        if kind & 255 != ord('r'):
            continue
        unpack = {0: lambda d: d, ord('b'): lambda d: brotli(d[varint(d, 0)[1]:], varint(d, 0)[0])}[chunk[0]]
        length, begin = varint(chunk, 1)
        sizes, values = unpack(chunk[begin:begin + length]), unpack(chunk[begin + length:])
        here = first = 0
        while here < len(sizes):
            n, here = varint(sizes, here)
            yield values[first:first + n]
            first += n


def planes(path):
    with open(path, 'rb') as f:
        data = f.read()
    riegeli = data[:8] == bytes.fromhex('83af70d10d884a3f')
    for record in riegeli_records(data) if riegeli else [data]:
        for number, value in fields(record):
            if number == 1:
                yield Plane(value)
