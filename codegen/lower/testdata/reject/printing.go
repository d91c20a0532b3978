package reject

import (
	"fmt"

	"github.com/kgen-go/kgen/dsl"
	halves "github.com/kgen-go/kgen/dsl/half"
)

// Printing prints what kernels cannot print.
type Printing struct {
	X   []float32
	Out []int
}

type pair struct{ a, B int }

// formatted says itself what is printed.
type formatted int

func (formatted) Format(fmt.State, rune) {}

type goName int

func (goName) GoString() string { return "name" }

// tallied makes its text.
type tallied int

func (c tallied) String() string {
	s := ""
	for range c {
		s += "x"
	}
	return s
}

type holds struct {
	p *int
	n int
}

type around struct{ C tallied }

func (k Printing) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.X[i]
	fmt.Println(k.X)                                                                      // want KG305 `cannot print a \[\]float32: how long`
	fmt.Println(&x)                                                                       // want KG305 `cannot print a \*float32: an address`
	fmt.Println(holds{&i, i})                                                             // want KG305 `cannot print a \*int`
	fmt.Println(formatted(i))                                                             // want KG305 `method Format`
	fmt.Println(tallied(i), i)                                                            // want KG305 `does more than look for a text`
	fmt.Println(around{tallied(i)})                                                       // want KG305 `does more than look for a text`
	fmt.Printf("%d\n", tallied(i))                                                        // which calls no method
	fmt.Printf("%#v\n", goName(i))                                                        // want KG305 `method GoString`
	fmt.Printf("%#v\n", pair{1, i})                                                       // want KG305 `prints the name of the type`
	fmt.Printf("%s\n", i)                                                                 // want KG305 `the verb %s is not one of int`
	fmt.Printf("%d %g\n", halves.Epsilon[halves.Float16](), halves.NaN[halves.Float16]()) // want KG305 `the verb %d is not one of .*half.Float16`
	fmt.Printf("%d\n", pair{1, i}, i)                                                     // want KG305 `no verb of the format .* is for argument 2`
	fmt.Printf("%d %d\n", i)                                                              // want KG305 `a verb of the format has no argument`
	fmt.Printf("%y\n", i)                                                                 // want KG305 `verb %y`
	fmt.Printf("%p\n", &x)                                                                // want KG305 `verb %p`
	fmt.Printf("100%")                                                                    // want KG305 `ends within a verb`
	fmt.Printf("%[3]d\n", i)                                                              // want KG305 `an index of the format names no argument`
	fmt.Printf("%*d\n", x, i)                                                             // want KG305 `width or precision of the format is no integer`
	fmt.Printf("%d\n", nil)                                                               // want KG305 `%d of a nil interface value`
	fmt.Printf("ab%d"[i&1:], i)                                                           // want KG305 `the format is not known`
	fmt.Println([]any{i, x}[i&1:]...)                                                     // want KG201 `which elements`
	fmt.Println([600]int{})                                                               // want KG305 `too large`
	n, err := fmt.Println(i)                                                              // want KG305 `what Println returns is not known`
	k.Out[0] = n
	if err != nil {
		k.Out[1] = 1
	}
	println(any(i), k.X) // want KG305 `println of a any prints an address`
	println(&x)          // want KG305 `println of a \*float32 prints an address`
}
