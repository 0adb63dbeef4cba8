#!/usr/bin/env bash
# The steps of `./dev test`, which reads this file and lends it its functions.

# run_ctest PRESET [ctest arguments]. Some tests wait for most of their time, so there is one more than there are cores.
run_ctest() {
  local preset=$1 log="build/$1/ctest.log" status=0
  shift
  ctest --preset "$preset" -j "$(($(nproc) + 1))" "$@" 2>&1 | tee "$log" || status=$?
  skipped_lines=$(grep -h 'SKIPPED' "build/$preset/Testing/Temporary/LastTest.log" | sort -u || true)
  if [[ -n $skipped_lines ]]; then
    say "Skipped ($preset)"
    printf '%s\n' "$skipped_lines" >&2
  fi
  return $status
}

# Test cases and assertions over all doctest programs, from ctest's log.
doctest_totals() {
  sed 's/\x1b\[[0-9;]*m//g' "build/$1/Testing/Temporary/LastTest.log" | awk -v preset="$1" '
    /^\[doctest\] test cases:/ { split($0, f, /[:|]/); cases += f[2]; passed += f[3]; failed += f[4] }
    /^\[doctest\] assertions:/ { split($0, f, /[:|]/); checks += f[2] }
    END { printf "%s: %d test cases, %d passed, %d failed; %d assertions\n", preset, cases, passed, failed, checks }'
}

# Runs a step of the test command, remembers its failure and goes on, so that one run shows all.
failures=()
step() {  # step NAME COMMAND...
  local name=$1
  shift
  say "$name"
  if ! "$@"; then
    failures+=("$name")
  fi
}

# A virtual X server for the tests that open a window (the others need none).
start_display() {
  [[ -z ${DISPLAY:-} ]] && command -v Xvfb >/dev/null || return 0
  local fd_file
  fd_file=$(mktemp)
  # -displayfd lets Xvfb choose a free number; -noreset keeps it up between clients.
  Xvfb -displayfd 3 -screen 0 1920x1080x24 -noreset -nolisten tcp 3>"$fd_file" >/dev/null 2>&1 &
  xvfb_pid=$!
  trap 'kill "$xvfb_pid" 2>/dev/null || true' EXIT
  for _ in $(seq 50); do
    [[ -s $fd_file ]] && break
    sleep 0.1
  done
  if [[ -s $fd_file ]]; then
    export DISPLAY=":$(tr -d '[:space:]' <"$fd_file")"
  fi
  rm -f "$fd_file"
}

test_release() {
  configure release $tests_on && build release && run_ctest release
}

# test_sanitizer asan|tsan [FOLDER...]: the unit tests of the folders; without any, all and those of the window.
test_sanitizer() {
  local preset=$1 targets
  shift
  if [[ $# -eq 0 ]]; then
    configure "$preset" && build "$preset" unit_tests && run_ctest "$preset" -L 'unit|ui'
  else
    targets=("${@/#/unit_tests_}")
    configure "$preset" && build "$preset" "${targets[@]}" &&
      run_ctest "$preset" -L unit -R "^($(IFS='|'; echo "$*"))/"
  fi
}

# Adds a toy loader, rule, panel, analysis and commands to a copy of the tree, and builds it.
adding_things() {
  python3 tests/tools/check_adding.py . build/adding $tests_on "-DSTEPSCOPE_THIRD_PARTY_CACHE=$PWD/build/third_party" \
    "-DSTEPSCOPE_SHARED_DIR=$PWD/../shared"
}

# Lists that failed once and random lists of commands under a sanitizer: REPLAY_LISTS of them, 500 unless set.
random_replays() (
  local preset=$1
  configure "$preset" && build "$preset" stepscope || return 1
  export LSAN_OPTIONS="suppressions=$PWD/tests/lsan.supp:print_suppressions=0"
  export TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp:halt_on_error=1"
  local replay=(python3 tests/tools/random_replay.py "build/$preset/stepscope" . --settle 120 --no-pixels)
  "${replay[@]}" --found tests/data/replays && "${replay[@]}" --lists "${REPLAY_LISTS:-500}"
)

# A fleet of 256 ranks, on processes and on Ray, with the queries of docs/fleet.md.
fleet() {
  local home=build/fleet/python
  configure release $tests_on && build release stepscope stepscope_c make_rank_traces || return 1
  python3 -m venv "$home"
  "$home/bin/pip" install -q --disable-pip-version-check --require-hashes --only-binary :all: \
    -r tests/python/requirements_fleet.txt || return 1
  STEPSCOPE_LIBRARY=$PWD/build/release/libstepscope.so STEPSCOPE_PROGRAM=$PWD/build/release/stepscope \
    STEPSCOPE_MAKE_RANKS=$PWD/build/release/tests/make_rank_traces STEPSCOPE_FLEET_RANKS=256 \
    "$home/bin/python" tests/python/test_fleet.py
}

# The Python module's tables in pandas, polars, pyarrow and DuckDB, and the server for agents: Debian has none of
# these packages.
python_tables() {
  local home=build/python
  configure release $tests_on && build release stepscope stepscope_c || return 1
  python3 -m venv "$home"
  "$home/bin/pip" install -q --disable-pip-version-check --require-hashes --only-binary :all: \
    -r tests/python/requirements.txt || return 1
  # Its packages want other versions than those of the tables.
  python3 -m venv "$home/s3"
  "$home/s3/bin/pip" install -q --disable-pip-version-check --require-hashes --only-binary :all: \
    -r tests/python/requirements_s3.txt || return 1
  local name
  PATH=$PWD/$home/s3/bin:$PATH "$home/s3/bin/python" tests/tools/check_bucket.py "$PWD/build/release/stepscope" \
    tests/data/jax_cpu.xplane.pb.zst || return 1
  for name in tables docs mcp; do
    STEPSCOPE_LIBRARY=$PWD/build/release/libstepscope.so STEPSCOPE_PROGRAM=$PWD/build/release/stepscope \
      "$home/bin/python" "tests/python/test_$name.py" || return 1
  done
}

# Real programs of TensorFlow and JAX with their own profiler servers, on the CPU.
record_programs() {
  local home=build/capture/python
  configure release $tests_on && build release stepscope || return 1
  python3 -m venv "$home"
  "$home/bin/pip" install -q --disable-pip-version-check --require-hashes --only-binary :all: --no-compile \
    -r tests/capture/requirements.txt || return 1
  python3 tests/tools/check_capture.py build/release/stepscope "$home/bin/python"
}

# clang-tidy reads the batches that sources are compiled in, so that it reads a header once for up to 24 sources. A
# batch is a file that only includes sources, which is what the check that is off forbids.
run_tidy() {
  configure tidy && build tidy stepscope_generated || return 1
  sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' build/tidy/compile_commands.json |
    grep -E "^$PWD/(build/tidy/)?(app|capi|capture|loaders|model|sql|viewer)/" | grep -v stb_image_write |
    xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p build/tidy --checks=-bugprone-suspicious-include \
      --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-unused-command-line-argument  # what only GCC knows
}

run_fuzzers() {
  configure fuzz && build fuzz stepscope_fuzz || return 1
  local target name found
  for target in build/fuzz/tests/fuzz_*; do
    [[ -f $target && -x $target ]] || continue
    name=${target##*/fuzz_}
    found=build/fuzz/corpus/$name
    mkdir -p "$found"
    say "fuzzing $name for ${FUZZ_SECONDS:-30} s"
    "$target" -max_total_time="${FUZZ_SECONDS:-30}" -timeout=10 -rss_limit_mb=4096 \
      -print_final_stats=1 -artifact_prefix="build/fuzz/$name-" "$found" \
      $([[ -d tests/fuzz/corpus/$name ]] && echo "tests/fuzz/corpus/$name") >"build/fuzz/$name.log" 2>&1 ||
      { tail -50 "build/fuzz/$name.log" >&2; return 1; }
    grep -E '^stat::number_of_executed_units|^Done' "build/fuzz/$name.log" >&2 || true
  done
}

# The closing lines: counts per preset, then what failed. Exits 1 when anything did.
summarise() {
  local preset
  say "Summary"
  for preset in "$@"; do
    if [[ -e build/$preset/ctest.log ]]; then
      doctest_totals "$preset"
      grep -E 'tests passed|No tests were found' "build/$preset/ctest.log" | sed "s/^/$preset: /" || true
    fi
  done
  if [[ ${#failures[@]} -gt 0 ]]; then
    printf 'FAILED: %s\n' "${failures[@]}"
    exit 1
  fi
  echo "All passed."
}
