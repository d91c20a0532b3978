package gonumblas

import "gonum.org/v1/gonum/blas"

// Dgemm is a function of level 3, which computes c = alpha*op(a)*op(b) + beta*c.
func (d *blasDevice) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if !gemm(d, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		d.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Dgemv is a function of level 2, which computes y = alpha*op(a)*x + beta*y.
func (d *blasDevice) Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	if !gemv(d, tA, m, n, alpha, a, lda, x, incX, beta, y, incY) {
		d.Implementation.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

// Dger is a function of level 2, which computes a += alpha*x*yᵀ.
func (d *blasDevice) Dger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	if !ger(d, m, n, alpha, x, incX, y, incY, a, lda) {
		d.Implementation.Dger(m, n, alpha, x, incX, y, incY, a, lda)
	}
}

// Daxpy is a function of level 1, which computes y += alpha*x.
func (d *blasDevice) Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	if !axpy(d, n, alpha, x, incX, y, incY) {
		d.Implementation.Daxpy(n, alpha, x, incX, y, incY)
	}
}

// Ddot is a function of level 1, which returns the dot product of x and y.
func (d *blasDevice) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	if sum, ok := dot(d, n, x, incX, y, incY); ok {
		return sum
	}
	return d.Implementation.Ddot(n, x, incX, y, incY)
}

// Dnrm2 is a function of level 1, which returns the Euclidean norm of x.
func (d *blasDevice) Dnrm2(n int, x []float64, incX int) float64 {
	if norm, ok := nrm2(d, n, x, incX); ok {
		return norm
	}
	return d.Implementation.Dnrm2(n, x, incX)
}
