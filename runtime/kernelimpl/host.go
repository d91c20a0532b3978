package kernelimpl

import "github.com/kgen-go/kgen/runtime/internal/host"

// HostArgs are a launch's arguments on the host device.
type HostArgs = host.Args

// HostValue returns the value of parameter i. HostValue returns zero if the kernel never reads the
// parameter.
func HostValue[T any](a *HostArgs, i int) T { return host.Value[T](a, i) }

// HostSlice returns the slice of parameter i. The capacity of the slice is equal to its length. An
// empty slice is nil.
func HostSlice[T any](a *HostArgs, i int) []T { return host.Slice[T](a, i) }

// HostInternal returns the slice of parameter i. Parameter i is internal to the kernel, and
// launches have no argument for an internal parameter. The slice has abi.Param.Internal zero
// elements for each work-item.
func HostInternal[T any](a *HostArgs, i int) []T { return host.Internal[T](a, i) }

// HostLen returns the length of the local accessor of parameter i, for dsl.LocalLen.
func HostLen(a *HostArgs, i int) int { return host.Len(a, i) }
