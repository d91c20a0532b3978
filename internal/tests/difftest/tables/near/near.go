// Package near contains variables that its functions fill, and that kernels of another package read.
package near

// Squares contains the squares of the numbers up to 31.
var Squares [32]uint64

var cubes [32]uint64

func init() {
	for i := range Squares {
		Squares[i] = uint64(i * i)
		cubes[i] = Squares[i] * uint64(i)
	}
}

// Cube returns the cube of the lowest five bits of x.
func Cube(x uint64) uint64 { return cubes[x&31] }
