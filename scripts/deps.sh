#!/bin/sh
# Installs what the tests need, or says what is missing.
set -eu

packages="mesa-vulkan-drivers vulkan-validationlayers libvulkan1 spirv-tools spirv-headers glslc gcc libc6-dev"

have() { # have FILE...: one of the files is there
	for f in "$@"; do
		[ -e "$f" ] && return 0
	done
	return 1
}

missing=""
command -v spirv-val >/dev/null 2>&1 || missing="$missing spirv-tools"
command -v glslc >/dev/null 2>&1 || missing="$missing glslc"
command -v "${CC:-gcc}" >/dev/null 2>&1 || missing="$missing gcc"
have /usr/include/spirv/unified1/spirv.core.grammar.json || missing="$missing spirv-headers"
have /usr/share/vulkan/icd.d/*.json /etc/vulkan/icd.d/*.json || missing="$missing mesa-vulkan-drivers"
have /usr/share/vulkan/explicit_layer.d/*khronos_validation*.json /etc/vulkan/explicit_layer.d/*khronos_validation*.json ||
	missing="$missing vulkan-validationlayers"

sudo=""
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null 2>&1 && sudo="sudo"
fi
if [ -n "$missing" ]; then
	if command -v apt-get >/dev/null 2>&1 && { [ "$(id -u)" = 0 ] || [ -n "$sudo" ]; }; then
		echo "installing:$missing"
		$sudo apt-get update -qq
		# shellcheck disable=SC2086
		DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $packages >/dev/null
	else
		cat >&2 <<EOF
The tests need a Vulkan 1.3 driver, the Khronos validation layers, spirv-val and
glslc. Missing here:$missing
Install your system's packages for Mesa's software Vulkan driver (lavapipe), the
Vulkan validation layers, SPIRV-Tools, SPIRV-Headers and shaderc, then run this
again. On Debian and Ubuntu: apt-get install $packages
EOF
		exit 1
	fi
fi

# SwiftShader, a driver that lacks what lavapipe has. Debian has it inside of
# chromium-common, of which two files are kept in the user's cache.
driver=libvk_swiftshader.so manifest=vk_swiftshader_icd.json
dir="${XDG_CACHE_HOME:-$HOME/.cache}/kgen/swiftshader"
if [ -n "${KGEN_SWIFTSHADER:-}" ] || have "$dir/$manifest"; then
	exit 0
fi
fetch() {
	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	(cd "$tmp" && apt-get -qq download chromium-common 2>"$tmp/log") ||
		{ $sudo apt-get update -qq && (cd "$tmp" && apt-get -qq download chromium-common 2>"$tmp/log"); } ||
		{ cat "$tmp/log" >&2; return 1; }
	dpkg -x "$tmp"/chromium-common*.deb "$tmp/x" || return 1
	mkdir -p "$dir" || return 1
	# The manifest last: where it is, so is the driver.
	cp "$tmp/x/usr/lib/chromium/$driver" "$dir/" && cp "$tmp/x/usr/lib/chromium/$manifest" "$dir/"
}
if command -v apt-get >/dev/null 2>&1 && command -v dpkg >/dev/null 2>&1; then
	echo "fetching SwiftShader"
	fetch && exit 0
fi
cat >&2 <<EOF
The tests need SwiftShader, a Vulkan driver without 64-bit integers. It could not be
fetched here: on Debian it is in the package chromium-common, elsewhere in Chrome's
and Chromium's folder. Set KGEN_SWIFTSHADER to the path of its $manifest, with
$driver beside it, or leave its tests out: make test SWIFTSHADER=0
EOF
[ "${KGEN_REQUIRE_SWIFTSHADER:-1}" = 0 ]
