package bench

import (
	"fmt"

	"github.com/kgen-go/kgen/internal/bench/kernels"
	"github.com/kgen-go/kgen/runtime"
)

// These rows measure products of a matrix of weights and a vector, as a language model computes them for
// one token. The kernel reads each weight once.
var (
	weights8 = weightsWork("int8 weights times vector", "Weights8", 1, func(w uint32, j int) int32 { return int32(int8(w >> (8 * j))) })
	weights4 = weightsWork("4-bit weights times vector", "Weights4", 2, func(w uint32, j int) int32 { return int32(w>>(4*j)&15) - 8 })
)

// weightsWork returns a benchmark row for a kernel that multiplies weights by a vector. vectorWords is the
// number of 32-bit words of the vector per 32-bit word of a matrix row. weightAt returns weight j of a
// 32-bit word.
func weightsWork(name, kernel string, vectorWords int, weightAt func(w uint32, j int) int32) Work {
	return Work{Group: "Grids and matrices", Name: name, Target: "≥ 3990 GB/s", Sizes: [4]int{64, 1024, 4096, 16384}, Make: func(b *Bench, n int) (*Job, error) {
		width := n // number of 32-bit words in a matrix row
		hw := makeSlice(n*width, func(i int) uint32 { return hashIndex(uint32(i), 1) })
		hx := makeSlice(vectorWords*width, func(i int) uint32 { return hashIndex(uint32(i), 2) })
		// The function number(i, j) returns the vector's element for weight j of word i of a row.
		number := func(i, j int) int32 { return int32(int8(hx[j%vectorWords*width+i] >> (j / vectorWords * 8))) }
		eights := int32(0)
		for i := range width {
			for j := range 4 * vectorWords {
				eights += 8 * number(i, j)
			}
		}
		w, err1 := runtime.BufferOf(b.dev, quads(hw))
		x, err2 := runtime.BufferOf(b.dev, quads(hx))
		out, err3 := memoryFor[int32](b, n)
		if err := firstSet(err1, err2, err3); err != nil {
			return nil, err
		}
		b.closers = append(b.closers, func() { _, _ = w.Close(), x.Close() })
		check := func() error {
			s, err := out.readBack()
			if err != nil {
				return err
			}
			for k := range min(n, 64) {
				row := k * (n / min(n, 64))
				want := int32(0)
				for i, v := range hw[row*width : (row+1)*width] {
					for j := range 4 * vectorWords {
						want += weightAt(v, j) * number(i, j)
					}
				}
				if s[row] != want {
					return fmt.Errorf("row %d of the product is %d, want %d", row, s[row], want)
				}
			}
			return nil
		}
		r := runtime.NDRange1{Global: runtime.Range1((n + kernels.WeightsRows - 1) / kernels.WeightsRows * kernels.WeightsGroup), Local: kernels.WeightsGroup}
		args := []any{w.All(), x.All(), out.all(), width / 4}
		if vectorWords == 2 {
			args = append(args, eights)
		}
		return &Job{Size: fmt.Sprintf("%d rows of %d bytes", n, 4*width), Amount: 4 * float64(n*width), Unit: Bytes,
			Contestants: []Contestant{{kgen, b.launchFunc(kernel, r, args...), out.fillPoison, check}}}, nil
	}}
}

func quads(words []uint32) []kernels.Quad {
	return makeSlice(len(words)/4, func(i int) kernels.Quad { return kernels.Quad(words[4*i:]) })
}
