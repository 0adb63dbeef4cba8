#!/usr/bin/env bash
# Installs a wheel into bare systems and uses it there: check_roots.sh WHEEL SAMPLE FOLDER [ROOT...]
# ROOT: bullseye, bookworm (Debian 11, 12), jammy, noble (Ubuntu 22.04, 24.04); default: all. FOLDER keeps the roots, so
# that the next run only uses them. The script needs root and debootstrap. It skips a root whose packages cannot be
# reached, with a message: then only the wheel's name, which comes from its symbols, is checked.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
wheel=$(realpath "$1") sample=$(realpath "$2")
mkdir -p "$3"
folder=$(cd "$3" && pwd)
shift 3
(($#)) || set -- bullseye bookworm jammy noble
packages=python3-venv,libegl1,libgl1,libegl-mesa0,libgl1-mesa-dri  # what a desktop has: Python and OpenGL by Mesa
source "$here/../roots.sh"
failed=()

use() {  # use NAME
  local inside=$folder/$1/check
  rm -rf "$inside"
  mkdir "$inside"
  cp -r "$wheel" "$here/check_wheel.py" "$inside/"
  cp -r "$sample" "$inside/sample"
  chroot "$folder/$1" env -i PATH=/usr/bin:/bin HOME=/root LANG=C.UTF-8 \
    sh -c 'cd /check && exec python3 check_wheel.py "$1" sample' _ "$(basename "$wheel")"
}

for name in "$@"; do
  if ! make_root "$name" "$packages"; then
    echo "SKIPPED: $name: $(tail -1 "$folder/$name.log" 2>/dev/null)"
  elif use "$name"; then
    echo "$name: good"
  else
    failed+=("$name")
  fi
done
((${#failed[@]} == 0)) || { echo "failed in ${failed[*]}" >&2; exit 1; }
