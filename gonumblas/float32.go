package gonumblas

import "gonum.org/v1/gonum/blas"

// Sgemm is a function of level 3, which computes c = alpha*op(a)*op(b) + beta*c.
func (d *blasDevice) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	if !gemm(d, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		d.Implementation.Sgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Sgemv is a function of level 2, which computes y = alpha*op(a)*x + beta*y.
func (d *blasDevice) Sgemv(tA blas.Transpose, m, n int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32, incY int) {
	if !gemv(d, tA, m, n, alpha, a, lda, x, incX, beta, y, incY) {
		d.Implementation.Sgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

// Sger is a function of level 2, which computes a += alpha*x*yᵀ.
func (d *blasDevice) Sger(m, n int, alpha float32, x []float32, incX int, y []float32, incY int, a []float32, lda int) {
	if !ger(d, m, n, alpha, x, incX, y, incY, a, lda) {
		d.Implementation.Sger(m, n, alpha, x, incX, y, incY, a, lda)
	}
}

// Saxpy is a function of level 1, which computes y += alpha*x.
func (d *blasDevice) Saxpy(n int, alpha float32, x []float32, incX int, y []float32, incY int) {
	if !axpy(d, n, alpha, x, incX, y, incY) {
		d.Implementation.Saxpy(n, alpha, x, incX, y, incY)
	}
}

// Sdot is a function of level 1, which returns the dot product of x and y.
func (d *blasDevice) Sdot(n int, x []float32, incX int, y []float32, incY int) float32 {
	if sum, ok := dot(d, n, x, incX, y, incY); ok {
		return sum
	}
	return d.Implementation.Sdot(n, x, incX, y, incY)
}

// Snrm2 is a function of level 1, which returns the Euclidean norm of x.
func (d *blasDevice) Snrm2(n int, x []float32, incX int) float32 {
	if norm, ok := nrm2(d, n, x, incX); ok {
		return norm
	}
	return d.Implementation.Snrm2(n, x, incX)
}
