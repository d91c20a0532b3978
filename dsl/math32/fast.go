package math32

// The error bounds are the bounds that Vulkan guarantees for the device's instructions. FastLog has
// a larger bound, because one known device is slightly less exact.

// FastSin returns the sine of x radians, within 2**-11 for x in [-Pi, Pi] and
// unspecified beyond.
func FastSin(x float32) float32 { return Sin(x) }

// FastCos returns the cosine of x radians, within 2**-11 for x in [-Pi, Pi] and
// unspecified beyond.
func FastCos(x float32) float32 { return Cos(x) }

// FastTan returns the tangent of x radians, as FastSin(x) / FastCos(x).
func FastTan(x float32) float32 { return Tan(x) }

// FastExp returns e**x within 3 + 2*|x| ulps.
func FastExp(x float32) float32 { return Exp(x) }

// FastExp2 returns 2**x within 3 + 2*|x| ulps.
func FastExp2(x float32) float32 { return Exp2(x) }

// FastLog returns the natural logarithm of x > 0 within 4 ulps, or within 2**-21
// for x in [0.5, 2].
func FastLog(x float32) float32 { return Log(x) }

// FastLog2 returns the binary logarithm of x > 0 within 3 ulps, or within 2**-21
// for x in [0.5, 2].
func FastLog2(x float32) float32 { return Log2(x) }

// FastPow returns x**y for x > 0, as FastExp2(y * FastLog2(x)).
func FastPow(x, y float32) float32 { return Pow(x, y) }

// FastRsqrt returns 1/Sqrt(x) for x > 0 within 2 ulps.
func FastRsqrt(x float32) float32 { return Rsqrt(x) }

// FastTanh returns the hyperbolic tangent of x. Its error may be as large as if it divided two sums
// of FastExp results.
func FastTanh(x float32) float32 { return Tanh(x) }
