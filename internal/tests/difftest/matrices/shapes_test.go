package matrices_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/tests/oracle"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/testflag"
)

var shapes = testflag.Int("shapes", 8, 1, 1<<16, "random shapes that TestShapes runs")

// compiled runs one kernel in the interpreter.
type compiled struct {
	kernel *oracle.Kernel
	point  string
}

func (c compiled) run(_ *testing.T, kernel any, groups, local, sub int) error {
	l := oracle.Launch{Arg: kernel, Global: []int{groups * local}, Local: []int{local}, SubGroupSize: sub, MaxSteps: 1 << 40}
	return l.Run(c.kernel, c.point)
}

// TestShapes compares products of random shapes, by work-groups and sub-groups of random sizes, with loops in Go.
// Use -shapes after a change of pass matrices.
func TestShapes(t *testing.T) {
	const path = "github.com/kgen-go/kgen/internal/tests/difftest/matrices"
	compiler := oracle.NewCompiler("github.com/kgen-go/kgen/dsl", "github.com/kgen-go/kgen/dsl/half", path)
	random := rand.New(rand.NewPCG(5, 6))
	for n := range sample.Of(*shapes, min(*shapes, 4)) {
		m, k, c := 1+random.IntN(20), 1+random.IntN(20), 1+random.IntN(20)
		kind := []struct{ base, elem, sum string }{
			{"Half", "half.Float16", "float32"}, {"Int8", "int8", "int32"}, {"Uint8", "uint8", "uint32"},
			{"HalfHalf", "half.Float16", "half.Float16"}, {"BFloat", "half.BFloat16", "float32"},
		}[n%5]
		src := fmt.Sprintf("package shapes\n\nimport (\n\t\"%s/dsl/half\"\n\t\"%s\"\n)\n\ntype K = matrices.Product[[%d][%d]%s, [%d][%d]%s, [%d][%d]%s, %s, %s]\n\nvar _ half.Float16\n",
			"github.com/kgen-go/kgen", path, m, k, kind.elem, k, c, kind.elem, m, c, kind.sum, kind.elem, kind.sum)
		t.Run(strings.ReplaceAll(fmt.Sprintf("%dx%dx%d %s", m, k, c, kind.base), " ", "/"), func(t *testing.T) {
			prog, diags, err := compiler.Load("x/shapes", map[string]string{"k.go": src})
			if err != nil || len(diags) > 0 {
				t.Fatal(err, diags)
			}
			for _, p := range prog.Packages {
				for _, found := range p.Kernels {
					points := []string{"arrays", "matrices", "expand"}
					made, diags, err := oracle.CompileGeneral(prog, found, points...)
					if err != nil || len(diags) > 0 {
						t.Fatal(err, diags)
					}
					r := compiled{made, points[n%3]}
					local, sub := 1+random.IntN(20), 1<<random.IntN(6)
					switch kind.base {
					case "Int8":
						product(t, r, kind.base, local, sub, m, k, c, anyInt[int8], inOrder(integers[int8, int32]))
					case "Uint8":
						product(t, r, kind.base, local, sub, m, k, c, anyInt[uint8], inOrder(integers[uint8, uint32]))
					case "HalfHalf":
						product(t, r, kind.base, local, sub, m, k, c, anyHalf[half.Float16], inOrder(halves))
					case "BFloat":
						product(t, r, kind.base, local, sub, m, k, c, anyHalf[half.BFloat16], inOrder(floats[half.BFloat16]))
					default:
						product(t, r, kind.base, local, sub, m, k, c, anyHalf[half.Float16], inOrder(floats[half.Float16]))
					}
				}
			}
		})
	}
}
