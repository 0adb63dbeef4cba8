#!/usr/bin/env python3
"""Checks ssh:// addresses against a real sshd on 127.0.0.1.

check_ssh.py PROGRAM PROFILE LOGDIR: starts sshd as an ordinary process with keys of its own, and a relay before it that
can be slow or cut the connection. Prints SKIPPED where openssh-server is not installed.
"""

import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

SSHD = shutil.which('sshd', path=os.environ.get('PATH', '') + ':/usr/sbin:/sbin')


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


class Relay:
    """Passes connections on to a port: so many bytes a second, and no more than `cut` bytes from it.

    `cut` may be a function that says it for each connection; `passed` counts bytes of all."""

    def __init__(self, to):
        self.to, self.rate, self.cut, self.passed = to, None, None, 0
        self.socket = socket.create_server(('127.0.0.1', 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.socket.accept()
            server = socket.create_connection(('127.0.0.1', self.to))
            threading.Thread(target=self.copy, args=(client, server, None, None), daemon=True).start()
            cut = self.cut() if callable(self.cut) else self.cut
            threading.Thread(target=self.copy, args=(server, client, self.rate, cut), daemon=True).start()

    def copy(self, source, sink, rate, cut):
        passed = 0
        with contextlib.suppress(OSError):
            while data := source.recv(16384):
                if cut is not None and passed + len(data) >= cut:
                    sink.sendall(data[:cut - passed])
                    self.passed += cut - passed
                    break
                sink.sendall(data)
                passed += len(data)
                self.passed += len(data)
                if rate:
                    time.sleep(len(data) / rate)
        for s in (source, sink):
            with contextlib.suppress(OSError):
                s.shutdown(socket.SHUT_RDWR)


class Host:
    """A machine of its own: an sshd with the program in its PATH, or without."""

    def __init__(self, folder, program):
        self.folder = folder
        self.bin = folder / 'bin'
        self.bin.mkdir()
        self.home = folder / 'home'
        self.home.mkdir()
        self.install(program)
        for name in ('host_key', 'user_key', 'other_key'):
            subprocess.run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', folder / name], check=True)
        shutil.copy(folder / 'user_key.pub', folder / 'authorized')
        self.port = free_port()
        (folder / 'sshd_config').write_text(f'''
ListenAddress 127.0.0.1
Port {self.port}
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/authorized
PidFile {folder}/pid
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
ForceCommand export HOME={self.home} PATH={self.bin}:/usr/bin:/bin; exec sh -c "$SSH_ORIGINAL_COMMAND"
''')
        with contextlib.suppress(OSError):
            pathlib.Path('/run/sshd').mkdir(exist_ok=True)
        self.log = open(folder / 'log', 'wb')
        self.process = subprocess.Popen([SSHD, '-D', '-e', '-f', folder / 'sshd_config'], stderr=self.log)
        self.relay = Relay(self.port)
        self.config(key='user_key')

    def install(self, program):
        link = self.bin / 'stepscope'
        link.unlink(missing_ok=True)
        if program is not None:
            link.symlink_to(program)

    def config(self, key, known=True, asks=False):
        """What the user's own configuration of ssh would say. `asks`: ssh may ask the user."""
        public = (self.folder / 'host_key.pub').read_text().split()
        (self.folder / 'known').write_text(f'[127.0.0.1]:{self.relay.port} {public[0]} {public[1]}\n' if known else '')
        (self.folder / 'config').write_text(f'''
Host *
  HostKeyAlgorithms ssh-ed25519
  IdentityFile {self.folder}/{key}
  IdentitiesOnly yes
  UserKnownHostsFile {self.folder}/known
  GlobalKnownHostsFile none
  StrictHostKeyChecking {'ask' if asks else 'yes'}
  BatchMode {'no' if asks else 'yes'}
''')
        os.environ['STEPSCOPE_SSH'] = f'ssh -F {self.folder}/config'

    def wait(self):
        for _ in range(100):
            with contextlib.suppress(OSError), socket.create_connection(('127.0.0.1', self.port)):
                return self.process.poll() is None
            time.sleep(0.05)
        return False

    def address(self, path):
        return f'ssh://127.0.0.1:{self.relay.port}{path}'

    def children(self):
        """Programs that sshd has started for a user."""
        pids = []
        for entry in pathlib.Path('/proc').iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdigit() and f'PATH={self.bin}'.encode() in (entry / 'environ').read_bytes():
                    pids.append(int(entry.name))
        return pids

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.log.close()


FAILED = []


def expect(good, what):
    if not good:
        FAILED.append(what)
        print(f'  wrong: {what}')


def run(program, *arguments, **options):
    done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=120,
                          **options)
    return done.returncode, done.stdout, done.stderr.decode(errors='replace')


def expect_error(result, *texts):
    status, out, error = result
    expect(status == 3 and not out, f'status {status} and {len(out)} bytes of output: {error}')
    expect(error.count('\n') == 1, f'not one line: {error!r}')
    for text in texts:
        expect(text in error, f'{text!r} is not in {error!r}')


def equal_reports(program, host, profile):
    for arguments in (['report', '--format', 'json'], ['events', '--format', 'csv'], ['info']):
        far, near = (run(program, arguments[0], p, *arguments[1:]) for p in (host.address(profile), profile))
        expect(far[0] == 0, far[2])
        if arguments[0] != 'info':
            expect(far[1].replace(host.address(profile).encode(), str(profile).encode()) == near[1],
                   f'{arguments[0]} of {profile} differs')


def log_directory(program, host, logdir):
    status, out, error = run(program, 'info', host.address(logdir), '--json')
    near = json.loads(run(program, 'info', logdir, '--json')[1])
    expect(status == 0, error)
    far = json.loads(out)
    expect(far['runs'] == near['runs'] and far['run'] == near['run'] and far['events'] == near['events'],
           f'runs {far["runs"]} instead of {near["runs"]}')
    expect(far['path'] == host.address(logdir), f'path {far["path"]}')
    expect_status = run(program, 'info', host.address(logdir), '--run', 'no such run')
    expect(expect_status[0] == 2 and 'no such run' in expect_status[2], f'unknown run: {expect_status}')


def failures(program, host, profile):
    expect_error(run(program, 'info', host.address('/no/such/path')), '127.0.0.1', '/no/such/path')
    expect_error(run(program, 'info', f'ssh://no-such-host.invalid{profile}'), 'no-such-host.invalid', 'no host')
    expect_error(run(program, 'info', f'ssh://127.0.0.1:{free_port()}{profile}'), '127.0.0.1', 'refused')
    host.config(key='other_key')
    expect_error(run(program, 'info', host.address(profile)), '127.0.0.1', 'key or password')
    host.config(key='user_key', known=False)
    expect_error(run(program, 'info', host.address(profile)), '127.0.0.1', 'host key')
    host.config(key='user_key')
    host.install(None)
    expect_error(run(program, 'info', host.address(profile)), '127.0.0.1', 'not installed', '--install')
    old = host.bin / 'stepscope'
    old.write_text('#!/bin/sh\necho "The following argument was not expected: serve" >&2\nexit 2\n')
    old.chmod(0o755)
    expect_error(run(program, 'info', host.address(profile)), 'too old')
    old.write_text('#!/bin/sh\nexec cat /dev/zero\n')
    expect_error(run(program, 'info', host.address(profile)), 'other than Stepscope')
    old.write_text("#!/bin/sh\nprintf '\\nSTEPSCOPE-SERVE\\nH\\5\\0\\0\\0\\0\\0\\0\\0\\10\\143\\22\\1x'; cat >/dev/null\n")
    expect_error(run(program, 'info', host.address(profile)), 'another version')
    host.install(None)


def installing(program, host, profile):
    status, _, error = run(program, 'serve', '--install', host.address('/'))
    expect(status == 0, f'--install: {error}')
    expect((host.home / '.cache/stepscope/1/stepscope').exists(), 'nothing was copied')
    status, _, error = run(program, 'info', host.address(profile))
    expect(status == 0, f'after --install: {error}')


def copies_from_the_window(program, host, profile):
    """The window offers to copy the program to a host that has none, and opens the profile then."""
    host.install(None)
    shutil.rmtree(host.home / '.cache', ignore_errors=True)
    far, near = host.folder / 'far.svg', host.folder / 'near.svg'
    for picture, steps in ((far, ('wait_idle', 'file.install_there')), (near, ())):
        path = host.address(profile) if steps else profile
        lines = (f'file.open text="{path}"', *steps, 'wait_idle', 'view.reset_layout', 'wait_idle',
                 f'screenshot {picture}')
        (host.folder / 'steps').write_text('\n'.join(lines) + '\n')
        status, _, error = run(program, 'replay', host.folder / 'steps', '--no-pixels')
        expect(status == 0, f'replay of {lines}: {error}')
    expect((host.home / '.cache/stepscope/1/stepscope').exists(), 'nothing was copied')
    expect(b'<rect' in near.read_bytes() and far.read_bytes() == near.read_bytes(), 'the profile was not opened')


def asking(program, host, profile):
    """ssh asks through SSH_ASKPASS where there is no terminal."""
    subprocess.run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', 'secret', '-f', host.folder / 'locked_key'], check=True)
    with (host.folder / 'authorized').open('a') as keys:
        keys.write((host.folder / 'locked_key.pub').read_text())
    asked = host.folder / 'asked'
    stub = host.folder / 'askpass'
    stub.write_text(f'#!/bin/sh\necho "$1" >>{asked}\ncase "$1" in *authenticity*) echo yes;; *) echo secret;; esac\n')
    stub.chmod(0o755)
    plain = {k: v for k, v in os.environ.items() if k not in ('DISPLAY', 'WAYLAND_DISPLAY', 'SSH_AUTH_SOCK')}
    host.config(key='locked_key', known=False, asks=True)
    plain['STEPSCOPE_SSH'] = os.environ['STEPSCOPE_SSH']
    status, _, error = run(program, 'info', host.address(profile), env=plain | {'SSH_ASKPASS': str(stub)},
                           start_new_session=True)
    expect(status == 0, f'with SSH_ASKPASS: {error}')
    questions = asked.read_text()
    expect('passphrase' in questions and 'authenticity' in questions, f'asked: {questions}')
    host.config(key='locked_key', asks=True)
    expect_error(run(program, 'info', host.address(profile), env=plain, start_new_session=True), 'ssh-add', 'SSH_ASKPASS')
    host.config(key='user_key')


def cuts(program, host, profile):
    """Whatever comes before a cut is kept, and never a crash."""
    kept = 0
    size = store_size(program, profile)
    for share in (0.05, 0.2, 0.4, 0.6, 0.8, 0.9, 0.97):
        host.relay.cut = int(4000 + share * size)
        status, out, error = run(program, 'info', host.address(profile), '--json')
        expect(status in (0, 3), f'cut after {host.relay.cut}: status {status}: {error}')
        if status == 3:
            expect(error.count('\n') == 1 and '127.0.0.1' in error, f'cut: {error!r}')
        else:
            kept += 1
            ids = [d['id'] for d in json.loads(out)['diagnostics']]
            expect('remote.cut' in ids or host.relay.cut > size, f'cut after {host.relay.cut}: {ids}')
    host.relay.cut = None
    expect(kept >= 2, 'nothing is kept of a connection that breaks')


def goes_on(program, host, _):
    """A connection that is cut after random bytes, again and again, brings the whole profile in the end."""
    profile = large_profile(host.folder)
    size = store_size(program, profile)
    rng = random.Random(5)
    shares = iter([0.02, 0.1, 0.35] + [rng.uniform(0, 0.08) for _ in range(60)])
    host.relay.cut = lambda: int(4000 + size * share) if (share := next(shares, None)) is not None else None
    host.relay.passed = 0
    store = host.folder / 'far.stepscope'
    lines = [f'file.open text="{host.address(profile)}"', 'wait_idle'] * 4 + ['file.load_rest', 'wait_idle'] * 61
    lines += [f'file.save_as text="{store}"', 'wait_idle']
    (host.folder / 'steps').write_text('\n'.join(lines) + '\n')
    status, _, error = run(program, 'replay', host.folder / 'steps', '--no-pixels')
    host.relay.cut = None
    expect(status == 0, f'replay: {error}')
    for arguments in (['report', '--format', 'json'], ['events', '--format', 'csv']):
        far, near = (run(program, arguments[0], p, *arguments[1:]) for p in (store, profile))
        expect(far[0] == 0, far[2])
        expect(far[1].replace(str(store).encode(), str(profile).encode()) == near[1], f'{arguments[0]} differs')
    used = 64 - len(list(shares))
    print(f'  {used} connections, {host.relay.passed} bytes for a store of {size}')
    expect(used > 10, f'only {used} connections')
    # Nobody reads a packet of sshd that is cut, which has up to 32 KiB.
    expect(host.relay.passed < size + used * 40_000, f'{host.relay.passed} bytes for a store of {size}')


def store_size(program, profile):
    with tempfile.TemporaryDirectory() as folder:
        store = pathlib.Path(folder) / 'x.stepscope'
        run(program, 'export', profile, '-o', store)
        return store.stat().st_size


def large_profile(folder):
    """A trace whose store does not fit into the buffers between the programs."""
    path = folder / 'large.trace.json'
    rng = random.Random(1)
    with path.open('w') as out:
        out.write('{"traceEvents":[')
        for i in range(60_000):
            out.write(f'{"," if i else ""}{{"ph":"X","name":"op {rng.randrange(500)}","pid":1,"tid":{i % 4},'
                      f'"ts":{i * 10 + rng.random():.6f},"dur":{rng.random() * 9:.6f},"args":{{"x":{rng.random()}}}}}')
        out.write(']}')
    return path


def killed(program, host, _):
    profile = large_profile(host.folder)
    host.install(None)
    slow = host.bin / 'stepscope'  # sends the first part of the answer and then nothing
    slow.write_text(f'#!/bin/sh\n{program} "$@" | {{ head -c 300000; cat >{host.folder}/hold; }}\n')
    slow.chmod(0o755)
    for whom in ('server', 'client'):
        far = subprocess.Popen([program, 'info', host.address(profile), '--json'], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
        for _ in range(500):
            if servers := host.children():
                break
            time.sleep(0.02)
        expect(servers, 'no server was started')
        time.sleep(1)
        if whom == 'server':
            for pid in host.children():
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            out, error = far.communicate(timeout=60)
            expect(far.returncode == 0, f'killed server: {far.returncode} {error}')
            expect(b'remote.cut' in out, f'killed server: {out[:300]}')
        else:
            far.kill()
            far.communicate()
            for _ in range(100):
                if not host.children():
                    break
                time.sleep(0.05)
            expect(not host.children(), 'the server goes on after the client has gone')
    host.install(program)


def slow_link(program, host, _):
    """All comes through a line of 2 MB/s, and nothing is lost."""
    profile = host.folder / 'large.trace.json'
    host.relay.rate = 2_000_000
    far, near = (run(program, 'report', p, '--format', 'json') for p in (host.address(profile), profile))
    host.relay.rate = None
    expect(far[1].replace(host.address(profile).encode(), str(profile).encode()) == near[1],
           f'report through a slow line differs: {far[2]}')


def main():
    if SSHD is None or shutil.which('ssh-keygen') is None:
        print('SKIPPED: openssh-server is not installed')
        return 0
    program, profile, logdir = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
    with tempfile.TemporaryDirectory() as temp:
        folder = pathlib.Path(temp)
        os.environ['STEPSCOPE_CONFIG_DIR'] = str(folder / 'config')
        host = Host(folder, program)
        try:
            if not host.wait():
                print('SKIPPED: sshd cannot be started here:', (folder / 'log').read_text().strip())
                return 0
            for test in (equal_reports, log_directory, cuts, goes_on, killed, slow_link, failures, installing,
                         copies_from_the_window, asking):
                print(test.__name__)
                test(program, host, logdir if test is log_directory else profile)
        finally:
            host.close()
    return 1 if FAILED else 0


if __name__ == '__main__':
    sys.exit(main())
