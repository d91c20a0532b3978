// Package prints contains kernels that print.
//
//kgen:bare views=Adds,Faults,Grid,Spins noform=Wide,Items,All,Predeclared,Doubles,Never,Spins
package prints

import (
	"errors"
	"fmt"

	"github.com/kgen-go/kgen/dsl"
)

//go:generate go tool kgen .

// Point is a struct that is printed.
type Point struct {
	X, Y float32
	tag  int8
}

// Level is an integer type with its own String method.
type Level int

var levels = [...]string{"low", "middle", "high"}

// String returns the level's name.
func (l Level) String() string { return levels[l&1+l>>1&1] }

// Word is a string type whose String method returns another text.
type Word string

// String returns the word's meaning.
func (w Word) String() string { return "word" }

// Plain is a named integer type without methods.
type Plain uint16

// Reading is a struct with fields of several types.
type Reading struct {
	At    [2]int32
	Value float32
	Level Level
	Plain Plain
	ok    bool
	inner Level // unexported, so fmt does not call its String method
}

// All prints values of all types by all print functions.
type All struct {
	N    int
	F    float32
	B    bool
	U    uint64
	Text []byte
}

// Kernel prints.
func (k All) Kernel(t dsl.Task) {
	n := k.N
	fmt.Println("numbers", n, -n, int8(n), int16(-n), int32(n), int64(n)<<33, uint8(n), uint16(n), uint32(n), k.U, uint(n), uintptr(n))
	fmt.Println(k.F, -k.F, 1.5, float32(n)/7, k.B, !k.B, complex(k.F, 2))
	fmt.Print("a", n, n+1, "b", "c", k.B, Plain(n), Word("x"), "\n")
	fmt.Print(Level(1), Level(2), Word("y"), Word("z"), 1, 2, "\n")
	fmt.Printf("%d %5d|%-5d|%05d|%+d|%x|%#X|%o|%b|%c|%q|%U\n", n, n, n, n, n, n, n, n, n, n+60, rune(n+60), n+60)
	fmt.Printf("%t %v %5t|%s|%q|%x|%10s|%-10s|%.2s\n", k.B, k.B, k.B, "text", "q\"", "hex", "right", "left", "cut")
	fmt.Printf("%[2]d %[1]d %[2]*[1]d|%[3]*[4]d|%.*f %%\n", n, 4, 7, n, 2, k.F)
	fmt.Printf("%T %T %T %T %8T|\n", n, k.F, Point{}, Level(1), "s")
	fmt.Printf("%v %+v\n", Point{k.F, 2, 3}, Point{X: k.F})
	r := Reading{[2]int32{int32(n), 8}, k.F, 1, Plain(n), k.B, 2}
	fmt.Println(r)
	fmt.Printf("%v %+v %d\n", r, r, r.At)
	fmt.Printf("%#v %#v %#v %#v\n", n, uint8(n), "s", [2]int{n, 1})
	fmt.Printf("%s %v %d %q %x\n", Level(n), Level(n), Level(n), Level(n), Level(n))
	fmt.Println([3]uint8{1, 2, uint8(n)}, [2][2]int16{{1, 2}, {3, int16(n)}}, [0]int{}, struct{}{})
	fmt.Printf("%x %s %q\n", [3]uint8{104, 105, uint8(n) + 100}, [2]uint8{104, 105}, [2]string{"a", levels[n&1]})
	fmt.Println(levels[n&1], levels[n&1][1:], struct{ A, B string }{"x", levels[n&1]})
	fmt.Println(string(k.Text), string(k.Text[1:]), len(k.Text), string(k.Text[:0]))
	fmt.Printf("%q %v %s\n", string(k.Text), string(k.Text[2:]), string(k.Text[:n&3]))
	fmt.Println(errors.New("an error"), error(nil), any(nil), any(n))
	var v any = n
	if k.B {
		v = "text"
	} else if n > 3 {
		v = k.F
	}
	fmt.Println("one of", v, v)
	fmt.Println()
	fmt.Print()
	fmt.Printf("no newline")
	fmt.Println()
	fmt.Printf("π %s ☃\n", "日本")
}

// Doubles prints numbers of 64 bits.
type Doubles struct{ D float64 }

// Kernel prints.
func (k Doubles) Kernel(t dsl.Task) {
	fmt.Println(k.D, -k.D, k.D/3, complex(k.D, -1), [2]float64{k.D, 1 / k.D}, struct{ A float64 }{k.D})
	fmt.Printf("%v %g %.2f %8.3e %G|%x|%6.2f|%+.1f %b\n", k.D, k.D, k.D, k.D, k.D, k.D, k.D, k.D, k.D)
	println(k.D, k.D/3, k.D*1e300*1e300, -k.D*1e-300, k.D-k.D, complex(k.D, -2.5))
}

// Predeclared calls the predeclared functions print and println.
type Predeclared struct {
	N int
	F float32
	B bool
	T []byte
}

// Kernel prints.
func (k Predeclared) Kernel(t dsl.Task) {
	println("println", k.N, -k.N, int8(k.N), uint8(k.N), uint64(k.N)<<60, k.B, !k.B, 'x', 1.5, 1<<40)
	println(k.F, k.F/3, k.F*1e38*1e38, -k.F*1e-30, k.F-k.F)
	println(complex(k.F, 1), Level(2), Plain(k.N), Word("w"), string(k.T), levels[k.N&1])
	print("print", k.N, k.F, "and", true, "\n")
	println()
	print()
}

// Items is a kernel whose work-items all print, in loops, functions and closures.
type Items struct {
	Rounds []int32
}

func report(i int, what string) { fmt.Printf("%d: %s\n", i, what) }

// Kernel prints.
func (k Items) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	report(i, "begin")
	show := func(j int32) { fmt.Println(i, "round", j, "of", k.Rounds[i]) }
	for j := range k.Rounds[i] {
		show(j)
		if j == 2 {
			report(i, "half")
		}
	}
	defer fmt.Printf("%d: deferred\n", i)
	report(i, "end")
}

// Grid prints the ids of work-items in two dimensions.
type Grid struct{ Out []int32 }

// Kernel prints.
func (k Grid) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	_, w := it.GlobalRange()
	k.Out[y*w+x] = int32(x * y)
	fmt.Println(y, x)
}

// Groups prints between barriers, and prints values that are equal in all work-items of a work-group.
type Groups struct{ Out []int32 }

// Kernel prints.
func (k Groups) Kernel(it dsl.NDItem1) {
	i, l := it.GlobalID(), it.LocalID()
	fmt.Println(i, "before")
	sum := dsl.ReduceOverGroup(it.Group(), int32(l), dsl.Plus)
	it.Barrier()
	if l%2 == 0 {
		fmt.Println(i, "sum", sum)
	}
	top := dsl.ReduceOverGroup(it.SubGroup(), int32(l), dsl.Maximum)
	k.Out[i] = top
	it.Barrier()
	fmt.Println(i, "after")
}

// Faults prints from all work-items, and one of the work-items faults.
type Faults struct {
	Out []int32
	Bad int
}

// Kernel prints.
func (k Faults) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	fmt.Println(i, "before")
	it.Barrier()
	if i == k.Bad {
		k.Out[len(k.Out)+i] = 1
	}
	fmt.Println(i, "after")
	it.Barrier()
	k.Out[i] = 1
	fmt.Println(i, "end")
}

// Many is a kernel that prints several lines from each work-item.
type Many struct{ Lines int }

// Kernel prints.
func (k Many) Kernel(it dsl.Item1) {
	for j := range k.Lines {
		fmt.Println("item", it.GlobalID(), "line", j)
	}
}

// Adds adds a number to all elements, and prints a line.
type Adds struct {
	Out []int32
	N   int32
}

// Kernel prints.
func (k Adds) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] += k.N
	if i == 0 {
		fmt.Println("added", k.N, "to", k.Out[i])
	}
}

// Spins is a kernel that prints, and then loops until the launch is cancelled.
type Spins struct{ Out []int32 }

// Kernel prints.
//
//kgen:cancel
func (k Spins) Kernel(t dsl.Task) {
	fmt.Println("begun")
	for k.Out[0] == 0 {
		k.Out[1]++
	}
}

// Never contains print calls that are never reached.
type Never struct{ Out []int32 }

// Kernel does not print.
func (k Never) Kernel(it dsl.Item1) {
	const debug = false
	i := it.GlobalID()
	if debug {
		fmt.Println(i)
	}
	k.Out[i] = int32(i)
}

// Wide has more arguments than fit in push constants. Wide never reads one of its arguments. The kernel also reads a table that
// is constant data.
type Wide struct {
	A, B, C, D, Unused, E, F, G []int32
	N                           int8
	Out                         []int32
}

// Kernel prints.
func (k Wide) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.A[i] + k.B[i] + k.C[i] + k.D[i] + k.E[i] + k.F[i] + k.G[i] + squares[k.A[i]&1023]
	fmt.Println(i, k.N, k.Out[i], squares[i])
}

var squares = func() (t [1024]int32) {
	for i := range t {
		t[i] = int32(i * i)
	}
	return
}()
