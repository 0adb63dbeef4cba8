#!/usr/bin/env python3
"""Draws the stacks of a profile by perf as an SVG: a frame's width is its share of processor time.

    perf record -e cpu-clock -F 2000 --call-graph dwarf,16384 -o p.data stepscope report PATH --panel overview
    perf script -i p.data -F ip,sym --no-inline | tests/tools/flame_graph.py TITLE > graph.svg

Threads of ParallelFor begin their stacks with the work that they were given. Frames that take less than two
thousandths are left out, and so are those of starting threads and of calling functions through std::function.
"""

import html
import re
import sys

WIDTH, ROW, LEAST = 1200, 16, 0.002
SKIP = re.compile(r"^(_start|main|__libc|\[unknown\]|clone3|start_thread|std::(thread|jthread|function)|Run$|int NewCommand)")


def short(symbol):
    symbol = re.sub(r"stepscope::|\(anonymous namespace\)::|\[clone.*|\+0x[0-9a-f]+$", "", symbol)
    inner = re.search(r"_Function_handler<.*?\), (.*?)>::_M_invoke", symbol)
    symbol = inner.group(1) if inner else symbol
    symbol = re.sub(r"\{lambda.*", "{lambda}", symbol)
    while True:  # parameters and template arguments say little
        cut = re.sub(r"<[^<>]*>|\([^()]*\)( const)?", "", symbol)
        if cut == symbol:
            return symbol.strip()
        symbol = cut


def stacks(lines):
    stack = []
    for line in lines:
        if line.strip():
            frame = re.match(r"\s+[0-9a-f]+ (.*)$", line)
            if frame:
                stack.append(short(frame.group(1)))
        elif stack:
            yield [f for f in reversed(stack) if f and not SKIP.match(f)]
            stack = []
    if stack:
        yield [f for f in reversed(stack) if f and not SKIP.match(f)]


def add(tree, stack):
    tree["n"] += 1
    for frame in stack:
        tree = tree["of"].setdefault(frame, {"n": 0, "of": {}})
        tree["n"] += 1


def depth(node, all_samples):
    return 1 + max((depth(c, all_samples) for c in node["of"].values() if c["n"] >= LEAST * all_samples), default=0)


def draw(name, node, x, level, all_samples, height, out):
    width = WIDTH * node["n"] / all_samples
    if node["n"] < LEAST * all_samples:
        return
    hue = 20 + sum(map(ord, name)) % 35
    y = height - (level + 1) * ROW
    label = f"{name}: {100 * node['n'] / all_samples:.1f} %"
    text = name[: int(width / 6.2)] if width > 20 else ""
    out.append(f'<g><title>{html.escape(label)}</title><rect x="{x:.1f}" y="{y}" width="{max(width - 0.4, 0.2):.1f}" '
               f'height="{ROW - 1}" fill="hsl({hue},70%,62%)"/>'
               + (f'<text x="{x + 2:.1f}" y="{y + 11}">{html.escape(text)}</text>' if text else "") + "</g>")
    for child, below in sorted(node["of"].items()):
        draw(child, below, x, level + 1, all_samples, height, out)
        x += WIDTH * below["n"] / all_samples


def main():
    tree = {"n": 0, "of": {}}
    for stack in stacks(sys.stdin):
        add(tree, stack)
    if not tree["n"]:
        sys.exit("no stacks: give the output of perf script")
    title = f"{sys.argv[1] if len(sys.argv) > 1 else ''}: {tree['n']} samples"
    height = ROW * (depth(tree, tree["n"]) + 2)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
           f'font-size="10"><rect width="{WIDTH}" height="{height}" fill="white"/>'
           f'<text x="4" y="12" font-size="12">{html.escape(title)}</text>']
    draw("all", tree, 0, 0, tree["n"], height, out)
    print("\n".join(out) + "\n</svg>")


if __name__ == "__main__":
    main()
