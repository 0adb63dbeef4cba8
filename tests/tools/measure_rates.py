#!/usr/bin/env python3
"""Measures what rules of findings assume, in PyTorch traces with shapes (docs/measurements/findings.md has the table).

  tests/tools/measure_rates.py TRACE.json.gz...

Without Stepscope's code: a kernel belongs to the innermost op with shapes around its launch. A matrix product of
b x m x k by k x n is 2 b m n k operations, attention 2 b h sq sk (dq + dv), whatever a mask leaves out. The fastest product is one of 20 us and
more. A norm, or an addition or product of 100 us and more, moves its inputs and its output once. Products of 32 bits
with and without matrix units are compared where they have about equally many operations. The cost of a
recorded Python function is the time between the begins of two calls of isinstance that follow each other.
"""
import bisect
import gzip
import json
import math
import os
import re
import statistics
import sys

SIZES = {'float': 4, 'double': 8, 'c10::BFloat16': 2, 'c10::Half': 2, 'long int': 8}
PRODUCT = re.compile(r'gemm|Cijk|nvjet|cutlass')
PRODUCTS = ('aten::mm', 'aten::addmm', 'aten::bmm', 'aten::baddbmm')


def product(dims):
    a, b = [d for d in dims if len(d) in (2, 3)][-2:]
    return 2 * (a[0] if len(a) == 3 else 1) * a[-2] * a[-1] * b[-1]


def attention(dims):
    q, k, v = dims[:3]
    return 2 * q[0] * q[1] * q[2] * k[2] * (q[3] + v[3])


def moved(args):
    total = 0
    for dims, kind in zip(args.get('Input Dims', []), args.get('Input type', [])):
        size = SIZES.get(kind, 0)
        for n in dims:
            size *= n
        total += size if dims else 0
    return total


class Ops:
    """The ops with shapes of each thread."""

    def __init__(self, events):
        self.of_thread = {}
        for e in sorted((e for e in events if e.get('cat') == 'cpu_op'), key=lambda e: e['ts']):
            if any(e.get('args', {}).get('Input Dims', [])):
                self.of_thread.setdefault(e['tid'], []).append(e)
        self.begins = {tid: [e['ts'] for e in ops] for tid, ops in self.of_thread.items()}

    def around(self, call, names=None):
        """The innermost op around a call on its thread, or that with one of the names."""
        ops = self.of_thread.get(call['tid'], [])
        at = bisect.bisect_right(self.begins.get(call['tid'], []), call['ts'])
        for op in reversed(ops[max(0, at - 32):at]):
            if op['ts'] + op['dur'] >= call['ts'] and (names is None or op['name'] in names):
                return op
        return None


def read(path):
    """Each kernel with the innermost op with shapes around its launch, and the call that launched it."""
    with (gzip.open(path) if path.endswith('.gz') else open(path)) as f:
        events = [e for e in json.load(f)['traceEvents'] if e.get('ph') == 'X']
    ops = Ops(events)
    calls = {e['args']['correlation']: e for e in events if
             e.get('cat') in ('cuda_runtime', 'cuda_driver', 'Runtime') and 'correlation' in e.get('args', {})}
    for kernel in (e for e in events if e.get('cat') in ('kernel', 'Kernel')):
        call = calls.get(kernel.get('args', {}).get('correlation'))
        op = ops.around(call) if call else None
        if op is not None:
            yield kernel, op, lambda names: ops.around(call, names)


FUSED = ('aten::_scaled_dot_product_flash_attention', 'aten::_scaled_dot_product_efficient_attention',
         'aten::_scaled_dot_product_cudnn_attention')


def measure(path):
    products, fused, norms, plain = [], [], [], []  # pairs: rate, and duration in us or the kernel's name
    for kernel, op, around in read(path):
        name, seconds = kernel['name'], kernel['dur'] / 1e6
        if op['name'] in PRODUCTS and seconds >= 20e-6 and PRODUCT.search(name):
            products.append((product(op['args']['Input Dims']) / seconds / 1e12, name))
        elif re.search(r'flash_fwd|fmha|attn_fwd', name):
            call = around(FUSED) or op
            dims = [d for d in call['args']['Input Dims'] if len(d) == 4]
            if len(dims) >= 3:
                fused.append((attention(dims) / seconds / 1e12, seconds * 1e6))
        elif re.search(r'vectorized_layer_norm_kernel', name):
            first = {'Input Dims': op['args']['Input Dims'][:1], 'Input type': op['args']['Input type'][:1]}
            norms.append((2 * moved(first) / seconds / 1e9, seconds * 1e6))
        elif 'vectorized_elementwise' in name and seconds >= 100e-6 and op['name'] in ('aten::mul', 'aten::add'):
            whole = moved(op['args'])
            first = {'Input Dims': op['args']['Input Dims'][:1], 'Input type': op['args']['Input type'][:1]}
            plain.append(((whole + moved(first)) / seconds / 1e9, seconds * 1e6))
    return products, fused, norms, plain


def by_unit(path):
    """How much faster float32 products are on matrix units (TF32), by powers of two of their operations."""
    rates = {}
    for kernel, op, _ in read(path):
        seconds, types = kernel['dur'] / 1e6, [t for t in op['args'].get('Input type', []) if t in SIZES]
        if op['name'] not in PRODUCTS or not PRODUCT.search(kernel['name']) or seconds <= 0 or 'float' not in types:
            continue
        flops = product(op['args']['Input Dims'])
        kind = 'without' if re.search('sgemm|simt|ffma', kernel['name']) else \
            'with' if re.search('s1688|tf32', kernel['name']) else None
        rates.setdefault((round(math.log2(flops)), kind), []).append(flops / seconds)
    pairs = {size: statistics.median(rates[size, 'with']) / statistics.median(rates[size, 'without'])
             for size, kind in rates if kind == 'with' and (size, 'without') in rates}
    if not pairs:
        return '-'
    return f'{statistics.median(pairs.values()):.1f} ({min(pairs.values()):.1f} to {max(pairs.values()):.1f})'


def per_function(path):
    """The median time in us from one call of isinstance to the next in the same function."""
    with (gzip.open(path) if path.endswith('.gz') else open(path)) as f:
        calls = [e for e in json.load(f)['traceEvents'] if e.get('cat') == 'python_function']
    calls.sort(key=lambda e: (e['tid'], e['ts'], -e['dur']))
    times = [b['ts'] - a['ts'] for a, b in zip(calls, calls[1:])
             if a['name'] == b['name'] == '<built-in function isinstance>' and a['tid'] == b['tid'] and
             a['args'].get('Python parent id') == b['args'].get('Python parent id')]
    return f'{statistics.median(times):.2f} ({len(times)})' if times else '-'


def by_alignment(products):
    """The median rate of products whose kernels read single elements, and of the others."""
    narrow = [rate for rate, name in products if re.search(r'align[12](_|$|\b)', name)]
    wide = [rate for rate, name in products if re.search(r'align[48](_|$|\b)', name)]
    text = lambda rates: f'{statistics.median(rates):.1f} ({len(rates)})' if rates else '-'
    return text(narrow) + ' / ' + text(wide) if narrow else '-'


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print('| recording | fastest product (TFLOP/s) | fused attention | of the fastest | layer norms (GB/s) | additions and products (GB/s) | '
          'align1 and 2 / 4 and 8 (TFLOP/s) | TF32 / float32 | a Python function (us) |')
    print('|---|---|---|---|---|---|---|---|---|')
    for path in sys.argv[1:]:
        products, fused, norms, plain = measure(path)
        best = max((rate for rate, _ in products), default=0)
        rate = statistics.median(r for r, _ in fused) if fused else 0
        us = statistics.median(t for _, t in fused) if fused else 0
        text = lambda some: f'{statistics.median(r for r, _ in some):.0f} ({len(some)} of {statistics.median(t for _, t in some):.0f} us)' if some else '-'
        cells = [f'{best:.0f}' if best else '-', f'{rate:.0f} ({len(fused)} of {us:.0f} us)' if fused else '-',
                 f'{100 * rate / best:.0f} %' if best and fused else '-', text(norms), text(plain), by_alignment(products),
                 by_unit(path), per_function(path)]
        print(f'| {os.path.basename(path).split(".")[0]} | ' + ' | '.join(cells) + ' |')


if __name__ == '__main__':
    main()
