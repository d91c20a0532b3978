// Package near has variables that its functions fill and another package's kernels read.
package near

// Squares has the squares of the numbers up to 31.
var Squares [32]uint64

var cubes [32]uint64

func init() {
	for i := range Squares {
		Squares[i] = uint64(i * i)
		cubes[i] = Squares[i] * uint64(i)
	}
}

// Cube returns x*x*x of the last five bits of x.
func Cube(x uint64) uint64 { return cubes[x&31] }
