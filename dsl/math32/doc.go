// Package math32 is float32 mathematics for kernels: the functions of package
// math that matter there, with the same names and special cases.
//
// # Precise forms
//
// A function without prefix gives the same bits on every device and on the host.
// It is written in float32 and 32-bit integer arithmetic alone and needs no
// aspect. Its doc comment states the largest error, in ulps (units in the last
// place) of the exact result; a correctly rounded function has 0.5. The bounds of
// functions of one argument were measured on every float32, those of two on some
// hundred millions of pairs (go test -exhaustive).
//
// Two things are left to the device, as for all float32 arithmetic: whether
// subnormal arguments and results count as zero, and the bits of a NaN.
//
// # Fast forms
//
// A function with prefix Fast is the device's own instruction. Its result is
// unspecified within the bound that the comment states, differs between devices,
// and may ignore the special cases of the precise form. On the host it is the
// precise form.
package math32

// Products stand in explicit conversions, float32(x*y), because Go allows a
// compiler to fuse x*y + z otherwise, and fused results differ.

// Mathematical constants.
const (
	E      = 2.71828182845904523536028747135266249775724709369995957496696763
	Pi     = 3.14159265358979323846264338327950288419716939937510582097494459
	Sqrt2  = 1.41421356237309504880168872420969807856967187537694807317667974
	Ln2    = 0.693147180559945309417232121458176568075500134360255254120680009
	Log2E  = 1 / Ln2
	Ln10   = 2.30258509299404568401799145468436420760110148862877297603332790
	Log10E = 1 / Ln10
)

// Floating-point limits.
const (
	MaxFloat32             = 0x1p127 * (1 + (1 - 0x1p-23))
	SmallestNormalFloat32  = 0x1p-126
	SmallestNonzeroFloat32 = 0x1p-126 * 0x1p-23
)
