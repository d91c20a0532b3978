#!/bin/sh
# Runs the README's first program in folders that hold the files that docs/container.md lists and nothing else: on the host
# device in an empty one, and on lavapipe in one with the files of its script. Usage: container.sh FOLDER
set -eu

out=$1
go=${GO:-go}
rm -rf "$out"
mkdir -p "$out/empty" "$out/driver"
out=$(cd "$out" && pwd)

# inside FOLDER COMMAND...: runs a command that sees the folder as all there is.
inside() {
	if [ "$(id -u)" = 0 ]; then chroot "$@"; else unshare -r chroot "$@"; fi
}

CGO_ENABLED=0 $go build -tags static -o "$out/empty/app" ./internal/tests/first
CGO_ENABLED=0 $go build -o "$out/driver/app" ./internal/tests/first
awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' docs/container.md >"$out/driver-files.sh"
sh "$out/driver-files.sh" "$out/driver"

failed=0
# expect NAME TEXT: the program's output has the text.
expect() {
	cat "$out/log"
	grep -q -- "$2" "$out/log" || { echo "container: $1: no \"$2\""; failed=1; }
}
echo "container: an empty folder"
inside "$out/empty" /app >"$out/log" 2>&1 || failed=1
expect "an empty folder" '^host .*\[12 24 36\]'
expect "an empty folder" 'import _ "github.com/kgen-go/kgen/runtime/purego"'
echo "container: a folder with a driver"
KGEN_DEVICE=vulkan inside "$out/driver" /app >"$out/log" 2>&1 || failed=1
expect "a driver" '^llvmpipe .*\[12 24 36\]'
echo "container: a loader without drivers"
rm "$out"/driver/usr/share/vulkan/icd.d/*
inside "$out/driver" /app >"$out/log" 2>&1 || failed=1
expect "no driver" 'missing: vulkan: the loader found no driver; install'
echo "container: no loader"
find "$out/driver" -name 'libvulkan.so*' -exec rm {} +
inside "$out/driver" /app >"$out/log" 2>&1 || failed=1
expect "no loader" 'missing: vulkan: the loader cannot be opened: libvulkan.so.1: .*; install'
echo "container: a loader of another architecture"
lib=$(dirname "$(find "$out/driver" -name libvulkan_lvp.so)")
printf '\177ELF\002\001\001\0\0\0\0\0\0\0\0\0\003\0\267\0\001\0\0\0' >"$lib/libvulkan.so.1"
head -c 4096 /dev/zero >>"$lib/libvulkan.so.1"
inside "$out/driver" /app >"$out/log" 2>&1 || failed=1
expect "another architecture" 'missing: vulkan: the loader cannot be opened: .*libvulkan.so.1.*; install'
[ $failed = 0 ] && echo "make container: all passed"
exit $failed
