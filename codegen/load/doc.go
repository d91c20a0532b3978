// Package load reads a user's packages and finds the kernels in them. The input is a [Config] with
// package patterns. The result of [Load] is a [Program] and a list of diagnostics. The program holds
// the packages with kernels ([Package], [Kernel]) and the SSA form of the code that the kernels reach.
//
// Loading takes these steps:
//
//  1. The go command lists the packages of the patterns. If a pattern contains "...", the go command first
//     lists the packages without dependencies. Packages that contain no kernel are dropped.
//  2. Kernel packages are type-checked from source. All other packages are loaded from export data.
//  3. The kernels are found, and their declarations are checked.
//  4. All functions that kernels may call are visited. If a visited function belongs to a package
//     from export data, steps 2 to 4 are repeated, and the package is loaded from source.
//  5. Properties methods are evaluated, directives are applied, and specialization constants get
//     their numbers.
//
// Only step 1 runs other programs. Each repetition of step 2 type-checks all packages again, so
// that all types of a [Program] belong to one universe. A universe is a consistent set of
// type-checked packages. A package is loaded from source only if kernels call its functions.
//
// For a package of the standard library, [Load] selects the files of a port of Go without assembly.
// So every function has a body in Go.
package load
