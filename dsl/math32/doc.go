// Package math32 is float32 mathematics for kernels: the functions of package
// math that matter there, with the same names and special cases.
//
// # Precise forms
//
// A function without prefix gives the same bits on every device and on the host.
// In kernels it is float32 and 32-bit integer arithmetic alone and needs no
// aspect. Its doc comment states the largest error, in ulps (units in the last
// place) of the exact result; a correctly rounded function has 0.5. The bounds of
// functions of one argument were measured on every float32, those of two on some
// hundred millions of pairs (go test -exhaustive).
//
// That holds for subnormal arguments and results, too: on devices that take those for
// zeros (runtime.DeviceInfo.Subnormals), the functions compute them from their bits.
// Other devices pay nothing for it. The bits of a NaN are left to the device, and in
// kernels of the mode properties.FloatFast so are division and square root: there no
// function has the same bits everywhere.
//
// # Fast forms
//
// A function with prefix Fast is the device's own instruction. Its result is
// unspecified within the bound that the comment states, differs between devices,
// and may ignore the special cases of the precise form. On the host it is the
// precise form. The largest errors measured, for some millions of arguments each
// (go test ./internal/tests/difftest/ulps -v -samples 4000000; lavapipe is Mesa 22.3,
// the H200 has NVIDIA's driver 580):
//
//	                                    lavapipe      H200       precise form
//	FastSin    -Pi to Pi                7e-8          4e-7       0.77 ulps
//	FastCos    -Pi to Pi                8e-8          4e-7       0.77 ulps
//	FastTan    -1.5 to 1.5              1.6e-6        4e-5       0.78 ulps
//	FastExp    -80 to 80                63 ulps       62 ulps    0.66 ulps
//	FastExp2   -120 to 120              3.0 ulps      2.1 ulps   0.60 ulps
//	FastLog    1e-30 to 1e30            7e-6          9e-6       0.76 ulps
//	FastLog2   1e-30 to 1e30            4e-6          8e-6       0.51 ulps
//	FastRsqrt  1e-30 to 1e30            1.5 ulps      1.5 ulps   0.5 ulps
//	FastTanh   -10 to 10                0.7 ulps      0.7 ulps   0.71 ulps
//	FastPow    1e-3 to 1e3, -10 to 10   95 ulps       156 ulps   0.63 ulps
//
// Errors without a unit are absolute. Near zero, where the bound is 2**-21, the errors of the
// logarithms are large if counted in ulps.
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
