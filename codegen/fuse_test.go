package codegen

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/lower"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

// fusing has kernels with x, y and z, which are loaded, and what pass fuse leaves of
// their sums and products.
var fusing = []struct{ name, body, decls, want string }{
	{"sum", "r = x*y + z", "", "Fma"},
	{"sum of two", "r = z + x*y", "", "Fma"},
	{"difference", "r = x*y - z", "", "FNegate Fma"},
	{"subtrahend", "r = z - x*y", "", "FNegate Fma"},
	{"two products", "r = x*y + y*z", "", "FMul Fma"},
	{"parentheses", "r = (x*y) + z", "", "Fma"},
	{"float64", "k.D[i] = k.D[i]*k.D[i+1] + k.D[i+2]", "", "Fma"},
	{"statement", "p := x*y; r = p + z", "", "Fma"},
	{"assignment", "r = z; r += x*y", "", "Fma"},
	{"another operand converted", "r = x*y + float32(z)", "", "Fma"},
	{"the sum converted", "r = float32(x*y + z)", "", "Fma"},
	{"call", "r = mul(x, y) + z", mul, "Fma"},
	{"call of a sum", "r = add(x*y, z)", add, "Fma"},
	{"both calls", "r = add(mul(x, y), z)", mul + add, "Fma"},
	{"function value", "f := mul; r = f(x, y) + z", mul, "Fma"},
	{"closure", "f := func() float32 { return x*y }; r = f() + z", "", "Fma"},
	{"captured", "p := x*y; f := func(z float32) float32 { return p + z }; r = f(z)", "", "Fma"},
	{"generic", "r = product(x, y) + z", "func product[T float32 | float64](x, y T) T { return x*y }", "Fma"},
	{"methods", "r = vec{z, z}.add(vec{x, y}.scale(y)).y", vec, "Fma"},
	{"method values", "f := vec{x, y}.scale; g := vec{z, z}.add; r = g(f(y)).y", vec, "Fma"},
	{"method expression", "r = vec.add(vec{z, z}, vec.scale(vec{x, y}, y)).y", vec, "Fma"},
	{"pointer", "p := x*y; q := &p; r = *q + z", "", "Fma"},
	{"array", "p := [2]float32{x*y, z}; r = p[0] + p[1]", "", "Fma"},
	{"named results", "r = named(x, y) + z", "func named(x, y float32) (p float32) { p = x*y; return }", "Fma"},
	{"condition that is known", "r = either(true, x, y) + z", either, "Fma"},
	{"one branch", "p := x*y; if z > 2 { r = p + z }", "", "Fma"},
	{"both branches", "p := x*y; if z > 2 { r = p + z } else { r = z - p }", "", "Fma FNegate Fma"},
	{"loop", "for j := range i { r += k.F[j]*y }", "", "Fma"},
	{"loop with calls", "v := vec{}; for j := range i { v = v.add(vec{k.F[j], x}.scale(y)) }; r = v.x", vec, "Fma"},
	{"two sums", "p := x*y; r = p + z; k.F[i+3] = z - p", "", "Fma FNegate Fma"},
	{"two equal products", "r = x*y + z; k.F[i+3] = y*x - z", "", "Fma FNegate Fma"},

	{"conversion", "r = float32(x*y) + z", "", "FMul FAdd"},
	{"conversion of the subtrahend", "r = z - float32(x*y)", "", "FMul FSub"},
	{"conversion, then a statement", "p := float32(x*y); r = p + z", "", "FMul FAdd"},
	{"conversion after a statement", "p := x*y; r = float32(p) + z", "", "FMul FAdd"},
	{"conversion, assigned", "r = z; r += float32(x*y)", "", "FMul FAdd"},
	{"conversion of a call", "r = float32(mul(x, y)) + z", mul, "FMul FAdd"},
	{"conversion of a call in parentheses", "r = (float32)((mul(x, y))) + z", mul, "FMul FAdd"},
	{"conversion of calls of calls", "r = float32(add(mul(x, y), 0)+z) + x", mul + add, "Fma FAdd FAdd"},
	{"conversion in the call", "r = mul(x, y) + z", "func mul(x, y float32) float32 { return float32(x*y) }", "FMul FAdd"},
	{"conversion in a call between", "r = same(x*y) + z", "func same(x float32) float32 { return float32(x) }", "FMul FAdd"},
	{"conversion of an argument", "r = add(float32(x*y), z)", add, "FMul FAdd"},
	{"conversion of a parameter", "r = sum(x*y, z)", "func sum(x, y float32) float32 { return float32(x) + y }", "FMul FAdd"},
	{"conversion of a field", "r = float32(vec{x, y}.scale(z).x) + z", vec, "FMul FAdd"},
	{"conversion through a pointer", "p := x*y; q := &p; r = float32(*q) + z", "", "FMul FAdd"},
	{"conversion of what a condition decides", "r = float32(either(true, x, y)) + z", either, "FMul FAdd"},
	{"conversion of a function value's result", "f := mul; r = float32(f(x, y)) + z", mul, "FMul FAdd"},
	{"conversion of a method value's result", "f := vec{x, y}.dot; r = float32(f(vec{z, 0})) + z", "type vec struct{ x, y float32 }\nfunc (v vec) dot(w vec) float32 { return v.x*w.x }", "FMul FAdd"},
	{"conversion of a built-in's result", "r = float32(real(complex(x*y, 0))) + z", "", "FMul FAdd"},
	{"conversion in a loop that is unrolled", "p := x*y; for _, f := range []func(float32, float32) float32{add, add} { p = f(float32(p), z) }; r = p", add, "FMul FAdd FAdd"},
	{"conversion to another type", "r = float32(metre(x*y)) + z", "type metre float32", "FMul FAdd"},
	{"conversion in another type", "m := metre(x)*metre(y); r = float32(m) + z", "type metre float32", "FMul FAdd"},
	{"conversion to a type parameter", "r = product(x, y) + z", "func product[T float32 | float64](x, y T) T { return T(x*y) }", "FMul FAdd"},
	{"conversion from a type parameter", "r = product(x, y) + z", "func product[T float32 | float64](x, y T) float32 { return float32(x*y) }", "FMul FAdd"},
	{"conversion of a complex number", "r = real(complex64(complex(x*y, 0))) + z", "", "FMul FAdd"},
	{"bits", "r = math.Float32frombits(math.Float32bits(x*y)) + z", "", "FMul FAdd"},
	{"wider product", "r = float32(float64(x)*float64(y)) + z", "", "FMul FAdd"},
	{"negation", "r = -(x*y) + z", "", "FNegate Fma"},
	{"negation taken away", "r = z - -(x*y)", "", "Fma"},
	{"negation of a conversion", "r = -float32(x*y) + z", "", "FMul FNegate FAdd"},
	{"conversion of a negation", "r = float32(-(x*y)) + z", "", "FMul FNegate FAdd"},
	{"negation used twice", "n := -(x*y); r = n + z; k.F[i+3] = n", "", "FMul FNegate FSub"},

	{"constants", "c := func() float32 { return 0.1 }; k.F[i+3] = c()*c() + 0.3", "", ""},
	{"used twice", "p := x*y; r = p + z; k.F[i+3] = p", "", "FMul FAdd"},
	{"twice in a sum", "p := x*y; r = p + p", "", "FMul FAdd"},
	{"taken by the other", "p, q := x*y, y*z; r = p + q; k.F[i+3] = x + q", "", "FMul Fma FAdd"},
	{"converted elsewhere", "p := x*y; r = p + z; k.F[i+3] = float32(p) - z", "", "FMul FAdd FSub"},
	{"phi", "p := z; if i > 3 { p = x*y }; r = p + z", "", "FMul FAdd"},
	{"phi of a call", "r = either(i > 3, x, y) + z", either, "FMul FAdd"},
	{"ahead of a loop", "p := x*y; for j := range i { r = k.F[j] - r; r += p }", "", "FMul FSub FAdd"},
	{"the round before", "p := x; for j := range i { r += p; p = k.F[j]*y }", "", "FAdd FMul"},
	{"memory", "k.F[i+3] = x*y; r = k.F[i+3] + z", "", "FMul FAdd"},
	{"complex product", "c := complex(x, y)*complex(z, x); r = float32(real(c))", "", "FMul FMul FSub"},
	{"complex128 product", "c := complex(k.D[0], k.D[1])*complex(k.D[2], k.D[3]); k.D[i] = real(c)", "", "FMul FMul FSub"},
}

const (
	mul    = "func mul(x, y float32) float32 { return x*y }\n"
	add    = "func add(x, y float32) float32 { return x + y }\n"
	either = "func either(c bool, x, y float32) float32 { if c { return x*y }; return 7 }\n"
	vec    = "type vec struct{ x, y float32 }\nfunc (v vec) scale(f float32) vec { return vec{v.x*f, v.y*f} }\n" +
		"func (v vec) add(w vec) vec { return vec{v.x + w.x, v.y + w.y} }\n"
)

// TestFuse fuses what the Go specification allows to fuse, and nothing in exact mode.
func TestFuse(t *testing.T) {
	for _, c := range fusing {
		if !sample.Has(c.name, 3) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			body := "x, y, z, r := k.F[i], k.F[i+1], k.F[i+2], float32(0); _, _, _ = x, y, z\n" + c.body + "\nk.F[i] = r"
			if got := fused(t, snippet{body: body, decls: c.decls}.source()); got != c.want {
				t.Errorf("%s: %s, want %s", c.body, got, c.want)
			}
			exact := c.decls + "\nfunc (K) Properties() properties.List { return properties.List{properties.Float(properties.FloatExact)} }"
			if got := fused(t, snippet{body: body, decls: exact}.source()); strings.Contains(got, "Fma") {
				t.Errorf("%s: %s in exact mode", c.body, got)
			}
		})
	}
}

// fused returns the float arithmetic of a kernel as pass fuse leaves it.
func fused(t *testing.T, src string) string {
	t.Helper()
	base, err := snippets()
	if err != nil {
		t.Fatal(err)
	}
	prog, diags, err := base.Load("example.com/kernels", map[string]string{"kernels.go": src})
	if err != nil || len(diags) > 0 {
		t.Fatalf("%v %v\nin\n%s", err, diags, src)
	}
	m, diags := lower.Lower(prog, prog.Packages[0].Kernels[0])
	if len(diags) > 0 {
		t.Fatalf("%v\nin\n%s", diags, src)
	}
	var ops []string
	pass.Run(m, ir.Target{}, func(p *pass.Pass, m *ir.Module) {
		if err := ir.Verify(m); err != nil {
			t.Fatalf("after %s: %v", p.Name, err)
		}
		if p.Name != "dce" && p.Name != "fuse" {
			return
		}
		ops = nil
		for _, b := range m.Kernel.Blocks {
			for _, v := range b.Insts {
				switch v.Op {
				case ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFNegate, ir.OpFma, ir.OpFRounded:
					ops = append(ops, v.Op.String())
				}
			}
		}
	})
	return strings.Join(ops, " ")
}
