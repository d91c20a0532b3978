package codegen

import (
	"slices"
	"testing"
)

// TestDeclaredWrongly: what is wrong with how a kernel is declared hides as little of its
// body as can be. Of a generic type without an instance there is no code; where the
// parameter is no item, only what no function of a kernel may have is known.
func TestDeclaredWrongly(t *testing.T) {
	const rest = "\n\nvar _ dsl.Task\n\nfunc inc(x int32) int32 { return x + 1 }\n\ntype row [2]int32\n\nfunc (r *row) at(i int32) int32 { return r[i&1] }\n"
	for src, want := range map[string][]string{
		"type K struct{ X []int32 }\n\nfunc (k K) Kernel(it *dsl.Item1) {\ngo inc(1)\nf := inc\nif k.X[0] > 3 {\nf = (*row)([]int32{1, 2, 3}[int(f(0)):]).at\n}\nk.X[1] = f(2)\n}": {
			"7:12 KG004", "8:1 KG102"},
		"type K struct{ X []int32 }\n\nfunc (k K) Kernel() {\ngo inc(1)\nf := inc\nif k.X[0] > 3 {\nf = (*row)([]int32{1, 2, 3}[int(f(0)):]).at\n}\nk.X[1] = f(2)\n}": {
			"7:12 KG004", "8:1 KG102"},
		"type K struct{ X []int32 }\n\nfunc (k K) Kernel(it dsl.Item1, n ...int) {\ngo inc(1)\nf := inc\nif k.X[0] > 3 {\nf = (*row)([]int32{1, 2, 3}[int(f(0)):]).at\n}\nk.X[1] = f(2)\n}": {
			"11:1 KG302", "7:12 KG004", "8:1 KG102"},
		"type K []int32\n\nfunc (k K) Kernel(it dsl.Item1) {\ngo inc(1)\nf := inc\nif it.GlobalID() > 3 {\nf = (*row)([]int32{1, 2, 3}[int(f(0)):]).at\n}\nk[1] = f(2)\n}": {
			"11:1 KG302", "5:6 KG005", "8:1 KG102"},
		"type K struct{ X []int32; Y map[int]int }\n\nfunc (k *K) Kernel(it dsl.Item1) {\ngo inc(1)\nf := inc\nif k.X[0] > 3 {\nf = (*row)([]int32{1, 2, 3}[int(f(0)):]).at\n}\nk.X[1] = f(2)\n}": {
			"11:1 KG302", "5:27 KG007", "8:1 KG102"},
		"type K struct{ X [2]struct{ A []int32; B func(); c []int32 } }\n\nfunc (k K) Kernel(it dsl.Item1) {\ngo inc(1)\nf := inc\nif k.X[0].c[1] > k.X[1].A[2] {\nf = (*row)([]int32{1, 2, 3}[int(f(0)):]).at\n}\nk.X[0].A[1] = f(2)\nk.X[0].B()\n}": {
			"11:1 KG302", "5:40 KG007", "5:50 KG003", "8:1 KG102"},
		"type K[T any] struct{ X []T }\n\nfunc (k K[T]) Kernel(it dsl.Item1) {\ngo inc(1)\n}": {"5:6 KG005"},
		"type Kernels struct{ X []int32 }\n\nfunc (k Kernels) Kernel(it dsl.Item1) {\ngo inc(1)\n}\n\ntype kERNELS struct{ X []int32 }\n\nfunc (k kERNELS) Kernel(it dsl.NDItem1) {\nif it.LocalID() > 3 {\nit.Barrier()\n}\n}": {
			"11:6 KG003", "11:6 KG005", "15:11 KG401", "5:6 KG005", "8:1 KG102"},
	} {
		diags := compileSnippet(t, "package kernels\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\n"+src+rest)
		diags.Sort()
		if got := positions(diags); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v of\n%s\n%v", got, want, src, diags)
		}
	}
}
