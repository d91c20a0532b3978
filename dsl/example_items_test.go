package dsl_test

import (
	"context"
	"fmt"
	"log"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/guide"
	"github.com/kgen-go/kgen/internal/tests/guide/guidegen"
	"github.com/kgen-go/kgen/runtime"
)

// A task runs once.
//
//	type Longest struct {
//		In  []int32
//		Out []int
//	}
//
//	func (k Longest) Kernel(t dsl.Task) {
//		run := 0
//		for i := range k.In {
//			if i == 0 || k.In[i] != k.In[i-1] {
//				run = 0
//			}
//			run++
//			k.Out[0] = max(k.Out[0], run)
//		}
//	}
func ExampleTask() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	in, out := []int32{4, 4, 7, 7, 7, 1}, make([]int, 1)
	err = guidegen.RunLongest(ctx, dev, guide.Longest{In: in, Out: out})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out)
	// Output: [3]
}

// A work-item for each element of a slice.
//
//	type Square struct{ X []int32 }
//
//	func (k Square) Kernel(it dsl.Item1) {
//		i := it.GlobalID()
//		k.X[i] *= k.X[i]
//	}
func ExampleItem1() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	x := []int32{1, 2, 3, 4}
	err = guidegen.RunSquare(ctx, dev, guide.Square{X: x}, runtime.Range1(len(x)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(x)
	// Output: [1 4 9 16]
}

// A work-item for each pixel of a picture. The last dimension is x.
//
//	type Flip struct{ In, Out []byte }
//
//	func (k Flip) Kernel(it dsl.Item2) {
//		y, x := it.GlobalID()
//		_, width := it.GlobalRange()
//		k.Out[it.GlobalLinearID()] = k.In[y*width+width-1-x]
//	}
func ExampleItem2() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	in, out := []byte("abcd"+"efgh"), make([]byte, 8)
	err = guidegen.RunFlip(ctx, dev, guide.Flip{In: in, Out: out}, runtime.Range2{2, 4})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s %s\n", out[:4], out[4:])
	// Output: dcba hgfe
}

// A work-item for each point of a volume: two layers of one row of three.
//
//	type Layers struct{ In, Out []int32 }
//
//	func (k Layers) Kernel(it dsl.Item3) {
//		z, y, x := it.GlobalID()
//		_, height, width := it.GlobalRange()
//		for below := range z + 1 {
//			k.Out[it.GlobalLinearID()] += k.In[(below*height+y)*width+x]
//		}
//	}
func ExampleItem3() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	in, out := []int32{1, 2, 3, 10, 20, 30}, make([]int32, 6)
	err = guidegen.RunLayers(ctx, dev, guide.Layers{In: in, Out: out}, runtime.Range3{2, 1, 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out)
	// Output: [1 2 3 11 22 33]
}

// Work-groups of four share an array.
//
//	type Turn struct{ X []int32 }
//
//	func (k Turn) Kernel(it dsl.NDItem1) {
//		tile := dsl.Local[[64]int32](it)
//		l := it.LocalID()
//		tile[l] = k.X[it.GlobalID()]
//		it.Barrier()
//		k.X[it.GlobalID()] = tile[it.LocalRange()-1-l]
//	}
func ExampleNDItem1() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	x := []int32{1, 2, 3, 4, 5, 6, 7, 8}
	err = guidegen.RunTurn(ctx, dev, guide.Turn{X: x}, runtime.NDRange1{Global: 8, Local: 4})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(x)
	// Output: [4 3 2 1 8 7 6 5]
}

// Work-groups of a size that a specialization constant says, which share a slice.
//
//	var Tile = dsl.NewSpecConstant(2)
//
//	type Transpose struct {
//		N       int
//		In, Out []int32
//	}
//
//	func (k Transpose) Kernel(it dsl.NDItem2) {
//		n := Tile.Get(it)
//		tile := dsl.LocalSlice[int32](it, n*n)
//		y, x := it.GlobalID()
//		ly, lx := it.LocalID()
//		tile[ly*n+lx] = k.In[y*k.N+x]
//		it.Barrier()
//		gy, gx := it.GroupID()
//		k.Out[(gx*n+ly)*k.N+gy*n+lx] = tile[lx*n+ly]
//	}
func ExampleNDItem2() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	in, out := []int32{
		0, 1, 2, 3,
		4, 5, 6, 7,
		8, 9, 10, 11,
		12, 13, 14, 15,
	}, make([]int32, 16)
	r := runtime.NDRange2{Global: runtime.Range2{4, 4}, Local: runtime.Range2{2, 2}}
	err = guidegen.RunTranspose(ctx, dev, guide.Transpose{N: 4, In: in, Out: out}, r)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out)
	// Output: [0 4 8 12 1 5 9 13 2 6 10 14 3 7 11 15]
}

// Work-groups of three dimensions.
//
//	type Corner struct{ Out [][3]int }
//
//	func (k Corner) Kernel(it dsl.NDItem3) {
//		z, y, x := it.GlobalID()
//		lz, ly, lx := it.LocalID()
//		k.Out[it.GlobalLinearID()] = [3]int{z - lz, y - ly, x - lx}
//	}
func ExampleNDItem3() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	out := make([][3]int, 2*2*4)
	r := runtime.NDRange3{Global: runtime.Range3{2, 2, 4}, Local: runtime.Range3{1, 2, 2}}
	err = guidegen.RunCorner(ctx, dev, guide.Corner{Out: out}, r)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out[0], out[7], out[15])
	// Output: [0 0 0] [0 0 2] [1 0 2]
}

// Memory of work-groups whose length each launch says.
//
//	type Sums struct {
//		In, Out []int32
//		Scratch dsl.LocalAccessor[int32]
//	}
//
//	func (k Sums) Kernel(it dsl.NDItem1) {
//		s := k.Scratch.Slice(it)
//		s[it.LocalID()] = k.In[it.GlobalID()]
//		it.Barrier()
//		if it.LocalID() == 0 {
//			for _, v := range s {
//				k.Out[it.GroupID()] += v
//			}
//		}
//	}
func ExampleLocalAccessor() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	in, out := []int32{1, 2, 3, 4, 5, 6}, make([]int32, 2)
	k := guide.Sums{In: in, Out: out, Scratch: dsl.LocalLen[int32](3)}
	err = guidegen.RunSums(ctx, dev, k, runtime.NDRange1{Global: 6, Local: 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out)
	// Output: [6 15]
}

// A helper for kernels of all ranks whose work-items have a work-group.
//
//	func opposite(it dsl.GroupItem, g dsl.Group, v int32) int32 {
//		tile := dsl.Local[[64]int32](it)
//		tile[g.LocalID()] = v
//		g.Barrier()
//		return tile[g.LocalRange()-1-g.LocalID()]
//	}
//
//	type Palindromes struct {
//		In  []int32
//		Out []bool
//	}
//
//	func (k Palindromes) Kernel(it dsl.NDItem1) {
//		v := k.In[it.GlobalID()]
//		k.Out[it.GlobalID()] = opposite(it, it.Group(), v) == v
//	}
func ExampleGroupItem() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	in, out := []int32{1, 2, 1, 3, 2, 2}, make([]bool, 6)
	err = guidegen.RunPalindromes(ctx, dev, guide.Palindromes{In: in, Out: out}, runtime.NDRange1{Global: 6, Local: 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out)
	// Output: [true true true false true false]
}
