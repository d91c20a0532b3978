package matrices_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/back"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/matrix"
	"github.com/kgen-go/kgen/internal/modules"
	"github.com/kgen-go/kgen/internal/tests/difftest/matrices"
	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/internal/tests/oracle"
	"github.com/kgen-go/kgen/internal/tests/spirvtools"
)

// kernels returns the kernels of this package.
func kernels(t *testing.T) map[string]*abi.Kernel {
	t.Helper()
	dir, err := modules.Folder(reflect.TypeFor[matrices.Int8]().PkgPath())
	if err != nil {
		t.Fatal(err)
	}
	ks, err := modules.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return ks
}

// TestNativeModules compiles all kernels for the matrices of known devices. spirv-val takes all modules.
func TestNativeModules(t *testing.T) {
	if testing.Short() && !need.Promised(need.Matrices) {
		t.Skip("kgen -check has compiled these modules, and make mesa has a spirv-val that knows them: without -short")
	}
	made := map[string]int{}
	var words [][]uint32
	all := kernels(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		k := all[name]
		for _, d := range matrix.Known {
			for _, target := range []ir.Target{{}, {Small: true}, {Cancel: true}} {
				target.Tuples = d.Tuples
				n, err := back.CompileNative(k, target, nil)
				if errors.As(err, new(*back.NoMatrices)) {
					continue
				}
				if err != nil {
					t.Fatalf("%s for %s: %v", k.Name, d.Device, err)
				}
				if made[d.Device]++; k.Matrices {
					words = append(words, n.Words)
				}
			}
		}
	}
	for _, d := range matrix.Known {
		if made[d.Device] < 3 {
			t.Errorf("%d modules for %s", made[d.Device], d.Device)
		}
	}
	for i, w := range words {
		msg := spirvtools.Invalid(t, w)
		if i == 0 && strings.Contains(msg, "capability") && strings.Contains(msg, "6022") {
			need.Missing(t, need.Matrices, "this spirv-val does not know SPV_KHR_cooperative_matrix; make mesa runs this with one that does: %s", msg)
		}
		if strings.Contains(msg, "5116") { // BFloat16TypeKHR
			t.Logf("this spirv-val does not know SPV_KHR_bfloat16: %s", msg)
			continue
		}
		if msg != "" {
			t.Errorf("%s\n%s", msg, spirvtools.Disassemble(t, w))
		}
	}
}

// inNative runs kernels in the interpreter at a point of the passes for a device's matrices.
type inNative struct {
	kernels map[string]*oracle.Kernel
	point   string
}

func (x inNative) run(_ *testing.T, kernel any, groups, local, sub int) error {
	name := reflect.TypeOf(kernel).Elem().String()
	for n, k := range x.kernels {
		if aliases[n] == name {
			l := oracle.Launch{Arg: kernel, Global: []int{groups * local}, Local: []int{local}, SubGroupSize: sub, MaxSteps: 1 << 40}
			return l.Run(k, x.point)
		}
	}
	return fmt.Errorf("no kernel %s", name)
}

// aliases maps a kernel's name to the name of its Go type.
var aliases = map[string]string{
	"Int8": reflect.TypeFor[matrices.Int8]().String(), "Uint8": reflect.TypeFor[matrices.Uint8]().String(),
	"Half": reflect.TypeFor[matrices.Half]().String(), "HalfHalf": reflect.TypeFor[matrices.HalfHalf]().String(),
	"Int8Deep": reflect.TypeFor[matrices.Int8Deep]().String(), "BFloat": reflect.TypeFor[matrices.BFloat]().String(),
}

// TestNativeInterpreter compares products in the interpreter, between the passes for a device's matrices, with loops in
// Go.
func TestNativeInterpreter(t *testing.T) {
	all := kernels(t)
	points := []string{"matrices", "deadlanes", "tiles", "structurize", "expand"}
	for _, d := range matrix.Known[:2] {
		made := map[string]*oracle.Kernel{}
		for name := range aliases {
			k := all[name]
			c := &oracle.Kernel{ABI: k, Forms: map[string]string{}}
			_, err := back.CompileNative(k, ir.Target{Tuples: d.Tuples}, func(form string, m *ir.Module) {
				if slices.Contains(points, form) {
					c.Forms[form] = m.String()
				}
			})
			if err == nil {
				made[name] = c
			} else if !errors.As(err, new(*back.NoMatrices)) {
				t.Fatal(err)
			}
		}
		for i, point := range points {
			r, sub := inNative{made, point}, d.SubGroup
			if testing.Short() && i != 2 {
				continue
			}
			for _, local := range []int{sub, 2 * sub} {
				if testing.Short() && local > 32 {
					continue
				}
				if made["Int8"] != nil {
					product(t, r, "Int8", local, sub, 16, 16, 16, anyInt[int8], inOrder(integers[int8, int32]))
				}
				product(t, r, "Int8Deep", local, sub, 16, 32, 16, anyInt[int8], inOrder(integers[int8, int32]))
				if made["Uint8"] != nil {
					product(t, r, "Uint8", local, sub, 8, 32, 16, anyInt[uint8], inOrder(integers[uint8, uint32]))
				}
				product(t, r, "Half", local, sub, 16, 16, 16, anyHalf[half.Float16], inOrder(floats[half.Float16]))
				if made["BFloat"] != nil {
					product(t, r, "BFloat", local, sub, 16, 16, 16, anyHalf[half.BFloat16], inOrder(floats[half.BFloat16]))
				}
				if made["HalfHalf"] != nil {
					product(t, r, "HalfHalf", local, sub, 8, 8, 16, anyHalf[half.Float16], inOrder(halves))
				}
			}
		}
	}
}
