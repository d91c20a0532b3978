package back_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/back"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/internal/modules"
	"github.com/kgen-go/kgen/internal/tests/oracle"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

// TestRestored: what is compiled from a kernel's IR is the kernel's module, word for word.
func TestRestored(t *testing.T) {
	packages, err := modules.Packages()
	if err != nil {
		t.Fatal(err)
	}
	n, made := 0, map[string]int{}
	for _, pkg := range packages {
		dir, err := modules.Folder(pkg)
		if err != nil {
			t.Fatal(err)
		}
		kernels, err := modules.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range kernels {
			if n++; !sample.Has(k.FullName(), 20) {
				continue
			}
			m, err := back.Restore(k)
			if err != nil {
				t.Error(err)
				continue
			}
			if text := back.Text(m); text != k.IR {
				t.Errorf("%s: the text of what was read is another", k.FullName())
			}
			c, diags, err := back.CompileGeneral(&back.Kernel{Module: m, Name: k.Name, Package: k.Package, Properties: k.Properties, From: pass.LinkPoint})
			if err != nil || len(diags) > 0 {
				t.Errorf("%s: %v %v", k.FullName(), err, diags)
				continue
			}
			var words []byte
			for _, w := range c.Words {
				words = binary.LittleEndian.AppendUint32(words, w)
			}
			if !bytes.Equal(words, []byte(k.SPIRV)) {
				t.Errorf("%s: %d words of the kernel's IR, and %d of the kernel", k.FullName(), len(words)/4, len(k.SPIRV)/4)
			}
			restoredVariants(t, k, made)
		}
	}
	if n < 400 {
		t.Errorf("only %d kernels", n)
	}
	if len(made) < sample.Of(8, 6) {
		t.Errorf("only variants %v", made)
	}
}

// restoredVariants compares each variant of a kernel, compiled by itself and from the kernel's IR, with
// the module that kgen has written of the source.
func restoredVariants(t *testing.T, k *abi.Kernel, made map[string]int) {
	t.Helper()
	for _, v := range k.Variants {
		words, err := back.CompileVariant(k, v.Name)
		if err != nil {
			t.Error(err)
			continue
		}
		made[v.Name]++
		if oracle.SPIRV(words) != v.SPIRV {
			t.Errorf("%s: %d words of the variant %s from the kernel's IR, and %d from the source", k.FullName(), len(words), v.Name, len(v.SPIRV)/4)
		}
	}
}

// TestRestoreRefuses: what ir.Verify has nothing against, and no pass expects.
func TestRestoreRefuses(t *testing.T) {
	dir, err := modules.Folder(modules.Module + "/internal/tests/conformance/steps")
	if err != nil {
		t.Fatal(err)
	}
	kernels, err := modules.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"id 65536", "id 65540", "no size of the work-groups along x"},
		{"items 1\n", "items 4\n", "no module of the pass arrays"},
		{"Arg addr 32", "Arg addr 36", "Arg addr 36 is no argument"}, // In
		{"Arg addr 32", "Arg addr 80", "Arg addr 80 is no argument"},
		{"Arg i32 24", "Arg i32 0", "Arg i32 0 is no argument"}, // A
		{"Arg i32 24", "Arg i32 20", "Arg i32 20 is no argument"},
		{"offset 8 size 16", "offset 16 size 16", "is that of another kernel"},
	} {
		k := *kernels["Affine"]
		if !strings.Contains(k.IR, c.old) {
			t.Fatalf("no %q in\n%s", c.old, k.IR)
		}
		k.IR, k.Sum = strings.Replace(k.IR, c.old, c.new, 1), 0
		if _, err := back.Restore(&k); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q in the place of %q: got %v, want %q", c.new, c.old, err, c.want)
		}
	}
}
