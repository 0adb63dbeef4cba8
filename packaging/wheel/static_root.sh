#!/usr/bin/env bash
# Makes a folder with what the program and the library of the wheel are linked with: static_root.sh FOLDER
#   lib/       static libraries that Debian lacks, or that cannot become part of a shared library: GLFW 3.4, libepoxy,
#              isa-l, simdjson, fmt, protobuf-lite, SQLite
#   include/   the headers of GLFW 3.4
#   glibc/     the C library of version GLIBC, to link with: names and versions of its symbols, start files
# Sources come from package registries and are checked against the hashes in this folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
root=$(cd "$1" && pwd)
GLIBC=2.28
flags=(-O3 -g0 -fPIC -fno-semantic-interposition -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fcf-protection=full
  "-ffile-prefix-map=$root=.")
mkdir -p "$root"/{src,lib,include,glibc,obj}

step() { printf '== %s\n' "$*" >&2; }

# --- Sources -------------------------------------------------------------------------------------
# apt fetches sources from where the system has its packages. Its lists lie in FOLDER; the system's do not change.
fetch_debian() {
  local apt=$root/apt key=/usr/share/keyrings/debian-archive-keyring.gpg
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
  apt-get indextargets --format "deb-src [signed-by=$key] \$(REPO_URI) \$(RELEASE) \$(COMPONENT)" \
    'Identifier: Packages' 'Origin: Debian' 'Component: main' | sort -u >"$apt/sources.list"
  local options=(-q -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=)
  apt-get "${options[@]}" update
  (cd "$root/src" && apt-get "${options[@]}" source --download-only --tar-only libepoxy simdjson libisal fmtlib \
    protobuf)
}

fetch_crate() {  # fetch_crate "NAME;VERSION;SHA-256"
  cmake "-DCRATE=$1" "-DSTEPSCOPE_THIRD_PARTY_CACHE=$root/src/crates" -P "$here/../../third_party/crate.cmake"
}

fetch_sources() {
  (cd "$root/src" && sha256sum --status -c "$here/sources.sha256" 2>/dev/null) || fetch_debian
  (cd "$root/src" && sha256sum --quiet -c "$here/sources.sha256")
  for archive in "$root"/src/*.orig.tar.*; do
    tar -xf "$archive" -C "$root/src"
  done
  # GLFW 3.4, which loads X11 and Wayland at run time (Debian 12 has 3.3), and SQLite's one source file (Debian's
  # archive is not made for a shared library).
  fetch_crate "glfw-sys;8.0.0;b5b92fb706b28b5ccb8e93edb0b7fc8a153f626430abe8e354bc5e4ad29860b0"
  fetch_crate "libsqlite3-sys;0.40.0;b06e69070b7e12262b0cd90832f0a7396f142a2b330181255562decf9f0c6215"
}

# --- Libraries -----------------------------------------------------------------------------------
compile() {  # compile LIBRARY [flags and sources]
  local name=$1 source objects=() arguments=()
  shift
  for source in "$@"; do
    case $source in
      *.c | *.cc | *.cpp)
        local object="$root/obj/$name-$(basename "$source").o" compiler=gcc
        [[ $source == *.c ]] || compiler="g++ -std=c++17"
        $compiler "${flags[@]}" "${arguments[@]}" -c "$source" -o "$object"
        objects+=("$object")
        ;;
      *) arguments+=("$source") ;;
    esac
  done
  rm -f "$root/lib/lib$name.a"
  ar rcsD "$root/lib/lib$name.a" "${objects[@]}"
}

build_epoxy() {
  local src=$root/src/libepoxy-1.5.10 gen=$root/obj/epoxy
  mkdir -p "$gen/epoxy"
  for api in gl egl glx; do
    python3 "$src/src/gen_dispatch.py" --source --header --outputdir="$gen" "$src/registry/$api.xml"
  done
  mkdir -p "$gen/include/epoxy"
  find "$gen" -maxdepth 1 -name '*_generated.h' -exec cp {} "$gen/include/epoxy/" \;
  printf '#define ENABLE_EGL 1\n#define ENABLE_GLX 1\n#define HAVE_KHRPLATFORM_H 1\n%s\n' \
    '#define EPOXY_PUBLIC __attribute__((visibility("default"))) extern' >"$gen/config.h"
  find "$gen" -name 'gl_generated_dispatch.c' | grep -q . || { echo "epoxy generated no source" >&2; return 1; }
  compile epoxy -O1 -w -std=gnu99 "-I$gen" "-I$gen/include" "-I$gen/include/epoxy" "-I$src/include" "-I$src/src" \
    "$src"/src/dispatch_{common,egl,glx}.c $(find "$gen" -name '*_generated_dispatch.c' | sort)
}

build_isal() {
  local src=$root/src/libisal-2.30.0
  make -s -C "$src" -f Makefile.unx units="crc igzip" DEBUG= DEBUG_nasm= CFLAGS_="${flags[*]} -w" lib \
    >"$root/isal.log" 2>&1 || { cat "$root/isal.log" >&2; return 1; }
  cp "$src/bin/isa-l.a" "$root/lib/libisal.a"
}

build_glfw() {
  local src=$root/src/crates/glfw-sys-8.0.0/glfw
  cmake -S "$src" -B "$root/obj/glfw" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
    -DGLFW_BUILD_{EXAMPLES,TESTS,DOCS}=OFF -DGLFW_INSTALL=OFF -DGLFW_BUILD_X11=ON -DGLFW_BUILD_WAYLAND=ON \
    "-DCMAKE_C_FLAGS=${flags[*]}" >/dev/null
  ninja -C "$root/obj/glfw" -j "${JOBS:-1}" glfw >/dev/null
  cp "$root/obj/glfw/src/libglfw3.a" "$root/lib/"
  cp -r "$src/include/GLFW" "$root/include/"
}

build_fmt() { compile fmt "$root/src/fmtlib-9.1.0+ds1/src/format.cc"; }
build_simdjson() {
  compile simdjson -DSIMDJSON_THREADS_ENABLED=1 "$root/src/simdjson-3.0.1/singleheader/simdjson.cpp"
}
build_protobuf-lite() {
  local src=$root/src/protobuf-3.21.12/src files
  files=$(sed -n '/^set(libprotobuf_lite_files/,/^)/s|.*}/src/||p' "$src/../cmake/libprotobuf-lite.cmake")
  compile protobuf-lite -DHAVE_PTHREAD -w "-I$src" $(printf "$src/%s\n" $files)
}
# The program only reads databases and runs nothing in them: no extensions, no shared cache, no temporary files.
build_sqlite3() {
  compile sqlite3 -DSQLITE_THREADSAFE=2 -DSQLITE_OMIT_{LOAD_EXTENSION,DEPRECATED,SHARED_CACHE} \
    -DSQLITE_DQS=0 -DSQLITE_TEMP_STORE=3 -w \
    "$root"/src/crates/libsqlite3-sys-0.40.0/sqlite3/sqlite3.c
}
build_since() { compile since -std=gnu11 "$here/glibc_since.c"; }

# A library that exists is kept: remove the folder to build all anew.
build_libraries() {
  local name
  for name in epoxy isal glfw fmt simdjson protobuf-lite sqlite3; do
    [[ -e $root/lib/lib$name.a || -e $root/lib/lib${name}3.a ]] || { step "$name" && "build_$name"; }
  done
  build_since
}

# --- The C library -------------------------------------------------------------------------------
# zig makes it from its lists of symbols. Nothing else is compiled by zig's compiler.
build_glibc() {
  local zig=$root/zig
  python3 -m venv "$zig"
  "$zig/bin/pip" install -q --disable-pip-version-check --require-hashes --only-binary :all: -r "$here/zig.txt"
  echo 'int main() { return 0; }' >"$zig/main.c"
  rm -rf "$zig/cache"
  ZIG_GLOBAL_CACHE_DIR=$zig/cache ZIG_LOCAL_CACHE_DIR=$zig/cache "$zig/bin/python" -m ziglang cc \
    -target "x86_64-linux-gnu.$GLIBC" -pie -fPIE "$zig/main.c" -o "$zig/main" -lpthread -ldl -lm -lrt
  local name
  for name in Scrt1.o libc_nonshared.a libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 librt.so.1; do
    cp "$(find "$zig/cache" -name "$name" | head -1)" "$root/glibc/"
  done
  for name in m.so.6 pthread.so.0 dl.so.2 rt.so.1; do
    ln -sf "lib$name" "$root/glibc/lib${name%%.*}.so"
  done
  echo "GROUP ( $root/glibc/libc.so.6 $root/glibc/libc_nonshared.a )" >"$root/glibc/libc.so"
}

step "Sources" && fetch_sources
build_libraries
[[ -e $root/glibc/libc.so ]] || { step "glibc $GLIBC by zig" && build_glibc; }
