package facts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// footprintModule is a kernel over a range with the global ids %0 to %2, the same in 64 bits
// %10 to %12, the addresses of In and Out %20 and %21, the arguments W and H %22 and %23 and
// V, of 32 bits, %24, the length of In %26, and the extent of x as %28.
func footprintModule(t *testing.T, form string, rank int, body string) *ir.Module {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, `module T built
form %s %d
items 1
args 72
param "W" Value "int" offset 0 size 8 host 0 elem 0 align 0 None
param "H" Value "int" offset 8 size 8 host 8 elem 0 align 0 None
param "V" Value "int32" offset 16 size 4 host 16 elem 0 align 0 None
param "In" Slice "[]int32" offset 24 size 16 host 24 elem 4 align 4 None
param "Out" Slice "[]int32" offset 40 size 16 host 48 elem 4 align 4 None
spec $LocalSizeX id 65536 = i32 1
spec $LocalSizeY id 65537 = i32 1
spec $LocalSizeZ id 65538 = i32 1

kernel main {
b0:
	%%0 = BuiltIn i32 GlobalInvocationId.x
	%%1 = BuiltIn i32 GlobalInvocationId.y
	%%2 = BuiltIn i32 GlobalInvocationId.z
`, form, rank)
	end := 90
	if form == "Range" {
		for d := range rank {
			fmt.Fprintf(&b, "\t%%%d = Arg i32 %d\n\t%%%d = ULt bool %%%d, %%%d\n\tBranch %%%d, b%d, b99\nb%d:\n",
				end, 8+4*d, end+1, d, end, end+1, d+1, d+1)
			end += 2
		}
	}
	fmt.Fprintf(&b, `	%%10 = UConvert i64 %%0
	%%11 = UConvert i64 %%1
	%%12 = UConvert i64 %%2
	%%20 = Arg addr 48
	%%21 = Arg addr 64
	%%22 = Arg i64 24
	%%23 = Arg i64 32
	%%24 = Arg i32 40
	%%26 = Arg i64 56
	%%27 = Arg i32 8
	%%28 = UConvert i64 %%27
%s
	Return
`, body)
	if form == "Range" {
		b.WriteString("b99:\n\tReturn\n")
	}
	b.WriteString("}\n")
	m, err := ir.Parse(b.String())
	if err != nil {
		t.Fatalf("%v\n%s", err, &b)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatalf("%v\n%s", err, &b)
	}
	return m
}

// footprintText prints what a footprint claims on one line.
func footprintText(f Footprint) string {
	if f.Reach != abi.ReachOwn && f.Reach != abi.ReachGroup {
		if f.Reach == abi.ReachAny && f.Why == WhyNot || f.Elem != nil {
			return "wrong"
		}
		return fmt.Sprint(f.Access, " ", f.Reach, map[Why]string{WhyAtomic: " atomic", WhyAddress: " address", WhyIndex: " index",
			WhyDiffer: " differ", WhyElem: " elem", WhyForm: " form"}[f.Why])
	}
	s := fmt.Sprint(f.Access, " ", f.PerItem)
	if f.Reach == abi.ReachGroup {
		s += " in groups"
	}
	if f.Multiple > 1 {
		s += fmt.Sprint(" of ", f.Multiple)
	}
	for _, c := range f.Strides {
		s += fmt.Sprint(" ", c)
	}
	if f.Most > 0 {
		s += fmt.Sprint(" most ", f.Most)
	}
	return s
}

// TestFootprints has the accesses that kernels make, and those that only look like theirs.
func TestFootprints(t *testing.T) {
	const rows = "%30 = IMul i64 %11, %22\n%31 = IAdd i64 %30, %10\n"
	const planes = "%30 = IMul i64 %12, %23\n%31 = IAdd i64 %30, %11\n%32 = IMul i64 %31, %22\n%33 = IAdd i64 %32, %10\n"
	const put = "\nStore [%21 i32, %99], i32 7"
	to := func(v string) string { return strings.Replace(put, "%99", v, 1) }
	for _, c := range []struct {
		name string
		rank int
		body string
		want string // of Out
	}{
		{"none", 1, "", "None None"},
		{"own", 1, to("%10"), "Write 1"},
		{"read and written", 1, "%30 = Load i32 [%21 i32, %10]" + to("%10"), "ReadWrite 1"},
		{"constant", 1, to("i64 0"), "Write Any index"},
		{"the same for all", 1, to("%22"), "Write Any index"},
		{"the next one", 1, "%30 = IAdd i64 %10, i64 1" + to("%30"), "Write Any index"},
		{"the last one", 1, "%30 = IAdd i64 %10, i64 -1" + to("%30"), "Write Any index"},
		{"mirrored", 1, "%30 = ISub i64 %26, %10" + to("%30"), "Write Any index"},
		{"away and back", 1, "%30 = IAdd i64 %10, %22\n%31 = ISub i64 %30, %22" + to("%31"), "Write 1"},
		{"twice two", 1, "%30 = IMul i64 %10, i64 2\n%31 = IMul i64 %30, i64 2" + to("%31"), "Write 4"},
		{"two and one", 1, "%30 = Shl i64 %10, i64 1\n%31 = Or i64 %30, i64 1" + to("%31"), "Write 2"},
		{"with carry", 1, "%30 = Shl i64 %10, i64 1\n%31 = Or i64 %30, i64 2" + to("%31"), "Write Any index"},
		{"all carry", 1, "%30 = Or i64 %10, %10" + to("%30"), "Write Any index"},
		{"last of the own", 1, "%30 = IMul i64 %10, i64 3\n%31 = IAdd i64 %30, i64 2" + to("%31"), "Write 3"},
		{"first of the next", 1, "%30 = IMul i64 %10, i64 3\n%31 = IAdd i64 %30, i64 3" + to("%31"), "Write Any index"},
		{"one before the own", 1, "%30 = IMul i64 %10, i64 3\n%31 = IAdd i64 %30, i64 -1" + to("%31"), "Write Any index"},
		{"one before the own, or the second", 1, "%30 = IMul i64 %10, i64 3\n%31 = SLt bool %22, i64 0\n%32 = Select i64 %31, i64 -1, i64 1\n%33 = IAdd i64 %30, %32" + to("%33"), "Write Any index"},
		{"two and a rest below two", 1, "%30 = IMul i64 %10, i64 2\n%31 = And i64 %22, i64 1\n%32 = IAdd i64 %30, %31" + to("%32"), "Write 2"},
		{"two and a rest up to three", 1, "%30 = IMul i64 %10, i64 2\n%31 = And i64 %22, i64 3\n%32 = IAdd i64 %30, %31" + to("%32"), "Write Any index"},
		{"two and a rest up to two", 1, "%30 = IMul i64 %10, i64 2\n%31 = SLt bool %22, i64 0\n%32 = Select i64 %31, i64 0, i64 2\n%33 = IAdd i64 %30, %32" + to("%33"), "Write Any index"},
		{"negative", 1, "%30 = ISub i64 i64 0, %10" + to("%30"), "Write Any index"},
		{"halves", 1, "%30 = ShrL i64 %10, i64 1" + to("%30"), "Write Any index"},
		{"squares", 1, "%30 = IMul i64 %10, %10" + to("%30"), "Write Any index"},
		{"an argument apart", 1, "%30 = IMul i64 %10, %22" + to("%30"), "Write Any index"},
		{"wraps at 64 bits", 1, "%30 = IMul i64 %10, i64 4611686014132420609" + to("%30"), "Write 4611686014132420609"},
		{"comes back by wrapping", 1, "%30 = Shl i64 %10, i64 62\n%31 = Shl i64 %30, i64 2\n%32 = IAdd i64 %31, %10" + to("%32"), "Write 1"},

		// Arithmetic of 32 bits, which wraps for large launches.
		{"int32 of the id", 1, "%30 = SConvert i64 %0" + to("%30"), "Write 1"},
		{"uint32 times two", 1, "%30 = IMul i32 %0, i32 2\n%31 = UConvert i64 %30" + to("%31"), "Write 2"},
		{"uint32 times four", 1, "%30 = IMul i32 %0, i32 4\n%31 = UConvert i64 %30" + to("%31"), "Write 4 most 1073741824"},
		{"int32 times two", 1, "%30 = IMul i32 %0, i32 2\n%31 = SConvert i64 %30" + to("%31"), "Write 2 most 1073741824"},
		{"int32 times two and one", 1, "%30 = IMul i32 %0, i32 2\n%31 = IAdd i32 %30, i32 1\n%32 = SConvert i64 %31" + to("%32"), "Write 2 most 1073741824"},
		{"times eight and cut off", 1, "%30 = IMul i64 %10, i64 8\n%31 = UConvert i32 %30\n%32 = UConvert i64 %31" + to("%32"), "Write 8 most 536870912"},
		{"uint32 below zero", 1, "%30 = IAdd i32 %0, i32 -1\n%31 = UConvert i64 %30\n%32 = IAdd i64 %31, i64 1" + to("%32"), "Write Any index"},
		{"uint32 of the negative, and back", 1, "%30 = ISub i32 i32 0, %0\n%31 = UConvert i64 %30\n%32 = IMul i64 %10, i64 2\n%33 = IAdd i64 %31, %32" + to("%33"), "Write Any index"},
		{"by a uint32 that wraps to one", 1, "%30 = IMul i32 %0, i32 -1\n%31 = UConvert i64 %30" + to("%31"), "Write Any index"},
		{"uint8 of the id", 1, "%30 = And i64 %10, i64 255" + to("%30"), "Write Any index"},
		{"rows in int32", 2, "%30 = IMul i32 %1, %24\n%31 = IAdd i32 %30, %0\n%32 = SConvert i64 %31" + to("%32"), "Write 1 range.x = arg32@40 most 2147483648"},
		{"rows of pairs in int32", 2, "%30 = IMul i32 %1, %24\n%31 = IAdd i32 %30, %0\n%33 = IMul i32 %31, i32 2\n%34 = IAdd i32 %33, i32 1\n%32 = SConvert i64 %34" + to("%32"), "Write 2 range.x = arg32@40 most 1073741824"},
		{"start of the row in uint32", 2, "%30 = IMul i32 %1, %24\n%31 = UConvert i64 %30\n%32 = IAdd i64 %31, %10" + to("%32"), "Write 1 range.x = arg32@40 most 4294967296"},

		// Several dimensions.
		{"rows", 2, rows + to("%31"), "Write 1 range.x = arg64@24"},
		{"rows of 640", 2, "%30 = IMul i64 %11, i64 640\n%31 = IAdd i64 %30, %10" + to("%31"), "Write 1 range.x = 640"},
		{"rows of the range", 2, "%30 = IMul i64 %11, %28\n%31 = IAdd i64 %30, %10" + to("%31"), "Write 1"},
		{"rows of an int32", 2, "%29 = SConvert i64 %24\n%30 = IMul i64 %11, %29\n%31 = IAdd i64 %30, %10" + to("%31"), "Write 1 range.x = arg32@40"},
		{"rows of four each", 2, rows + "%32 = IMul i64 %31, i64 4\n%33 = IAdd i64 %32, i64 3" + to("%33"), "Write 4 range.x = arg64@24"},
		{"rows of 4*W", 2, "%29 = IMul i64 %22, i64 4\n%30 = IMul i64 %11, %29\n%31 = IAdd i64 %30, %10" + to("%31"), "Write Any index"},
		{"rows of W+1", 2, "%29 = IAdd i64 %22, i64 1\n%30 = IMul i64 %11, %29\n%31 = IAdd i64 %30, %10" + to("%31"), "Write Any index"},
		{"rows of len/W", 2, "%29 = SDiv i64 %26, %22\n%30 = IMul i64 %11, %29\n%31 = IAdd i64 %30, %10" + to("%31"), "Write Any index"},
		{"columns", 2, "%30 = IMul i64 %10, %22\n%31 = IAdd i64 %30, %11" + to("%31"), "Write Any index"},
		{"the next row", 2, rows + "%32 = IAdd i64 %31, %22" + to("%32"), "Write Any index"},
		{"x alone", 2, to("%10"), "Write Any index"},
		{"the sum of x and y", 2, "%30 = IAdd i64 %10, %11" + to("%30"), "Write 1 range.x = 1"},
		{"planes", 3, planes + to("%33"), "Write 1 range.x = arg64@24 range.y = arg64@32"},
		{"planes of the range", 3, "%30 = IMul i64 %28, %23\n%31 = IMul i64 %12, %30\n%32 = IMul i64 %28, %11\n%33 = IAdd i64 %31, %32\n%34 = IAdd i64 %33, %10" + to("%34"), "Write 1 range.y = arg64@32"},
		{"planes of 6 by 4", 3, "%30 = IMul i64 %12, i64 24\n%31 = IMul i64 %11, i64 6\n%32 = IAdd i64 %30, %31\n%33 = IAdd i64 %32, %10" + to("%33"), "Write 1 range.x = 6 range.y = 4"},
		{"planes of 25, rows of 6", 3, "%30 = IMul i64 %12, i64 25\n%31 = IMul i64 %11, i64 6\n%32 = IAdd i64 %30, %31\n%33 = IAdd i64 %32, %10" + to("%33"), "Write Any index"},
		{"no z", 3, rows + to("%31"), "Write Any index"},

		// Rows and columns of a range of one dimension.
		{"apart and together", 1, "%30 = SDiv i64 %10, %22\n%31 = IMul i64 %30, %22\n%32 = ISub i64 %10, %31\n%33 = IMul i64 %30, %22\n%34 = IAdd i64 %33, %32" + to("%34"), "Write 1"},
		{"apart and otherwise together", 1, "%30 = SDiv i64 %10, %22\n%31 = IMul i64 %30, %22\n%32 = ISub i64 %10, %31\n%33 = IMul i64 %30, %23\n%34 = IAdd i64 %33, %32" + to("%34"), "Write Any index"},

		// Several accesses.
		{"two of one kind", 1, "%30 = IMul i64 %10, i64 2\n%31 = IAdd i64 %30, i64 1" + to("%30") + to("%31"), "Write 2"},
		{"one and two each", 1, "%30 = IMul i64 %10, i64 2" + to("%10") + to("%30"), "Write Any differ"},
		{"own and the next", 1, "%30 = IAdd i64 %10, i64 1" + to("%10") + to("%30"), "Write Any index"},
		{"rows of W and of H", 2, rows + "%32 = IMul i64 %11, %23\n%33 = IAdd i64 %32, %10" + to("%31") + to("%33"), "Write Any differ"},
		{"of different sizes", 1, to("%10") + "\n%30 = Load i64 [%21 i64, %10]", "ReadWrite Any address"},
		{"as different types", 1, to("%10") + "\n%30 = Load f32 [%21 f32, %10]", "ReadWrite Any elem"},

		// Other memory operations and addresses.
		{"atomic", 1, "%30 = AtomicIAdd i32 [%21 i32, %10], i32 1", "ReadWrite Any atomic"},
		{"own and atomic", 1, to("%10") + "\n%30 = AtomicLoad i32 [%21 i32, %10]", "ReadWrite Any atomic"},
		{"one of two slices", 1, "%30 = SLt bool %22, %23\n%31 = Select addr %30, %20, %21\nStore [%31 i32, %10], i32 7", "Write Any address"},
		{"part of the slice", 1, "%30 = AddrOf addr [%21 i32, %10]\nStore [%30 i32, i64 0], i32 7", "Write 1"},
		{"part of the slice, shifted", 1, "%30 = AddrOf addr [%21 i32, i64 1]\nStore [%30 i32, %10], i32 7", "Write Any index"},
		{"four of the slice", 1, "%30 = IMul i64 %10, i64 4\n%31 = AddrOf addr [%21 i32, %30]\nStore [%31 i32, i64 3], i32 7", "Write 4"},
		{"five of the slice", 1, "%30 = IMul i64 %10, i64 4\n%31 = AddrOf addr [%21 i32, %30]\nStore [%31 i32, i64 4], i32 7", "Write Any index"},
		{"part of a part", 1, "%30 = AddrOf addr [%21 i32, %10]\n%31 = AddrOf addr [%30 i32, %10]\nStore [%31 i32, i64 1], i32 7", "Write 2"},
		{"part in other units", 1, "%30 = AddrOf addr [%21 i64, %10]\nStore [%30 i32, i64 0], i32 7", "Write Any address"},
		{"an unknown address", 1, "%30 = Load addr [%20 addr, %10]\nStore [%30 i32, %10], i32 7", "Write Any address"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := footprintModule(t, "Range", c.rank, c.body)
			before := m.String()
			got := footprintText(Footprints(m)[4])
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if m.String() != before {
				t.Error("the module has changed")
			}
		})
	}
}

// TestFootprintForms: what the form of a kernel, its loops and its guards have to do with it.
func TestFootprintForms(t *testing.T) {
	const put = "Store [%21 i32, %10], i32 7"
	out := func(m *ir.Module) string { return footprintText(Footprints(m)[4]) }
	if got := out(footprintModule(t, "NDRange", 1, put)); got != "Write 1" {
		t.Errorf("nd-range: %s", got)
	}
	m := footprintModule(t, "NDRange", 1, put)
	m.Form = abi.Range // and no guard
	if got := out(m); got != "Write Any index" {
		t.Errorf("no guard: %s", got)
	}
	m = footprintModule(t, "Range", 1, put)
	m.Rank = 2
	if got := out(m); got != "Write Any index" {
		t.Errorf("no guard of y: %s", got)
	}
	m = footprintModule(t, "Range", 1, put)
	m.Items = 4
	if got := out(m); got != "Write Any form" {
		t.Errorf("four items per invocation: %s", got)
	}
	m = footprintModule(t, "NDRange", 1, put)
	m.Form, m.Rank = abi.Task, 0
	if got := out(m); got != "Write Any form" {
		t.Errorf("task: %s", got)
	}

	// for j := range n { Out[4*x+j] = 7 }
	loop := func(n int) string {
		return fmt.Sprintf(`	%%30 = IMul i64 %%10, i64 4
	Jump b10
b10:
	%%31 = Phi i64 [i64 0 b1, %%34 b11]
	%%32 = SLt bool %%31, i64 %d
	Branch %%32, b11, b12
b11:
	%%33 = IAdd i64 %%30, %%31
	Store [%%21 i32, %%33], i32 7
	%%34 = IAdd i64 %%31, i64 1
	Jump b10
b12:`, n)
	}
	for n, want := range map[int]string{3: "Write 4", 4: "Write 4", 5: "Write Any index"} {
		if got := out(footprintModule(t, "Range", 1, loop(n))); got != want {
			t.Errorf("%d rounds: %s", n, got)
		}
	}
}
