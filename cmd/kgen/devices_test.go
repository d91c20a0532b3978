package main

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/usermodule"
)

// TestDevicesCurrent: kgen devices says which kernels are not in its list, and which have changed
// since they were compiled.
func TestDevicesCurrent(t *testing.T) {
	const kernel = "package k\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\ntype K struct{ X []int32 }\n\nfunc (k K) Kernel(it dsl.Item1) { k.X[it.GlobalID()] = 1 }\n"
	dir := newModule(t)
	write(t, dir, "done/k.go", strings.Replace(kernel, "package k", "package done", 1))
	write(t, dir, "internal/done/k.go", strings.Replace(kernel, "package k", "package done", 1))
	if code, _, errs := kgen(dir, "./..."); code != 0 {
		t.Fatalf("status %d: %s", code, errs)
	}
	t.Setenv("GOFLAGS", usermodule.Flags(goFlags)) // the module lacks what the program requires
	write(t, dir, "generic/k.go", "package generic\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\ntype K[T any] struct{ X []T }\n\nfunc (k K[T]) Kernel(it dsl.Item1) {}\n")
	write(t, dir, "helper/k.go", "package helper\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\nfunc Kernel(it dsl.Item1) int { return it.GlobalID() }\n")
	for _, c := range []struct {
		file, text string // to write first
		args       string
		code       int
		want       []string // on standard error, in lines
	}{
		{"done/k_test.go", "package done\n", "devices", 0, nil},
		{"one/k.go", kernel, "devices -json ./done ./one", 0, []string{"kgen devices: the kernels of 1 package are not in the list, since kgen has written nothing for example.com/first/one; run go generate ./... first"}},
		{"two/k.go", kernel, "devices", 0, []string{"kgen devices: the kernels of 2 packages are not in the list, since kgen has written nothing for example.com/first/one, example.com/first/two; run go generate ./... first"}},
		{"", "", "devices ./two", 1, []string{"kgen devices: kgen has written nothing for ./two; run go generate ./... first, or name none for the devices alone"}},
		{"done/k.go", strings.NewReplacer("package k", "package done", "= 1", "= 2").Replace(kernel), "devices ./done", 0, []string{"kgen devices: example.com/first/done (K): done/k.go has changed since kgen compiled these kernels, so the list has what they were; run go generate ./... first"}},
		{"", "", "devices ./internal/done", 0, nil},
	} {
		if c.file != "" {
			write(t, dir, c.file, c.text)
		}
		if testing.Short() && c.code == 0 {
			continue // it builds a program, as TestText of codegen/devices does
		}
		code, out, errs := kgen(dir, strings.Fields(c.args)...)
		want := strings.Join(append(c.want, ""), "\n")
		if code != c.code || errs != want || code == 0 && !strings.Contains(out, "done.K") {
			t.Errorf("%s with %s: status %d, %s, want %s", c.args, c.file, code, errs, want)
		}
	}
}
