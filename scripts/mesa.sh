#!/bin/sh
# mesa.sh DIR: unpacks a newer Mesa into DIR, whose driver on the processor (llvmpipe) has matrices of its own, with
# validation layers and SPIR-V tools that know these. The system stays as it is: packages of a later Debian are
# downloaded by the system's apt, from the system's mirror, and nothing is installed. Afterwards
#
#	DIR/run PROGRAM ...   runs a program with that driver alone, and with these tools first in its path
set -eu

suite=trixie packages="libvulkan1 mesa-vulkan-drivers vulkan-validationlayers spirv-tools glslc"
mkdir -p "$1"
dir=$(cd "$1" && pwd)
[ -e "$dir/run" ] && [ -e "$dir/bin/glslc" ] && exit 0 # run is written last

if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-deb >/dev/null 2>&1 || [ "$(dpkg --print-architecture)" != amd64 ]; then
	cat >&2 <<EOF
make mesa needs Debian's apt-get on amd64. Elsewhere install Mesa 26.1 or later with its driver llvmpipe, validation
layers of Vulkan 1.3.280 or later and SPIRV-Tools of 2024 or later, and run the tests of internal/tests/difftest/matrices
with KGEN_REQUIRE_MATRICES=1 KGEN_VALIDATE=1.
EOF
	exit 1
fi
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | grep '/debian/*$' | head -n 1)
keys=$(ls /usr/share/keyrings/debian-archive-keyring.* 2>/dev/null | head -n 1)
if [ -z "$mirror" ] || [ -z "$keys" ]; then
	echo "make mesa: apt has no mirror of Debian, or no package debian-archive-keyring" >&2
	exit 1
fi

echo "fetching a newer Mesa"
apt=$dir/apt root=$dir/root
rm -rf "$apt" "$root"
mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$apt/none" "$root" "$dir/bin"
: >"$apt/status"
for s in $suite $suite-backports; do
	echo "deb [signed-by=$keys] $mirror $s main"
done >"$apt/sources.list"
printf 'Package: *\nPin: release n=%s-backports\nPin-Priority: 900\n' "$suite" >"$apt/preferences"
get() {
	apt-get -qq -o Dir::State="$apt" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt" -o Dir::Etc::sourcelist="$apt/sources.list" \
		-o Dir::Etc::sourceparts="$apt/none" -o Dir::Etc::preferences="$apt/preferences" -o Dir::Etc::preferencesparts="$apt/none" \
		-o APT::Sandbox::User="$(id -un)" -o Debug::NoLocking=1 "$@"
}
get update
# shellcheck disable=SC2086
get install -y --download-only --no-install-recommends $packages >/dev/null
for f in "$apt"/archives/*.deb; do
	dpkg-deb -x "$f" "$root"
done
rm -rf "$apt"

lib=$root/usr/lib/x86_64-linux-gnu
loader=$lib/ld-linux-x86-64.so.2
driver=$(ls "$root"/usr/share/vulkan/icd.d/lvp_icd*.json | head -n 1)
sed "s#\"library_path\": *\".*/*libvulkan_lvp.so\"#\"library_path\": \"$lib/libvulkan_lvp.so\"#" "$driver" >"$dir/llvmpipe.json"
for tool in spirv-val spirv-dis glslc; do
	printf '#!/bin/sh\nexec %s --library-path %s %s "$@"\n' "$loader" "$lib" "$root/usr/bin/$tool" >"$dir/bin/$tool"
	chmod +x "$dir/bin/$tool"
done
cat >"$dir/run.new" <<EOF
#!/bin/sh
export PATH="$dir/bin:\$PATH" VK_DRIVER_FILES="$dir/llvmpipe.json" VK_ICD_FILENAMES= VK_LAYER_PATH="$root/usr/share/vulkan/explicit_layer.d"
exec "$loader" --library-path "$lib" "\$@"
EOF
chmod +x "$dir/run.new"
mv "$dir/run.new" "$dir/run"
