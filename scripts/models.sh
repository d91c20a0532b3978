#!/bin/sh
# Fetches the models of the examples into the user's cache, by npm. No model is part of the repository.
set -eu

name=esrgan-slim version=1.0.0 # of the example upscale, under the MIT license
dir="${XDG_CACHE_HOME:-$HOME/.cache}/kgen/models"
[ "$(uname)" = Darwin ] && dir="$HOME/Library/Caches/kgen/models"
if [ -e "$dir/$name-$version/models/x2/model.json" ]; then
	exit 0
fi
if ! command -v npm >/dev/null 2>&1; then
	echo "npm is not here: install Node.js, or unpack the npm package @upscalerjs/$name of version $version as $dir/$name-$version" >&2
	exit 1
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
echo "fetching @upscalerjs/$name $version"
(cd "$tmp" && npm pack --silent "@upscalerjs/$name@$version" >/dev/null && tar xzf ./*.tgz)
mkdir -p "$dir"
mv "$tmp/package" "$dir/$name-$version"
