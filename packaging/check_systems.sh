#!/usr/bin/env bash
# Does in bare systems what README.md says about a fresh clone: check_systems.sh FOLDER [SYSTEM...]
# SYSTEM: bookworm, trixie (Debian 12, 13), jammy, noble (Ubuntu 22.04, 24.04); default: all. In each root `./dev run`
# builds a clone of the commit and must write a picture, and `./dev test` tests it. FOLDER keeps the roots, so that the
# next run installs and compiles less. RUN_ONLY=1 leaves the tests out. The script needs root and debootstrap. It skips
# a system whose packages cannot be reached, with a message. jammy is too old to build, and must say so in one line.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
(($#)) || set -- bookworm trixie jammy noble
source "$here/roots.sh"
failed=()

# The clone gets the archives of crates that are here, so that a root needs the network for apt only.
clone() {  # clone NAME
  local inside=$folder/$1/stepscope
  rm -rf "$inside.new"
  git clone -q --no-hardlinks "$here/.." "$inside.new"
  mkdir -p "$inside.new/build/third_party"
  cp "$here"/../build/third_party/*.crate "$inside.new/build/third_party/" 2>/dev/null || true
  [[ ! -d $inside/build ]] || { cp -r "$inside/build/." "$inside.new/build/"; }
  rm -rf "$inside"
  mv "$inside.new" "$inside"
}

# /proc and /dev are the machine's own, as in a container; both are unmounted when the command ends.
inside() {  # inside NAME COMMAND: runs a command in the clone
  local root=$folder/$1
  shift
  unshare --mount sh -c 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"' "$root" \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 sh -c 'cd /stepscope && exec "$@"' _ "$@" </dev/null
}

too_old() { grep '^dev: CMake .* is needed' "$folder/$1.run.log"; }  # too_old NAME: prints the line that says so

use() {  # use NAME
  clone "$1"
  inside "$1" ./dev run >"$folder/$1.run.log" 2>&1 && [[ -s $folder/$1/stepscope/stepscope.png ]] || {
    tail -20 "$folder/$1.run.log" >&2
    return 1
  }
  [[ -z ${RUN_ONLY:-} ]] || return 0
  inside "$1" ./dev test >"$folder/$1.test.log" 2>&1 || { tail -40 "$folder/$1.test.log" >&2; return 1; }
  grep -E '^release: |^All passed' "$folder/$1.test.log"
}

for name in "$@"; do
  if ! make_root "$name" ca-certificates,git; then
    echo "SKIPPED: $name: $(tail -1 "$folder/$name.log" 2>/dev/null)"
  elif [[ $name == jammy ]]; then
    clone jammy
    ! inside jammy ./dev run >"$folder/jammy.run.log" 2>&1 && too_old jammy || failed+=(jammy)
  elif use "$name"; then
    echo "$name: good"
  else
    failed+=("$name")
  fi
done
((${#failed[@]} == 0)) || { echo "failed in ${failed[*]}" >&2; exit 1; }
