#!/usr/bin/env bash
# Makes bare systems by debootstrap. Scripts that source this file set `folder`, where the roots are kept.
roots_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# Ubuntu's archive, where debootstrap finds it.
ubuntu_archive() { sed -n 's/.*default_mirror \(.*archive.*\)/\1/p' /usr/share/debootstrap/scripts/gutsy; }

# Ubuntu's key is in no package of Debian 12.
ubuntu_key() {
  local name=ubuntu-keyring_2021.03.26_all.deb
  [[ -e $folder/ubuntu.gpg ]] || (
    cd "$folder" && curl -fsSO "$(ubuntu_archive)/pool/main/u/ubuntu-keyring/$name" &&
      sha256sum --quiet -c "$roots_here/wheel/ubuntu-keyring.sha256" >&2 &&
      dpkg-deb --fsys-tarfile "$name" | tar -xO ./usr/share/keyrings/ubuntu-archive-keyring.gpg >ubuntu.gpg
  ) || return 1
  echo "$folder/ubuntu.gpg"
}

make_root() {  # make_root NAME PACKAGES: from the archives that debootstrap knows
  local key options=(--variant=minbase "--include=$2")
  [[ ! -e $folder/$1/made ]] || return 0
  rm -rf "${folder:?}/$1"
  case $1 in
    bullseye | bookworm | trixie) debootstrap "${options[@]}" "$1" "$folder/$1" ;;
    *)
      key=$(ubuntu_key) || return 1
      debootstrap "${options[@]}" --components=main,universe "--keyring=$key" "$1" "$folder/$1" "" gutsy
      ;;
  esac >"$folder/$1.log" 2>&1 && touch "$folder/$1/made"
}
