#!/bin/sh
# Installs a headless Chromium for make browser, or says what is missing.
set -eu

if [ -n "${KGEN_BROWSER:-}" ]; then
	exit 0
fi
for name in chromium-headless-shell chromium chromium-browser google-chrome; do
	command -v "$name" >/dev/null 2>&1 && exit 0
done

sudo=""
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null 2>&1 && sudo="sudo"
fi
if command -v apt-get >/dev/null 2>&1 && { [ "$(id -u)" = 0 ] || [ -n "$sudo" ]; }; then
	echo "installing: chromium"
	$sudo apt-get update -qq
	# Debian has the browser without a window as a package of its own.
	for name in chromium-headless-shell chromium; do
		DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "$name" fonts-dejavu-core >/dev/null && exit 0
	done
fi
echo "make browser needs Chromium or Chrome: install it, or let KGEN_BROWSER name the program" >&2
exit 1
