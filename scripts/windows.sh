#!/bin/sh
# Runs tests, the README's first program and kgen itself, cross-built for Windows, under Debian's wine, whose Vulkan
# is this machine's lavapipe. Installs what it needs. Usage: windows.sh FOLDER MODULES, with a folder for what
# is built, and that of the test kernels' modules.
set -eu

out=$1
modules=$2
go=${GO:-go}
cc=x86_64-w64-mingw32-gcc-win32

# Tests that are left out of each package, and why.
#   They have kgen compile sources, for which these tests have no go command. TestPA2 and TestPA3 run spirv-val.
skip_conformance='TestAF|TestInterpreter|TestPA16_Zeroed|TestPA2_Lowering|TestPA3_EntryBlock'
#   TestNoDriver hides the drivers from a loader of Linux. TestSubGroupSize needs the validation layers. Under wine
#   Go's clock, which TestClock compares with the device's, has steps of milliseconds.
skip_vulkan='TestNoDriver|TestSubGroupSize|TestClock$'
#   Times of the host device are of that clock, too. Checked mode needs a go command.
skip_runtime='TestProfile$|TestProfileGraph|ExampleEvent_Profile|ExampleCheckError'
#   TestCRLF needs git. TestView compares the texts of the system's errors. The others are not of the system: they
#   compile sources for minutes.
skip_kgen='TestCRLF|TestView$|TestAliases|TestAliasDevices|TestFragments|TestSelf|TestSetUp|TestGenerateShows|TestCommandLine|TestDisable|TestJSON|TestTags|TestTutorial'

need=""
[ -x /usr/lib/wine/wine64 ] || need="$need wine64"
command -v Xvfb >/dev/null 2>&1 || need="$need xvfb"
command -v $cc >/dev/null 2>&1 || need="$need gcc-mingw-w64-x86-64-win32"
if [ -n "$need" ]; then
	sudo=""
	[ "$(id -u)" = 0 ] || sudo=sudo
	if ! command -v apt-get >/dev/null 2>&1; then
		echo "make windows needs Debian's packages$need" >&2
		exit 1
	fi
	echo "installing:$need"
	$sudo apt-get update -qq
	# shellcheck disable=SC2086
	DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $need >/dev/null
fi

mkdir -p "$out"
out=$(cd "$out" && pwd)
modules=$(cd "$modules" && pwd)
export WINEPREFIX="$out/prefix" WINEDEBUG=-all
wine=/usr/lib/wine/wine64

# Without a display wine creates no Vulkan instance.
rm -f "$out/display"
Xvfb -displayfd 3 -screen 0 640x480x24 3>"$out/display" >/dev/null 2>&1 &
xvfb=$!
trap 'kill $xvfb; "${wine%/*}/wineserver64" -k 2>/dev/null || true' EXIT
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ -s "$out/display" ] && break
	sleep 0.5
done
DISPLAY=:$(cat "$out/display")
export DISPLAY

# Put the library that wine lacks beside the libraries that wine brings.
$wine wineboot -i >/dev/null 2>&1
$cc -shared -O2 -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" scripts/windows/bcryptprimitives.c -ladvapi32

export GOOS=windows GOARCH=amd64 CGO_ENABLED=0
for dir in runtime/internal/vulkan runtime internal/tests/conformance; do
	name=$(basename "$dir")
	$go test -c -o "$out/$name.test.exe" "./$dir"
done
$go build -o "$out/" ./internal/tests/first ./cmd/kgen

# run PACKAGE SKIP: the package's tests, in its folder.
failed=0
run() {
	name=$(basename "$1")
	echo "windows: $1${2:+, without $2}"
	(cd "$1" && KGEN_REQUIRE_VULKAN=1 KGEN_TEST_MODULES="Z:$modules" timeout 900 $wine "$out/$name.test.exe" -test.short -test.skip "$2" -test.v >"$out/$name.log" 2>&1) || {
		echo "windows: $1 failed:"
		grep -v '^ *--- PASS\|^=== ' "$out/$name.log" | tail -60
		failed=1
	}
	echo "windows: $1: $(grep -c '^--- PASS' "$out/$name.log") tests passed, $(grep -c '^--- SKIP' "$out/$name.log") skipped"
}
run runtime/internal/vulkan "$skip_vulkan"
run runtime "$skip_runtime"
run internal/tests/conformance "$skip_conformance"
rm -rf internal/tests/conformance/_kernels* # wine lacks the call by which its tests remove them

# The README's first program, on both devices.
for device in vulkan host; do
	echo "windows: the first program, KGEN_DEVICE=$device"
	KGEN_DEVICE=$device $wine "$out/first.exe" | tee "$out/first.log"
	grep -q '\[12 24 36\]' "$out/first.log" || failed=1
done

# The go command for Windows, of Go's own sources, lists packages for kgen and compiles the packages that
# these import. With -work it does not remove its folders, by the call that wine lacks.
root=$($go env GOROOT)
sdk="$out/go"
mkdir -p "$sdk/bin" "$sdk/pkg/tool/windows_amd64"
ln -sfn "$root/src" "$sdk/src"
ln -sfn "$root/pkg/include" "$sdk/pkg/include"
cp "$root/VERSION" "$root/go.env" "$sdk/"
$go build -ldflags='-s -w' -o "$sdk/bin/" cmd/go cmd/gofmt
$go build -ldflags='-s -w' -o "$sdk/pkg/tool/windows_amd64/" cmd/compile cmd/asm cmd/link cmd/vet
for dir in codegen/load codegen/gostub codegen/view cmd/kgen; do
	$go test -vet=off -c -o "$out/$(basename "$dir").test.exe" "./$dir"
done
$go build -o "$out/" ./cmd/kgenvet
dos() { printf 'Z:%s' "$1" | tr / '\\'; }
modcache=$($go env GOMODCACHE)
GOMODCACHE=$(dos "$modcache") GOCACHE=$(dos "$out/gocache") GOROOT=$(dos "$sdk") WINEPATH=$(dos "$sdk/bin")
export GOMODCACHE GOCACHE GOROOT WINEPATH GOFLAGS=-work GOPROXY=off GOTOOLCHAIN=local
run codegen/load ""
run codegen/gostub ""
run codegen/view ""
run cmd/kgen "$skip_kgen"

# Kgen writes the same files on Windows as on Linux, those that are committed.
echo "windows: kgen.exe -check, kgenvet.exe"
$wine "$out/kgen.exe" -version || failed=1
$wine "$out/kgen.exe" -check -strict ./examples/quickstart/saxpy ./examples/heat/... || failed=1
$wine "$out/kgenvet.exe" ./examples/quickstart/saxpy || failed=1
rm -rf "$WINEPREFIX"/drive_c/users/*/Temp/go-build*
[ $failed = 0 ] && echo "make windows: all passed"
exit $failed
