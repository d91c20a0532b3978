package bench

import (
	"slices"
	"time"
)

// Works are the rows of the report.
var Works = slices.Concat([]Work{
	copy4, fma, halfFMA,

	copies[float32]().work("≥ 4150 GB/s"), muls[float32]().work(""), adds[float32]().work(""), triads[float32]().work("≥ 4300 GB/s"), streamDot[float32](),
	copies[float64]().work(""), muls[float64]().work(""), adds[float64]().work(""), triads[float64]().work("≥ 4300 GB/s"), streamDot[float64](),
	halfCopy, halfTriad,

	matmul, tiled, blockMatmulWork, gemm, gemmSmall, gemmBatch, gemmHalf, gemmHalfRows, gemmInt8, gemv, tensorHalves, tensorHalvesSmall, tensorBytes, tensorBytesSmall, weights8, weights4, transpose, stencil, blur, rows, spmv, sparseGemv,
	saxpy, rowsFFT, oneFFT, squareFFT, softmax, blackScholes, mandelbrot, nbody, nbodyStep,
	halfMax, histogramWork, life,

	chainWork(2), chainWork(5), chainWork(10), halfChain,

	roundTrip, dependent, independent, replay, calls, startWork,
	upload, download, pinnedUpload, pinnedDownload, copyBesideWork,

	crossDeviceCopy, nbodyShared, pathsShared, stencilShared, gemmShared, reduceShared,
}, primFuncs())

// timePerRun returns the time of one run of a contestant, in seconds.
func timePerRun(c Contestant) (float64, error) {
	begin := time.Now()
	err := c.Run(1)
	return time.Since(begin).Seconds(), err
}
