#!/usr/bin/env python3
"""Times a profile that comes over ssh through a slow line: time_remote.py BUILD PROFILE [MB_PER_SECOND]

BUILD is a build's folder. An sshd of its own runs on 127.0.0.1, before it a relay that passes so many megabytes a
second (2 without a number). Prints what time_load says of the file here and of the same file over ssh: each stage, and
when the first picture was there.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import check_ssh


def main():
    build, profile = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    rate = float(sys.argv[3]) if len(sys.argv) > 3 else 2.0
    timer = build / 'tests/time_load'
    with tempfile.TemporaryDirectory() as temp:
        os.environ['STEPSCOPE_CONFIG_DIR'] = temp
        host = check_ssh.Host(pathlib.Path(temp), build / 'stepscope')
        try:
            if not host.wait():
                sys.exit('sshd cannot be started here')
            host.relay.rate = rate * 1e6
            for path in (profile, host.address(profile)):
                print(path, flush=True)
                subprocess.run([timer, path], check=True)
        finally:
            host.close()


if __name__ == '__main__':
    main()
