package reject

import (
	"math"
	"os"

	"github.com/kgen-go/kgen/dsl"
)

var endless = func() int {
	n := 0
	for i := 0; ; i++ {
		n ^= i * 3
	}
}()

var fourInts [4]int

var argCount = len(os.Args) + 3
var exponent = math.Exp(2)
var aMap = map[int]int{1: 2}
var fromMap = aMap[1]
var outside = fourInts[given(4)]
var deepest = recursed(3000)

func recursed(n int) int {
	if n == 0 {
		return 0
	}
	return recursed(n-1) + 1
}

func given(n int) int { return n }

type looped struct {
	l *looped
	n int
}

var ringOf = func() *looped { l := &looped{n: 4}; l.l = l; return l }()

type formula interface{ eval(x int32) int32 }
type both struct{ a, b formula }
type value int32

func (v value) eval(x int32) int32 { return int32(v) + x }

// eval is about ever more.
func (s both) eval(x int32) int32 {
	var l, r formula = both{s, s.b}, both{s.a, s}
	if x > 3 {
		return s.a.eval(x) + s.b.eval(x) // want KG301 `eval calls itself`
	}
	return l.eval(x-1) + r.eval(x-1) // want KG301 `eval calls itself`
}

type Grows struct{ Out []int32 }

func (k Grows) Kernel(it dsl.Item1) { k.Out[0] = both{value(1), value(2)}.eval(k.Out[0]) }

// What runs only while the package is initialized may write variables.
var partly, once, soon, reset, guarded [4]int

func init() {
	partly[0] = 1
	partly[1] = os.Getpid()
}

func init() { fillOnce() }

func init() {
	Refill()
	go func() { soon[0] = 1 }()
}

func fillOnce() { once[1] = 5 }

// Refill may be called at any time.
func Refill() { reset[0]++ }

var asked = os.Getpid() > 1 && fillGuarded()

func fillGuarded() bool { guarded[0] = 1; return true }

type Computes struct {
	Op  []uint32
	Out []float64
}

func (k Computes) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = float64(endless)     // want KG202 `endless is not known`
	k.Out[i] += float64(argCount)   // want KG202 `argCount is not known`
	k.Out[i] += exponent            // want KG202 `exponent is not known`
	k.Out[i] += float64(fromMap)    // want KG202 `fromMap is not known`
	k.Out[i] += float64(outside)    // want KG202 `outside is not known`
	k.Out[i] += float64(deepest)    // want KG202 `deepest is not known`
	k.Out[i] += float64(ringOf.l.n) // want KG202 `cannot read the package-level variable ringOf`
	k.Out[i] += float64(fourInts[i%4])
	k.Out[i] += float64(once[i%4])
	k.Out[i] += float64(partly[i%4])  // want KG202 `partly is not known`
	k.Out[i] += float64(soon[i%4])    // want KG202 `soon is written at`
	k.Out[i] += float64(reset[i%4])   // want KG202 `reset is written at`
	k.Out[i] += float64(guarded[i%4]) // want KG202 `guarded is not known`
}
