#!/usr/bin/env bash
# Installs a wheel into bare systems that people have, and uses it there: check_roots.sh WHEEL SAMPLE FOLDER [ROOT...]
# ROOT: bullseye, bookworm (Debian 11, 12), jammy, noble (Ubuntu 22.04, 24.04); all unless named. FOLDER keeps the
# roots, so that the next run only uses them. Needs root and debootstrap. A root whose packages cannot be reached is
# skipped with a message: then the name of the wheel, which comes from its symbols, is what was checked.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
wheel=$(realpath "$1") sample=$(realpath "$2")
mkdir -p "$3"
folder=$(cd "$3" && pwd)
shift 3
(($#)) || set -- bullseye bookworm jammy noble
packages=python3-venv,libegl1,libgl1,libegl-mesa0,libgl1-mesa-dri  # what a desktop has: Python and OpenGL by Mesa
failed=()

# Ubuntu's key is in no package of Debian 12.
ubuntu_key() {
  local name=ubuntu-keyring_2021.03.26_all.deb
  [[ -e $folder/ubuntu.gpg ]] || (
    cd "$folder"
    curl -fsSO "http://archive.ubuntu.com/ubuntu/pool/main/u/ubuntu-keyring/$name"
    sha256sum --quiet -c "$here/ubuntu-keyring.sha256"
    dpkg-deb --fsys-tarfile "$name" | tar -xO ./usr/share/keyrings/ubuntu-archive-keyring.gpg >ubuntu.gpg
  )
  echo "$folder/ubuntu.gpg"
}

make_root() {  # make_root NAME
  local key options=(--variant=minbase "--include=$packages")
  [[ ! -e $folder/$1/made ]] || return 0
  rm -rf "${folder:?}/$1"
  case $1 in
    bullseye | bookworm) debootstrap "${options[@]}" "$1" "$folder/$1" http://deb.debian.org/debian ;;
    *)
      key=$(ubuntu_key) || return 1
      debootstrap "${options[@]}" --components=main,universe "--keyring=$key" "$1" "$folder/$1" \
        http://archive.ubuntu.com/ubuntu gutsy
      ;;
  esac >"$folder/$1.log" 2>&1 && touch "$folder/$1/made"
}

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
  if ! make_root "$name"; then
    echo "SKIPPED: $name: $(tail -1 "$folder/$name.log" 2>/dev/null)"
  elif use "$name"; then
    echo "$name: good"
  else
    failed+=("$name")
  fi
done
((${#failed[@]} == 0)) || { echo "failed in ${failed[*]}" >&2; exit 1; }
