#!/usr/bin/env bash
# Installs a Debian package into an empty root, uses what is in it, removes it: check_deb.sh FILE.deb
# The libraries that it depends on are those of this system. The script exits with 1 and says what is wrong.
set -euo pipefail
package=$(readlink -f "$1")
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
wrong=0
fail() {
  printf '%s: %s\n' "$(basename "$package")" "$*" >&2
  wrong=1
}

depends=$(dpkg-deb -f "$package" Depends)
for library in libc6 libstdc++6 libglfw3 libgl1 libegl1 libepoxy0; do
  [[ $depends == *$library* ]] || fail "does not depend on $library: $depends"
done
if command -v lintian >/dev/null; then
  lintian --allow-root --fail-on error,warning "$package" >&2 || fail "lintian is not content"
else
  echo "SKIPPED: no lintian here (apt install lintian)" >&2
fi

mkdir -p "$root"/var/lib/dpkg/{info,updates}
touch "$root"/var/lib/dpkg/{status,available}
dpkg_options=(--root="$root" --log=/dev/null --force-not-root --force-depends --force-script-chrootless)
dpkg "${dpkg_options[@]}" -i "$package" >/dev/null 2>&1 || fail "dpkg -i failed"

program=$root/usr/bin/stepscope share=$root/usr/share
sample=$share/stepscope/samples/sample
"$program" --version | grep -q '^stepscope 0' || fail "--version"
"$program" info --json "$sample" | grep -q '"events"' || fail "info of the bundled sample"
status=0
env -u DISPLAY -u WAYLAND_DISPLAY "$program" screenshot "$sample" -o "$root/shot.png" 2>"$root/error" || status=$?
case $status in
  0) [[ $(stat -c %s "$root/shot.png") -gt 5000 ]] || fail "screenshot is empty" ;;
  4) echo "SKIPPED: $(cat "$root/error")" >&2 ;;
  *) fail "screenshot: $(cat "$root/error")" ;;
esac
rm -f "$root/shot.png" "$root/error"

for file in man/man1/stepscope.1.gz bash-completion/completions/stepscope zsh/vendor-completions/_stepscope \
  fish/vendor_completions.d/stepscope.fish applications/io.github.stepscope.Stepscope.desktop \
  metainfo/io.github.stepscope.Stepscope.metainfo.xml mime/packages/stepscope.xml \
  icons/hicolor/scalable/apps/stepscope.svg doc/stepscope/copyright; do
  [[ -s $share/$file ]] || fail "no /usr/share/$file"
done
! strings -a "$program" | grep -F "$PWD/" | head -3 | grep . || fail "has paths of the build"

dpkg "${dpkg_options[@]}" -P stepscope >/dev/null 2>&1 || fail "dpkg -P failed"
left=$(find "$root" -mindepth 1 -not -path "$root/var*" | head -5)
[[ -z $left ]] || fail "leaves behind: $left"
[[ $wrong == 0 ]] && echo "$(basename "$package"): installed, used, removed"
exit $wrong
