#!/usr/bin/env bash
# Makes and checks what is installed (docs/packaging.md). `dev` sources this file for its commands deb, wheel, roots,
# systems and release; the file uses the functions and lists of packages of `dev`.
packages_deb=(dpkg-dev file binutils lintian)
packages_wheel=(  # only the headers of X11 and Wayland: both are loaded at run time
  python3 python3-venv nasm binutils xz-utils
  libx11-dev libxrandr-dev libxinerama-dev libxcursor-dev libxi-dev libwayland-dev libwayland-bin libxkbcommon-dev)
packages_roots=(debootstrap curl)
dist=build/dist

# Times in packages are those of the commit, so that a package made twice is the same file.
commit_time() {
  git log -1 --format=%ct 2>/dev/null || date +%s
}

package_version() {
  dpkg-query -W -f '${Version}' "$1"
}

version() {
  sed -n 's/^project(stepscope VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt
}

make_deb() {  # make_deb FOLDER
  export SOURCE_DATE_EPOCH
  cmake --preset package >&2 && build package package_files >&2 || return 1
  (umask 022 && cd build/package && cpack -G DEB -B "$1" >cpack.log) || { cat build/package/cpack.log >&2; return 1; }
  rm -rf "$1/_CPack_Packages"
}

cmd_deb() {
  install_missing "${packages_build[@]}" "${packages_run[@]}" "${packages_deb[@]}"
  need_crates build/third_party
  mkdir -p "$dist"
  SOURCE_DATE_EPOCH=$(commit_time) make_deb "$PWD/$dist"
  packaging/deb/check_deb.sh "$dist/stepscope_$(version)_$(dpkg --print-architecture).deb"
}

make_wheel() {  # make_wheel FOLDER
  local program=build/wheel/stepscope stripped=build/wheel/stripped
  local library=build/wheel/libstepscope.so
  packaging/wheel/static_root.sh build/wheel/root >&2 || return 1
  cmake --preset wheel >&2 && build wheel stepscope stepscope_c stepscope_docs >&2 || return 1
  strip --strip-unneeded -o "$stripped" "$program"
  strip --strip-unneeded -o "$stripped.so" "$library"
  local docs=build/wheel/gen/docs
  python3 packaging/wheel/make_wheel.py --program "$stripped" --module python/stepscope --library "$stripped.so" \
    --version "$(version)" --out "$1" \
    --data share/samples=share/stepscope/samples \
    --data "$docs/stepscope.1=share/man/man1/stepscope.1" \
    --data "$docs/stepscope.bash=share/bash-completion/completions/stepscope" \
    --data "$docs/_stepscope=share/zsh/site-functions/_stepscope" \
    --data "$docs/stepscope.fish=share/fish/vendor_completions.d/stepscope.fish" \
    --licence LICENSE --licence NOTICE --licence packaging/copyright
}

cmd_wheel() {
  install_missing "${packages_build[@]}" "${packages_run[@]}" "${packages_wheel[@]}"
  need_crates build/third_party
  need_crates build/wheel/root/src/crates
  mkdir -p "$dist"
  rm -f "$dist"/*.whl
  SOURCE_DATE_EPOCH=$(commit_time) make_wheel "$dist"
  cmake -DPROGRAM=build/wheel/stripped -DREADELF="$(command -v readelf)" -DHARDENED=ON -DCET=OFF -DCOMPILER=c++ \
    -P tests/hardening_test.cmake
  python3 packaging/wheel/check_wheel.py "$dist"/stepscope-*.whl share/samples/sample
}

cmd_roots() {
  cmd_wheel
  install_missing "${packages_roots[@]}"
  packaging/wheel/check_roots.sh "$dist"/stepscope-*.whl share/samples/sample build/roots
}

cmd_systems() {
  install_missing "${packages_roots[@]}"
  packaging/check_systems.sh build/systems "$@"
}

make_source() {  # make_source FOLDER
  local name
  name=stepscope-$(version)
  git archive --format=tar --prefix="$name/" HEAD | gzip -9n >"$1/$name.tar.gz"
}

make_debug() {  # make_debug PROGRAM FILE: what addr2line needs to read the stack of a crash report
  objcopy --only-keep-debug "$1" "$2"
  xz -2 -f "$2"
}

cmd_release() {
  [[ -z $(git status --porcelain) ]] || die "release: commit first; the packages would not be those of a commit"
  export SOURCE_DATE_EPOCH
  SOURCE_DATE_EPOCH=$(commit_time)
  rm -rf "$dist"
  mkdir -p "$dist" build/again
  cmd_deb
  make_source "$dist"
  cmd_wheel
  xz -9 -c build/wheel/stripped >"$dist/stepscope-$(version)-linux-$(uname -m).xz"  # the wheel's program alone
  make_debug build/package/stepscope "$dist/stepscope-$(version)-deb.debug"
  make_debug build/wheel/stepscope "$dist/stepscope-$(version)-wheel.debug"
  say "The source archive, the package and the wheel once more: they must be the same"
  make_source build/again
  make_deb "$PWD/build/again"
  make_wheel "$PWD/build/again"
  local file
  for file in build/again/*.{tar.gz,deb,whl}; do
    cmp "$file" "$dist/$(basename "$file")" || die "release: $(basename "$file") is not the same twice"
  done
  rm -rf build/again
  python3 packaging/sbom.py --program build/wheel/stepscope --copyright packaging/copyright \
    --with "libstdc++=$(c++ -dumpfullversion)" --with "Inter=$(package_version fonts-inter)" \
    --with "JetBrains Mono=$(package_version fonts-jetbrains-mono)" \
    --with "Fork Awesome=$(package_version fonts-fork-awesome)" \
    --out "$dist/stepscope-$(version).cdx.json"
  (cd "$dist" && sha256sum -- * >SHA256SUMS && cat SHA256SUMS)
}
