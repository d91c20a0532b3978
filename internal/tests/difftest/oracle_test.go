package difftest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/oracle"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/testflag"
	"github.com/kgen-go/kgen/runtime"
)

var points = testflag.List("points", []string{"built", "expand"}, interpretable(), "where in the list of passes to interpret the kernels; all is everywhere")

var everyPoint = flag.Bool("every-point", false, "TestInterpreter runs each case at every point, and not at one of them in turn")

// interpretable returns the names of the points, without that of the variant for small
// launches, which not all cases are.
func interpretable() []string {
	all := append(oracle.AllPoints(), "all")
	return slices.DeleteFunc(all, func(point string) bool { return point == abi.VariantSmall })
}

// interpreted is the corpus for the interpreter.
type interpreted struct {
	kernels *oracle.Set
	points  []string
}

var corpusKernels = sync.OnceValues(func() (*interpreted, error) {
	at := *points
	kernels, err := oracle.OpenCorpus(context.Background(), []string{
		"./atomics",
		"./corpus",
		"./golang",
		"./dispatch",
		"./tables",
		"./words",
		"./groups",
	}, at)
	if err != nil {
		return nil, err
	}
	if slices.Contains(at, "all") {
		at = nil
		for _, name := range kernels.Names() {
			k, err := kernels.Kernel(name)
			if err != nil {
				return nil, err
			}
			for p := range k.Forms {
				if !slices.Contains(at, p) && slices.Contains(interpretable(), p) {
					at = append(at, p)
				}
			}
		}
		slices.Sort(at)
	}
	return &interpreted{kernels, at}, nil
})

// atPoint makes launches run in the interpreter.
type atPoint struct {
	in    *interpreted
	point string
	ran   map[*oracle.Kernel]bool
}

type atPointKey struct{}

// errNoVariant is what a case ends with whose kernel has no such variant.
var errNoVariant = errors.New("no such variant")

// launch runs a kernel: on dev, by the function that kgen wrote for it, or, if
// ctx says so, in the interpreter.
func launch[K, R any](ctx context.Context, dev *runtime.Device, run func(context.Context, *runtime.Device, K, R, ...runtime.LaunchOption) error,
	k K, r R, opts ...runtime.LaunchOption) error {
	if at, ok := ctx.Value(atPointKey{}).(*atPoint); ok {
		return at.launch(&k, r)
	}
	return run(ctx, dev, k, r, opts...)
}

// launchTask is launch for tasks.
func launchTask[K any](ctx context.Context, dev *runtime.Device, run func(context.Context, *runtime.Device, K, ...runtime.LaunchOption) error, k K) error {
	if at, ok := ctx.Value(atPointKey{}).(*atPoint); ok {
		return at.launch(&k, nil)
	}
	return run(ctx, dev, k)
}

func (at *atPoint) launch(k, r any) error {
	name := typeName(reflect.TypeOf(k).Elem())
	c, err := at.in.kernels.Kernel(name)
	if err != nil {
		return err
	}
	if c == nil {
		return fmt.Errorf("the corpus has no kernel %s", name)
	}
	at.ran[c] = true
	if at.point != "words" && c.Lacks(at.point) {
		return errNoVariant
	}
	l := oracle.Launch{Arg: k, SubGroupSize: subGroupSize(), MaxSteps: 1 << 40}
	l.Global, l.Local = ranges(r)
	if c.ABI.Form == abi.Range {
		l.Local = make([]int, len(l.Global))
		for i := range l.Local {
			l.Local[i] = 1
		}
		l.Local[len(l.Local)-1] = 8
	}
	return l.Run(c, at.point)
}

// typeName returns a type's name as go/types writes it, with a space between type arguments.
func typeName(t reflect.Type) string {
	return t.PkgPath() + "." + strings.ReplaceAll(t.Name(), ",", ", ")
}

func ranges(r any) (global, local []int) {
	switch r := r.(type) {
	case runtime.Range1:
		return []int{int(r)}, nil
	case runtime.Range2:
		return r[:], nil
	case runtime.Range3:
		return r[:], nil
	case runtime.NDRange1:
		return []int{int(r.Global)}, []int{int(r.Local)}
	case runtime.NDRange2:
		return r.Global[:], r.Local[:]
	case runtime.NDRange3:
		return r.Global[:], r.Local[:]
	}
	return nil, nil
}

// TestInterpreter runs every case in the interpreter, at one of several points of the list of
// passes in turn, or at each with -every-point, and compares with the host device.
func TestInterpreter(t *testing.T) {
	host := devtest.Host(t)
	in, err := corpusKernels()
	if err != nil {
		t.Fatal(err)
	}
	ran := map[*oracle.Kernel]bool{}
	n := 0
	cased := map[string]int{}
	for i, c := range cases {
		if !sample.Has(c.name, 24) {
			continue
		}
		if cased[c.name]++; cased[c.name] > 1 && i%3 != 0 && !*everyCase {
			n++
			continue // the interpreter is slow
		}
		t.Run(fmt.Sprintf("%s/%d", c.name, i), func(t *testing.T) {
			n++
			want, hostErr := c.run(context.Background(), host)
			for j := range in.points {
				p := in.points[(i+j)%len(in.points)]
				ctx := context.WithValue(context.Background(), atPointKey{}, &atPoint{in, p, ran})
				got, err := c.run(ctx, nil)
				if errors.Is(err, errNoVariant) {
					continue
				}
				if f := new(runtime.Fault); err != nil && !errors.As(err, &f) {
					t.Errorf("%s: %v", p, err)
				} else {
					compareFaults(t, err, hostErr)
					if d := Diff(got, want, false); d != "" {
						t.Errorf("%s: %s", p, d)
					}
				}
				if !*everyPoint {
					break
				}
			}
		})
	}
	if n < len(cases) {
		return // -run or -short left some out
	}
	for _, name := range in.kernels.Names() {
		if k, err := in.kernels.Kernel(name); err != nil {
			t.Error(err)
		} else if !ran[k] && !strings.HasSuffix(name, ".Near") && // equals the host but nearly
			!strings.HasSuffix(name, ".VectorsSmall") && !strings.HasSuffix(name, ".VectorsMixed") { // are launched with views
			t.Errorf("no case runs %s in the interpreter; cases do so by calling launch", name)
		}
	}
}
