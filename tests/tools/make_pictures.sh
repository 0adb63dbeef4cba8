#!/usr/bin/env bash
# Draws the pictures of docs/images anew:
#   tests/tools/make_pictures.sh build/release RECORDINGS
# RECORDINGS is a folder with the recorded profiles profiles/tf_graph, profiles/jax_mi300x, traces/*.json.gz and
# snapshots/*.pickle.
set -euo pipefail
build=$1 recordings=$2
program=$build/stepscope
images=$(dirname "$0")/../../docs/images
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export STEPSCOPE_CONFIG_DIR=$work/config  # nobody's settings

"$build/tests/make_gpu_xspace" "$work/gpu.xplane.pb" --scenario inputbound >/dev/null
"$build/tests/make_gpu_xspace" "$work/gpu_10m.xplane.pb" --gpus 8 --steps 1400 --layers 100 >/dev/null

picture() {  # picture NAME PATH SIZE THEME [arguments]
  "$program" screenshot "$2" -o "$images/$1.png" --size "$3" --theme "$4" "${@:5}"
}
for theme in dark:1920x1080 light:1280x800; do
  size=${theme#*:} name=${theme%:*}
  picture "gpu_${name}_${size%x*}" "$work/gpu.xplane.pb" "$size" "$name"
  picture "gpu_10m_${name}_${size%x*}" "$work/gpu_10m.xplane.pb" "$size" "$name"
  picture "tf_graph_${name}_${size%x*}" "$recordings/profiles/tf_graph" "$size" "$name"
  picture "jax_mi300x_${name}_${size%x*}" "$recordings/profiles/jax_mi300x" "$size" "$name"
done

tall() {  # tall NAME PATH PANEL: the panel at two thirds of the height
  printf 'panel.show text="%s"\nview.tall_panels\nwait_idle\n' "$3" >"$work/commands"
  "$program" replay "$work/commands" "$2" -o "$images/$1.png" --size 1280x800 --theme dark
}
panels() {  # panels NAME PATH
  for panel in overview findings input_pipeline kernel_stats op_stats memory devices diagnostics; do
    tall "panels/$1_$panel" "$2" "$panel"
  done
}
panels gpu "$work/gpu.xplane.pb"
panels tf_graph "$recordings/profiles/tf_graph"
panels jax_mi300x "$recordings/profiles/jax_mi300x"
panels pytorch "$recordings/traces/qwen_h100.json.gz"
tall panels/pytorch_lifetimes "$recordings/traces/qwen_h100.json.gz" memory/lifetimes
for panel in hlo_profile hlo_stats roofline; do
  tall "panels/jax_mi300x_$panel" "$recordings/profiles/jax_mi300x" "$panel"
done
for panel in hlo_memory hlo_graph; do
  tall "panels/jax_transformer_$panel" "$recordings/profiles/jax_transformer_cpu" "$panel"
done
tall panels/snapshot "$recordings/snapshots/train_leak_oom.pickle" memory_snapshot

guide() {  # guide NAME PATH... < commands
  cat >"$work/commands"
  "$program" replay "$work/commands" "${@:2}" -o "$images/guide/$1.png" --size 1280x800 --theme dark
}
mkdir -p "$images/guide"
guide findings "$work/gpu.xplane.pb" <<'COMMANDS'
wait_idle
panel.show text=findings
view.tall_panels
wait_idle
COMMANDS
guide launch "$work/gpu.xplane.pb" <<'COMMANDS'
wait_idle
search.set text=s16816gemm
wait_idle
search.next
search.set text=""
view.zoom_selection
panel.show text=details
wait_idle
COMMANDS
guide selection "$work/gpu.xplane.pb" <<'COMMANDS'
wait_idle
search.set text="conv dur>20us"
panel.show text=selection
wait_idle
COMMANDS
guide range "$work/gpu.xplane.pb" <<'COMMANDS'
wait_idle
view.set_range range=18ms..38ms
measure.set range=23.5ms..27.7ms
filter.here
panel.show text=selection
wait_idle
COMMANDS
guide markers "$work/gpu.xplane.pb" <<'COMMANDS'
wait_idle
view.set_range range=0ms..60ms
mark.add text="warm-up ends" range=9ms..16ms
mark.add text="waits for input" range=35ms..39ms
panel.show text=markers
wait_idle
COMMANDS
guide tracks "$work/gpu.xplane.pb" <<'COMMANDS'
wait_idle
track.pin text="gpu|/device:GPU:1|Stream #14(Compute)#14"
track.pin text="gpu|/host:CPU|python3#1001"
view.scroll number=260
wait_idle
COMMANDS
"$build/tests/make_gpu_xspace" "$work/yesterday.xplane.pb" --gpus 2 --steps 8 >/dev/null
"$build/tests/make_gpu_xspace" "$work/today.xplane.pb" --gpus 2 --steps 8 --seed 1 --slower conv=1.2 >/dev/null
guide path "$work/gpu.xplane.pb" <<'COMMANDS'
wait_idle
track.pin text="gpu|/device:GPU:0|Stream #14(Compute)#14"
track.pin text="gpu|/host:CPU|python3#1001"
track.pin text="gpu|/host:CPU|tf_gpu_0#1100"
view.set_range range=18ms..38ms
path.show
wait_idle
panel.show text=selection
wait_idle
COMMANDS
printf 'wait_idle\nview.set_range range=6ms..14ms\nwait_idle\n' | guide compare "$work/yesterday.xplane.pb" "$work/today.xplane.pb" --compare
guide sides "$work/yesterday.xplane.pb" "$work/today.xplane.pb" --compare <<'COMMANDS'
wait_idle
compare.layout text="left and right"
view.set_range range=6ms..14ms
search.set text=s16816gemm
wait_idle
search.next
search.set text=""
wait_idle
COMMANDS

"$(dirname "$0")/palette_png.py" "$images"/*.png "$images"/panels/*.png "$images"/guide/*.png
