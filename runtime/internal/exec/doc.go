// Package exec is the part of launching that needs no word of the API: a launch on its way to a
// device.
package exec
