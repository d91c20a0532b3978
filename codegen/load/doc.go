// Package load reads a user's packages and finds the kernels in them.
//
// It asks the go command once for the packages that the patterns name (and once
// before that, without dependencies, where a pattern has "..." in it, to drop
// the packages that hold no kernels). Everything after that happens in memory:
// kernel packages are type-checked from source, other packages come from export
// data, and if code that a kernel reaches turns out to stand in one of the
// latter, the whole universe is made again with that package from source too.
// So all types of a [Program] are of one universe, and only functions that
// kernels reach cost anything.
//
// Standard packages that come from source are read as on a port without
// assembly, so that every function has a body in Go.
package load
