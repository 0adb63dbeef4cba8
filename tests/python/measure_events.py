#!/usr/bin/env python3
"""Measures how long the events of an open profile take to become a polars frame: measure_events.py PATH"""

import sys
import time

from support import ROOT  # noqa: F401  (finds the module)

import polars
import stepscope


def main():
    begin = time.perf_counter()
    profile = stepscope.open(sys.argv[1])
    print(f"opened in {time.perf_counter() - begin:.3f} s: {profile.event_count} events")
    for order in ["time"] * 5 + ["track"] * 5:
        begin, used = time.perf_counter(), time.process_time()
        table = profile.events(order=order)
        middle, between = time.perf_counter(), time.process_time()
        frame = polars.DataFrame(table)
        end, after = time.perf_counter(), time.process_time()
        print(f"by {order}: {len(frame)} rows in {end - begin:.3f} s ({after - used:.3f} s of processor time): "
              f"events {middle - begin:.3f} ({between - used:.3f}), polars {end - middle:.3f} ({after - between:.3f})")


if __name__ == "__main__":
    main()
