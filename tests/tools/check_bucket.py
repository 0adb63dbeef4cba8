#!/usr/bin/env python3
"""Checks https:// and s3:// addresses against servers on 127.0.0.1.

check_bucket.py PROGRAM PROFILE: serves the profile by HTTP, which curl reads, and from a bucket of moto's S3, which aws
reads. What is not installed is left out; prints SKIPPED where nothing is.
"""

import functools
import http.server
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

FAILED = []


def expect(good, what):
    if not good:
        FAILED.append(what)
        print(f'  wrong: {what}')


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, check=False, timeout=120)
    return done.returncode, done.stdout, done.stderr.decode(errors='replace')


def equal(program, address, profile):
    """The report of the address is that of the file but for the path."""
    far, near = (run(program, 'report', path, '--format', 'json') for path in (address, profile))
    expect(far[0] == 0, f'{address}: {far[2]}')
    expect(far[1].replace(address.encode(), str(profile).encode()) == near[1], f'{address}: the report differs')


def expect_error(program, address, *texts):
    status, out, error = run(program, 'info', address)
    expect(status == 3 and not out and error.count('\n') == 1, f'{address}: status {status}: {error}')
    for text in texts:
        expect(text in error, f'{text!r} is not in {error!r}')


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def web(program, profile):
    handler = functools.partial(Quiet, directory=str(profile.parent))
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f'http://127.0.0.1:{server.server_port}'
    equal(program, f'{address}/{profile.name}', profile)
    expect_error(program, f'{address}/missing.xplane.pb', address, '404')
    server.shutdown()
    expect_error(program, 'http://127.0.0.1:1/x.xplane.pb', 'http://127.0.0.1:1/x.xplane.pb')


def bucket(program, profile):
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(port=0)
    server.start()
    host, port = server.get_host_and_port()
    os.environ.update(AWS_ENDPOINT_URL=f'http://{host}:{port}', AWS_ACCESS_KEY_ID='x', AWS_SECRET_ACCESS_KEY='x',
                      AWS_DEFAULT_REGION='us-east-1', AWS_EC2_METADATA_DISABLED='true')
    store = boto3.client('s3')
    store.create_bucket(Bucket='team')
    ending = profile.name[profile.name.index('.'):]
    for key in (f'a b/{profile.name}', f'logs/plugins/profile/2026_11_24/vm{ending}',
                f'logs/plugins/profile/2026_11_25/vm{ending}'):
        store.upload_file(str(profile), 'team', key)
    equal(program, f's3://team/a b/{profile.name}', profile)
    status, out, error = run(program, 'info', 's3://team/logs', '--json')
    expect(status == 0 and b'2026_11_25' in out and b'2026_11_24' in out, f's3://team/logs: {out} {error}')
    expect_error(program, f's3://team/missing{ending}', 's3://team/missing', '404')
    expect_error(program, 's3://nobody/logs', 's3://nobody/logs')
    server.stop()


def main():
    program, profile = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        os.environ['STEPSCOPE_CONFIG_DIR'] = folder
        ran = 0
        if shutil.which('curl'):
            web(program, profile)
            ran += 1
        try:
            import boto3, moto  # noqa: F401, E401
            has_bucket = shutil.which('aws') is not None
        except ImportError:
            has_bucket = False
        if has_bucket:
            bucket(program, profile)
            ran += 1
        else:
            print('moto, boto3 or aws is not installed: no s3://')
    if ran == 0:
        print('SKIPPED: neither curl nor moto and aws are installed')
    return 1 if FAILED else 0


if __name__ == '__main__':
    sys.exit(main())
