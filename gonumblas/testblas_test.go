package gonumblas

import (
	"testing"

	"gonum.org/v1/gonum/blas/testblas"

	"github.com/kgen-go/kgen/runtime"
)

// testTestblas runs gonum's own tests of an implementation of BLAS, with each call that has a kernel on the device.
func testTestblas(t *testing.T, dev *runtime.Device) {
	type impl = BLAS
	on := On(dev, Threshold(0))
	for _, c := range []struct {
		name string
		test func(t *testing.T, on impl)
	}{
		{"Dgemm", func(t *testing.T, on impl) { testblas.TestDgemm(t, on) }},
		{"Dsymm", func(t *testing.T, on impl) { testblas.DsymmTest(t, on) }},
		{"Dsyrk", func(t *testing.T, on impl) { testblas.DsyrkTest(t, on) }},
		{"Dsyr2k", func(t *testing.T, on impl) { testblas.Dsyr2kTest(t, on) }},
		{"Dtrmm", func(t *testing.T, on impl) { testblas.DtrmmTest(t, on) }},
		{"Dtrsm", func(t *testing.T, on impl) { testblas.DtrsmTest(t, on) }},
		{"Dgemv", func(t *testing.T, on impl) { testblas.DgemvTest(t, on) }},
		{"Dger", func(t *testing.T, on impl) { testblas.DgerTest(t, on) }},
		{"Dgbmv", func(t *testing.T, on impl) { testblas.DgbmvTest(t, on) }},
		{"Dsbmv", func(t *testing.T, on impl) { testblas.DsbmvTest(t, on) }},
		{"Dspmv", func(t *testing.T, on impl) { testblas.DspmvTest(t, on) }},
		{"Dspr", func(t *testing.T, on impl) { testblas.DsprTest(t, on) }},
		{"Dspr2", func(t *testing.T, on impl) { testblas.Dspr2Test(t, on) }},
		{"Dsymv", func(t *testing.T, on impl) { testblas.DsymvTest(t, on) }},
		{"Dsyr", func(t *testing.T, on impl) { testblas.DsyrTest(t, on) }},
		{"Dsyr2", func(t *testing.T, on impl) { testblas.Dsyr2Test(t, on) }},
		{"Dtbmv", func(t *testing.T, on impl) { testblas.DtbmvTest(t, on) }},
		{"Dtbsv", func(t *testing.T, on impl) { testblas.DtbsvTest(t, on) }},
		{"Dtpmv", func(t *testing.T, on impl) { testblas.DtpmvTest(t, on) }},
		{"Dtpsv", func(t *testing.T, on impl) { testblas.DtpsvTest(t, on) }},
		{"Dtrmv", func(t *testing.T, on impl) { testblas.DtrmvTest(t, on) }},
		{"Dtrsv", func(t *testing.T, on impl) { testblas.DtrsvTest(t, on) }},
		{"Dtxmv", func(t *testing.T, on impl) { testblas.DtxmvTest(t, on) }},
		{"Ddot", func(t *testing.T, on impl) { testblas.DdotTest(t, on) }},
		{"Dnrm2", func(t *testing.T, on impl) { testblas.Dnrm2Test(t, on) }},
		{"Dasum", func(t *testing.T, on impl) { testblas.DasumTest(t, on) }},
		{"Idamax", func(t *testing.T, on impl) { testblas.IdamaxTest(t, on) }},
		{"Dswap", func(t *testing.T, on impl) { testblas.DswapTest(t, on) }},
		{"Dcopy", func(t *testing.T, on impl) { testblas.DcopyTest(t, on) }},
		{"Daxpy", func(t *testing.T, on impl) { testblas.DaxpyTest(t, on) }},
		{"Drotg", func(t *testing.T, on impl) { testblas.DrotgTest(t, on, false) }},
		{"Drotmg", func(t *testing.T, on impl) { testblas.DrotmgTest(t, on) }},
		{"Drot", func(t *testing.T, on impl) { testblas.DrotTest(t, on) }},
		{"Drotm", func(t *testing.T, on impl) { testblas.DrotmTest(t, on) }},
		{"Dscal", func(t *testing.T, on impl) { testblas.DscalTest(t, on) }},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, on) })
	}
}
