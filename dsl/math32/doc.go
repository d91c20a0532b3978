// Package math32 contains float32 mathematics for kernels. The functions have the names and the
// special cases of the functions in package math.
//
// # Precise forms
//
// A function without prefix gives the same bits on every device and on the host. In kernels, a
// function without prefix uses only float32 and 32-bit integer arithmetic and needs no aspect. The
// doc comment of a function states its largest error, in ulps (units in the last place) of the
// exact result. A correctly rounded function has an error of 0.5 ulp. For functions with one
// argument, the error bounds were measured on every float32. For functions with two arguments, the
// error bounds were measured on some hundred millions of pairs (go test -exhaustive).
//
// The bounds also hold for subnormal arguments and results. On devices that treat subnormals as
// zeros (runtime.DeviceInfo.Subnormals), the functions compute with the bits of subnormals. On
// other devices, the support of subnormals costs nothing. The bits of a NaN depend on the device.
// In kernels of the mode properties.FloatFast, division and square root also depend on the device,
// so no function gives the same bits on all devices.
//
// # Fast forms
//
// A function with prefix Fast is the device's own instruction. The result of a Fast function may be
// any number within the bound that its comment states, and may differ between devices. A Fast
// function may also ignore the special cases of the precise form. On the host, a Fast function
// equals the precise form. The table has the largest errors measured for some millions of arguments
// each, on Mesa 22.3's lavapipe and an H200 with NVIDIA's driver 580 (go test
// ./internal/tests/difftest/ulps -v -samples 4000000).
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
// In the table, errors without a unit are absolute. For x in [0.5, 2], the error bound of FastLog
// and FastLog2 is 2**-21, which is many ulps if the logarithm is near zero.
package math32

// Products are converted explicitly, as in float32(x*y). Without a conversion, a Go compiler may
// fuse x*y + z, which changes the result.

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
