package ir

import (
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/sample"
)

func testFile(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func mustParse(t testing.TB, text string) *Module {
	t.Helper()
	m, err := Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return m
}

// TestRoundTrip parses a text in the printer's own form, with everything in it
// that can be printed.
func TestRoundTrip(t *testing.T) {
	text := testFile(t, "all.ir")
	m := mustParse(t, text)
	if got := m.String(); got != text {
		t.Errorf("got\n%s", got)
	}
	if err := Verify(m); err != nil {
		t.Error(err)
	}
	if m.Kernel.Blocks[1].Phis[1].Args[0].Bits != 0x7f800000 || !m.Kernel.Blocks[1].Unroll {
		t.Error("not what the text says")
	}
}

func TestPositions(t *testing.T) {
	m := mustParse(t, testFile(t, "all.ir"))
	pos := Pos{"a/k.go", 12, 34}
	m.Kernel.Blocks[0].Insts[1].Pos, m.Kernel.Blocks[0].Term.Pos = pos, pos
	text := m.Text(PrintOptions{Positions: true})
	if n := strings.Count(text, " ; a/k.go:12:34\n"); n != 2 {
		t.Errorf("%d positions in\n%s", n, text)
	}
	n := mustParse(t, text)
	if n.Kernel.Blocks[0].Insts[1].Pos != pos || n.Kernel.Blocks[0].Term.Pos != pos {
		t.Error("positions are lost")
	}
	if n.String() != m.String() {
		t.Error("positions change the text")
	}
}

// TestDense checks that the text does not depend on how a module came about.
// TestSiteFiles: sites in the file of the one before leave it out.
func TestSiteFiles(t *testing.T) {
	m := mustParse(t, testFile(t, "all.ir"))
	first := len(m.Sites)
	for i, file := range []string{"a.go", "a.go", "", "a.go", "b.go", "a.go"} {
		m.Sites = append(m.Sites, &Site{Index: first + i, Kind: 1, Pos: Pos{File: file, Line: i + 1, Col: 2}})
	}
	text := m.String()
	if n := strings.Count(text, "a.go"); n != 2 {
		t.Errorf("the text has a.go %d times, want 2:\n%s", n, text)
	}
	got, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range got.Sites[first:] {
		want := m.Sites[first+i].Pos
		if want.File == "" {
			want = Pos{}
		}
		if s.Pos != want {
			t.Errorf("site %d is at %v, want %v", i, s.Pos, want)
		}
	}
}

func TestDense(t *testing.T) {
	build := func(waste int) string {
		m := NewModule("M")
		m.Kernel = m.NewFunc("main")
		b := m.Kernel.Blocks[0]
		for range waste {
			m.Kernel.NewValue(OpArg, TypeI32)
			m.Kernel.NewBlock()
		}
		m.Kernel.Blocks = m.Kernel.Blocks[:1]
		x := b.Append(OpArg, TypeI32)
		next := m.Kernel.NewBlock()
		b.Jump(next)
		next.Append(OpIAdd, TypeI32, x, m.Int(TypeI32, -1))
		next.SetTerm(Term{Kind: Return})
		return m.String()
	}
	a, b := build(0), build(10)
	if a != b {
		t.Errorf("%s\nand\n%s", a, b)
	}
	if want := "b1: preds b0\n\t%1 = IAdd i32 %0, i32 -1\n\tReturn\n"; !strings.Contains(a, want) {
		t.Errorf("no %q in\n%s", want, a)
	}
}

func TestLongString(t *testing.T) {
	m := mustParse(t, testFile(t, "all.ir"))
	for want, v := range map[string]*Value{
		"%8 = FAdd f32 %7, %3":                      m.Kernel.Blocks[1].Insts[0],
		"%7 = Phi f32 [f32 0x7f800000 b0, %8 b3]":   m.Kernel.Blocks[1].Phis[1],
		"Store [var tile, i32 1, i32 1, %6], i8 -3": m.Kernel.Blocks[2].Insts[1],
		"Call record, %0, %2":                       m.Kernel.Blocks[4].Insts[1],
		"i32 -7":                                    m.Int(TypeI32, -7),
		"SConvert i32 (i64 3)":                      m.ConstExpr(OpSConvert, TypeI32, m.Int(TypeI64, 3)),
	} {
		if got := v.LongString(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	// Broken values print as well.
	for _, v := range []*Value{
		{Op: OpStore, Block: &Block{}},
		{Op: OpIAdd, Args: []*Value{nil}},
		{Op: OpLoad, Type: TypeI8, Aux: &Ref{}, Block: &Block{Func: m.Kernel}},
		{Op: OpFault, Type: TypeVoid, Aux: (*Site)(nil), Block: &Block{Func: m.Kernel}},
		{Op: OpPhi, Type: TypeI32, Args: []*Value{nil, nil}, Block: &Block{Func: m.Kernel}},
	} {
		if v.LongString() == "" {
			t.Error("nothing printed")
		}
	}
}

func TestConstText(t *testing.T) {
	m := NewModule("M")
	for _, c := range []struct {
		t    *Type
		bits uint64
		want string
	}{
		{TypeBool, 1, "bool true"},
		{TypeI8, 0x80, "i8 -128"},
		{TypeI64, math.MaxUint64, "i64 -1"},
		{TypeAddr, 16, "addr 0x10"},
		{TypeF32, 0x80000000, "f32 -0"},
		{TypeF32, 1, "f32 1e-45"},
		{TypeF32, 0x3dcccccd, "f32 0.1"},
		{TypeF32, 0xff800000, "f32 0xff800000"},
		{TypeF32, 0x7fc00001, "f32 0x7fc00001"},
		{TypeF64, math.Float64bits(0.1), "f64 0.1"},
		{TypeF16, 1, "f16 5.960464477539063e-08"},
		{TypeF16, 0x7c00, "f16 0x7c00"},
	} {
		v := m.Const(c.t, c.bits)
		got := v.LongString()
		if got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
		p := &parser{m: m, s: got}
		if w := p.constOperand(); w != v {
			t.Errorf("%s is read as %s", got, w.LongString())
		}
	}
}

func TestFloat16(t *testing.T) {
	for b := range 1 << 16 {
		f := Float16frombits(uint16(b))
		if f != f {
			if g := Float16bits(f); g&0x7c00 != 0x7c00 || g&0x3ff == 0 {
				t.Fatalf("%#x: NaN becomes %#x", b, g)
			}
			continue
		}
		if g := Float16bits(f); g != uint16(b) {
			t.Fatalf("%#x becomes %#x by %g", b, g, f)
		}
		if b&0x7fff >= 0x7bff {
			continue
		}
		// Half way to the next number: ties go to the even one.
		mid := (f + Float16frombits(uint16(b+1))) / 2
		if g := Float16bits(mid); g != uint16(b+b&1) {
			t.Fatalf("%g becomes %#x, want %#x", mid, g, b+b&1)
		}
		if g := Float16bits(math.Nextafter(mid, f)); g != uint16(b) {
			t.Fatalf("just before %g becomes %#x, want %#x", mid, g, b)
		}
	}
	for _, f := range []float64{65520, math.Inf(1), math.MaxFloat64} {
		if Float16bits(f) != 0x7c00 || Float16bits(-f) != 0xfc00 {
			t.Errorf("%g is not infinite", f)
		}
	}
}

// TestSyntaxErrors checks the lines that errors name.
func TestSyntaxErrors(t *testing.T) {
	const head = "module M built\n"
	for _, c := range []struct{ text, want string }{
		{"", "no module"},
		{"kernel", "line 1"},
		{"module M flat", `line 1: "flat" is no level`},
		{head, "no kernel"},
		{head + "form Grid 1", `line 2: "Grid" is no form`},
		{head + "spec $a id 1 = i32 5\nspec $a id 2 = i32 5", "line 3: a second $a"},
		{head + "spec $a id 1 = i8 128", "line 2: no constant of type i8"},
		{head + "site 1 kind 1 - \"\"", "line 2: site 0 expected"},
		{head + "site 0 kind 1 - \"\"\nsite 1 kind 1 \"\":3:4 \"\"", "line 3: no site before has a file"},
		{head + "var x Workgroup [$a]i32", "line 2: no specialization constant a"},
		{head + "var x Workgroup [99999999999]i32", "line 2: an unsigned integer of 31 bits"},
		{head + "var x Workgroup [2147483647][2147483647]i32", "line 2: the array is too large"},
		{head + "var x Workgroup " + strings.Repeat("[1]", 1000) + "i32", "line 2: nested too deeply"},
		{head + "var x Workgroup f128", `line 2: "f128" is no scalar type`},
		{head + "kernel main {", "the function does not end"},
		{head + "kernel main {\n}\nkernel other {\n}", "line 4: a second kernel"},
		{head + "kernel main {\n\tReturn\n}", "line 3: a block expected"},
		{head + "kernel main {\nb0:\n}", "line 4: the block before has no terminator"},
		{head + "kernel main {\nb0:\n\tJump b1\n}", "line 4: there is no b1"},
		{head + "kernel main {\nb0:\n\tReturn\nb0:\n\tReturn\n}", "line 5: a second block b0"},
		{head + "kernel main {\nb0:\n\tReturn\n\tReturn\n}", "line 5: the block has ended"},
		{head + "kernel main {\nb0:\n\t%0 = Not i32 %1\n\tReturn\n}", "line 4: %1 is not defined"},
		{head + "kernel main {\nb0:\n\t%0 = Arg i32 0\n\t%0 = Arg i32 0\n\tReturn\n}", "line 5: a second %0"},
		{head + "kernel main {\nb0:\n\t%0 = Foo i32 0\n\tReturn\n}", `line 4: "Foo" is no operation`},
		{head + "kernel main {\nb0:\n\t%0 = Const i32 0\n\tReturn\n}", `line 4: "Const" is no operation`},
		{head + "kernel main {\nb0:\n\t%0 = Not i32 FAdd f32 (f32 1, f32 1)\n\tReturn\n}", "line 4: FAdd is no constant expression"},
		{head + "kernel main {\nb0:\n\tZero [var x]\n\tReturn\n}", "line 4: no variable x"},
		{head + "kernel main {\nb0:\n\tCall f\n\tReturn\n}", "line 4: no such helper"},
		{head + "kernel main {\nb0:\n\tFault site 0\n\tReturn\n}", "line 4: no site 0"},
		{head + "kernel main {\nb0:\n\tReturn b1\n}", `line 4: unexpected "b1"`},
		{head + "kernel main {\nb0:\n\tJump b1\nb1:\n\t%0 = Phi i32 []\n\tReturn\n}", "line 6: the phi has no value"},
		{head + "kernel main {\nb0:\n\t%0 = Phi i32 [i32 1 b0]\n\tReturn\n}", "line 4: the phi has values for blocks"},
	} {
		m, err := Parse(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || m != nil {
			t.Errorf("%q: got %v, want %s", c.text, err, c.want)
		}
	}
}

// checkText checks that nothing makes the parser, the printer or the verifier
// panic, and that what was read prints and reads back alike.
func checkText(t *testing.T, text string) {
	m, err := Parse(text)
	if err != nil {
		return
	}
	Verify(m)
	once := m.String()
	n, err := Parse(once)
	if err != nil {
		t.Fatalf("%v in\n%s\nfrom\n%s", err, once, text)
	}
	if again := n.String(); again != once {
		t.Fatalf("%s\nbecomes\n%s", once, again)
	}
}

// TestMutations checks texts in which a few words were exchanged.
func TestMutations(t *testing.T) {
	seeds := []string{testFile(t, "all.ir"), testFile(t, "loop.ir"), testFile(t, "matrix.ir")}
	all := strings.Fields(strings.Join(seeds, " "))
	r := rand.New(rand.NewPCG(1, 2))
	for range sample.Of(20000, 4000) {
		s := seeds[r.IntN(len(seeds))]
		for range 1 + r.IntN(3) {
			i := r.IntN(len(s))
			old := all[r.IntN(len(all))]
			if p := strings.Index(s[i:], old); p >= 0 {
				s = s[:i+p] + all[r.IntN(len(all))] + s[i+p+len(old):]
			} else {
				s = s[:i] + s[i+1:]
			}
		}
		checkText(t, s)
	}
}

// FuzzParse is TestMutations with the fuzzer's texts.
func FuzzParse(f *testing.F) {
	f.Add(testFile(f, "all.ir"))
	f.Add(testFile(f, "loop.ir"))
	f.Add(testFile(f, "matrix.ir"))
	f.Fuzz(checkText)
}
