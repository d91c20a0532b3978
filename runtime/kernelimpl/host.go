package kernelimpl

import "github.com/kgen-go/kgen/runtime/internal/host"

// HostArgs are a launch's arguments on the host device.
type HostArgs = host.Args

// HostValue returns the value of parameter i. It is zero if the kernel never
// reads it.
func HostValue[T any](a *HostArgs, i int) T { return host.Value[T](a, i) }

// HostSlice returns the slice that parameter i is. Its capacity is its length;
// an empty slice is nil.
func HostSlice[T any](a *HostArgs, i int) []T { return host.Slice[T](a, i) }

// HostLen returns the length of the local accessor that parameter i is, for
// dsl.LocalLen.
func HostLen(a *HostArgs, i int) int { return host.Len(a, i) }
