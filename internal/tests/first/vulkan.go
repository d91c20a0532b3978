//go:build !static

package main

import _ "github.com/kgen-go/kgen/runtime/purego"
