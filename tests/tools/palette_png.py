#!/usr/bin/env python3
"""Rewrites 8-bit RGB pictures with a palette of 256 colours, a third of the bytes: tests/tools/palette_png.py FILE.png...

The most frequent colours stay as they are, the others become the nearest of them and of means of what is left.
"""
import collections
import multiprocessing
import struct
import sys
import zlib

EXACT = 160  # colours that are kept; the rest of the palette are means


def chunks(data):
    at = 8
    while at < len(data):
        length, kind = struct.unpack('>I4s', data[at:at + 8])
        yield kind, data[at + 8:at + 8 + length]
        at += 12 + length


def unfilter(kind, line, above):
    for i in range(len(line)):
        left = line[i - 3] if i >= 3 else 0
        up, corner = above[i], above[i - 3] if i >= 3 else 0
        if kind == 1:
            line[i] = (line[i] + left) & 255
        elif kind == 2:
            line[i] = (line[i] + up) & 255
        elif kind == 3:
            line[i] = (line[i] + (left + up) // 2) & 255
        elif kind == 4:
            guess = left + up - corner
            a, b, c = abs(guess - left), abs(guess - up), abs(guess - corner)
            line[i] = (line[i] + (left if a <= b and a <= c else up if b <= c else corner)) & 255


def read(path):
    with open(path, 'rb') as f:
        data = f.read()
    width = height = 0
    packed = b''
    for kind, body in chunks(data):
        if kind == b'IHDR':
            width, height, depth, color = struct.unpack('>IIBB', body[:10])
            if (depth, color) != (8, 2):
                return None
        elif kind == b'IDAT':
            packed += body
    raw = zlib.decompress(packed)
    lines, above, step = [], bytearray(width * 3), width * 3 + 1
    for y in range(height):
        line = bytearray(raw[y * step + 1:(y + 1) * step])
        if raw[y * step]:
            unfilter(raw[y * step], line, above)
        lines.append(bytes(line))
        above = line
    return width, height, lines


def palette_of(counts):
    common = [c for c, _ in counts.most_common(256 if len(counts) <= 256 else EXACT)]
    rest = collections.defaultdict(lambda: [0, 0, 0, 0])
    chosen = set(common)
    for color, n in counts.items():
        if color not in chosen:
            cell = rest[tuple(v >> 4 for v in color)]
            for i in range(3):
                cell[i] += color[i] * n
            cell[3] += n
    largest = sorted(rest.values(), key=lambda c: -c[3])[:256 - len(common)]
    return common + [bytes(c[i] // c[3] for i in range(3)) for c in largest]


def write(path, width, height, lines):
    counts = collections.Counter()
    for line in lines:
        counts.update(line[i:i + 3] for i in range(0, len(line), 3))
    palette = palette_of(counts)
    index = {color: i for i, color in enumerate(palette)}
    for r, g, b in counts:
        if bytes((r, g, b)) not in index:
            index[bytes((r, g, b))] = min(range(len(palette)), key=lambda i: (
                (palette[i][0] - r) ** 2 + (palette[i][1] - g) ** 2 + (palette[i][2] - b) ** 2))
    raw = b''.join(b'\0' + bytes(index[line[i:i + 3]] for i in range(0, len(line), 3)) for line in lines)

    def chunk(kind, body):
        return struct.pack('>I', len(body)) + kind + body + struct.pack('>I', zlib.crc32(kind + body))

    with open(path, 'wb') as f:
        f.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 3, 0, 0, 0)) +
                chunk(b'PLTE', b''.join(palette)) + chunk(b'IDAT', zlib.compress(raw, 9)) + chunk(b'IEND', b''))


def convert(path):
    picture = read(path)
    if picture is not None:
        write(path, *picture)


if __name__ == '__main__':
    with multiprocessing.Pool() as pool:
        pool.map(convert, sys.argv[1:], chunksize=1)
