package gonumblas_test

import (
	"fmt"
	"log"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kgen-go/kgen/gonumblas"
	"github.com/kgen-go/kgen/runtime"
)

// Open the device once, and give its BLAS to gonum. From then on package mat and others call it.
func Example() {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	on := gonumblas.On(dev, gonumblas.Threshold(0)) // these matrices are small
	defer blas32.Use(blas32.Implementation())
	defer blas64.Use(blas64.Implementation())
	blas32.Use(on)
	blas64.Use(on)

	a := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	var c mat.Dense
	c.Mul(a, a.T())
	fmt.Println(mat.Formatted(&c))

	x := blas32.General{Rows: 2, Cols: 2, Stride: 2, Data: []float32{1, 2, 3, 4}}
	y := blas32.General{Rows: 2, Cols: 2, Stride: 2, Data: make([]float32, 4)}
	blas32.Gemm(blas.NoTrans, blas.Trans, 1, x, x, 0, y)
	fmt.Println(y.Data)
	// Output:
	// ⎡14  32⎤
	// ⎣32  77⎦
	// [5 11 11 25]
}

// Larger calls of level 3 run on the device, and all others by gonum's own implementation.
func ExampleThreshold() {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	on := gonumblas.On(dev, gonumblas.Threshold(64*64*64, 3))
	a, c := make([]float32, 64*64), make([]float32, 64*64)
	a[0] = 3
	on.Sgemm(blas.NoTrans, blas.NoTrans, 64, 64, 64, 1, a, 64, a, 64, 0, c, 64)
	fmt.Println(c[0], on.Sdot(64, a, 1, a, 1))
	// Output: 9 9
}
