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

// HostInternal returns the slice that parameter i is, which is internal to the kernel and no
// argument: it has as many elements for each work-item as abi.Param.Internal says, and is zero.
func HostInternal[T any](a *HostArgs, i int) []T { return host.Internal[T](a, i) }

// HostLen returns the length of the local accessor that parameter i is, for
// dsl.LocalLen.
func HostLen(a *HostArgs, i int) int { return host.Len(a, i) }
