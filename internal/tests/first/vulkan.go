//go:build !static

package main

// This file lets command first use Vulkan devices in builds for Linux without cgo. Builds with the
// tag static do not contain this file.

import _ "github.com/kgen-go/kgen/runtime/purego"
