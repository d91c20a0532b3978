#!/bin/sh
# Runs tests and the README's first program, cross-built for arm64, under qemu's user mode, on the lavapipe of
# Debian's arm64 packages: a device without float16, with sub-groups of 4. The packages are unpacked in a folder, and
# the system itself gets no package of another architecture. Usage: arm64.sh FOLDER MODULES, with a folder for what is built and
# unpacked, and that of the test kernels' modules.
set -eu

out=$1
modules=$2
go=${GO:-go}

# Tests that are left out of each package, and why.
#   They start their own program again, which the kernel of another architecture does not run; or they have
#   kgen compile sources, for which there is no go command. TestProbeHalves compiles conversions that Mesa's
#   compiler of Debian 12 cannot. TestPA2 and TestPA3 run spirv-val. Fusion compiles while the program runs,
#   as do some others: under qemu that takes a quarter of an hour, and nothing of it is arm64's. TestGF1 stays.
skip_vulkan='TestCacheProcesses|TestCacheKilled|TestCacheSwept|TestCacheUnclosed|TestNoDriver|TestSubGroupSize|TestDamaged|TestProbeHalves'
skip_runtime='ExampleCheckError|TestMemoryLimits'
skip_conformance='TestAF|TestInterpreter|TestPA16_Zeroed|TestPA2_Lowering|TestPA3_EntryBlock|TestGF([02-9]|1[0-9])|TestDM19_TwoSpaces|TestKP21_Alone'

sudo=""
[ "$(id -u)" = 0 ] || sudo=sudo
if ! command -v qemu-aarch64 >/dev/null 2>&1; then
	if ! command -v apt-get >/dev/null 2>&1; then
		echo "make arm64 needs Debian's package qemu-user, and apt-get for the arm64 packages of Mesa" >&2
		exit 1
	fi
	echo "installing: qemu-user"
	$sudo apt-get update -qq
	DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends qemu-user >/dev/null
fi

mkdir -p "$out"
out=$(cd "$out" && pwd)
modules=$(cd "$modules" && pwd)
root="$out/root"
manifest="$root/usr/share/vulkan/icd.d/lvp_icd.aarch64.json"
if [ ! -e "$root/done" ]; then
	if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-deb >/dev/null 2>&1; then
		echo "make arm64 needs apt-get and dpkg-deb for Debian's arm64 packages of Mesa" >&2
		exit 1
	fi
	echo "arm64: fetching Mesa's packages"
	state="$out/apt"
	rm -rf "$state" "$root"
	mkdir -p "$root" "$state/state/lists/partial" "$state/cache/archives/partial"
	: >"$state/status"
	apt="apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State=$state/state -o Dir::State::status=$state/status -o Dir::Cache=$state/cache -o Debug::NoLocking=1"
	$apt update
	$apt install -y --no-install-recommends --download-only mesa-vulkan-drivers libvulkan1 >/dev/null
	for deb in "$state"/cache/archives/*.deb; do dpkg-deb -x "$deb" "$root"; done
	# The manifest names the driver's file for a loader that finds it in the system's folders.
	driver=$(find "$root/usr/lib" -name libvulkan_lvp.so)
	sed -i "s|\"library_path\".*libvulkan_lvp.so\"|\"library_path\": \"$driver\"|" "$manifest"
	touch "$root/done"
fi
export QEMU_LD_PREFIX="$root" VK_DRIVER_FILES="$manifest" VK_ICD_FILENAMES="$manifest"

for dir in runtime/internal/vulkan runtime internal/tests/conformance; do
	name=$(basename "$dir")
	GOARCH=arm64 CGO_ENABLED=0 $go test -c -o "$out/$name.test" "./$dir"
done
GOARCH=arm64 CGO_ENABLED=0 $go build -o "$out/" ./internal/tests/first

# run PACKAGE SKIP: the package's tests, in its folder.
failed=0
run() {
	name=$(basename "$1")
	echo "arm64: $1, without $2"
	(cd "$1" && KGEN_REQUIRE_VULKAN=1 KGEN_TEST_MODULES="$modules" timeout 1200 qemu-aarch64 "$out/$name.test" -test.short -test.skip "$2" -test.v >"$out/$name.log" 2>&1) || {
		echo "arm64: $1 failed:"
		grep -v '^ *--- PASS\|^=== ' "$out/$name.log" | tail -60
		failed=1
	}
	echo "arm64: $1: $(grep -c '^--- PASS' "$out/$name.log") tests passed, $(grep -c '^--- SKIP' "$out/$name.log") skipped"
}
run runtime/internal/vulkan "$skip_vulkan"
run runtime "$skip_runtime"
run internal/tests/conformance "$skip_conformance"

# The README's first program, on both devices.
for device in vulkan host; do
	echo "arm64: the first program, KGEN_DEVICE=$device"
	KGEN_DEVICE=$device qemu-aarch64 "$out/first" | tee "$out/first.log"
	grep -q '\[12 24 36\]' "$out/first.log" || failed=1
done
[ $failed = 0 ] && echo "make arm64: all passed"
exit $failed
