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
CGO_ENABLED=1 $go build -o "$out/driver/cgo" ./internal/tests/first
awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' docs/container.md >"$out/driver-files.sh"
sh "$out/driver-files.sh" "$out/driver"

failed=0
# expect FOLDER PROGRAM TEXT: the program's output has the text, in a folder that is all it sees.
expect() {
	inside "$out/$1" "/$2" >"$out/log" 2>&1 || { echo "container: /$2 failed"; failed=1; }
	cat "$out/log"
	grep -q -- "$3" "$out/log" || { echo "container: /$2: no \"$3\""; failed=1; }
}
# missing TEXT: without cgo and with it, the program runs on the host device, and says in a line why.
missing() {
	for program in app cgo; do
		expect driver $program "^missing: vulkan: $1; install a Vulkan loader and driver"
		grep -q '^host .*\[12 24 36\]' "$out/log" || { echo "container: /$program did not run on the host device"; failed=1; }
	done
}
echo "container: an empty folder"
expect empty app '^host .*\[12 24 36\]'
expect empty app 'import _ "github.com/kgen-go/kgen/runtime/purego"'
echo "container: a folder with a driver"
for program in app cgo; do KGEN_DEVICE=vulkan expect driver $program '^llvmpipe .*\[12 24 36\]'; done
echo "container: a loader without drivers"
rm "$out"/driver/usr/share/vulkan/icd.d/*
missing 'the loader found no driver'
echo "container: no loader"
lib=$(dirname "$(find "$out/driver" -name libvulkan_lvp.so)")
rm "$lib"/libvulkan.so*
missing 'the loader cannot be opened: libvulkan.so.1: .*'
echo "container: a loader of another architecture"
printf '\177ELF\002\001\001\0\0\0\0\0\0\0\0\0\003\0\267\0\001\0\0\0' >"$lib/libvulkan.so.1"
head -c 4096 /dev/zero >>"$lib/libvulkan.so.1"
missing 'the loader cannot be opened: .*libvulkan.so.1.*'
echo "container: a file that is no library"
echo none >"$lib/libvulkan.so.1"
missing 'the loader cannot be opened: .*libvulkan.so.1.*'
echo "container: a library that is no loader"
cp "$(find "$out/driver" -name 'libm.so.6' | head -n 1)" "$lib/libvulkan.so.1"
missing 'the loader cannot be opened: libvulkan.so.1 has no vkGetInstanceProcAddr'
[ $failed = 0 ] && echo "make container: all passed"
exit $failed
