package fusion

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/back"
)

// damaged returns the text with lines dropped, doubled or swapped, or words of other lines in it.
func damaged(r *rand.Rand, text string) string {
	lines := strings.Split(text, "\n")
	for range 1 + r.IntN(3) {
		i, j := r.IntN(len(lines)), r.IntN(len(lines))
		switch r.IntN(5) {
		case 0:
			lines = slices.Delete(lines, i, i+1)
		case 1:
			lines = slices.Insert(lines, i, lines[j])
		case 2:
			lines[i], lines[j] = lines[j], lines[i]
		case 3:
			b := []byte(lines[i])
			if len(b) > 0 {
				b[r.IntN(len(b))] = byte(" 0123456789abi%,[]"[r.IntN(18)])
			}
			lines[i] = string(b)
		default:
			w, v := strings.Fields(lines[i]), strings.Fields(lines[j])
			if len(w) > 0 && len(v) > 0 {
				w[r.IntN(len(w))] = v[r.IntN(len(v))]
			}
			lines[i] = strings.Join(w, " ")
		}
		if len(lines) == 0 {
			break
		}
	}
	return strings.Join(lines, "\n")
}

// linkTwice links two launches of the kernel to one, and compiles it. It reports whether the IR could
// be read; the error says what came of it then. Nothing recovers from panics.
func linkTwice(k *abi.Kernel) (ok bool, err error) {
	if _, err := back.Restore(k); err != nil {
		return false, err
	}
	s := &Source{ABI: k}
	if s.readIR(); s.module == nil {
		return false, errors.New(s.whyAlone)
	}
	buffers := []int{0, 1, 2, 3, 4, 5}
	g := &Group{Required: true}
	g.Add(launchOf(s, buffers...))
	if l := launchOf(s, buffers[3:]...); s.whyAlone == "" && g.Refuses(l) == "" {
		g.Add(l)
		_, err = g.linkKernel()
	}
	return true, err
}

// FuzzRestore: see TestDamagedIR. Use -fuzzminimizetime 1x, as for FuzzGenerate of package codegen.
func FuzzRestore(f *testing.F) {
	kernels := testKernels(f)
	for _, name := range slices.Sorted(maps.Keys(kernels)) {
		f.Add(name, kernels[name].ABI.IR)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		if kernels[name] == nil {
			return
		}
		k := *kernels[name].ABI
		k.IR, k.Sum = text, 0
		if _, err := linkTwice(&k); err != nil && strings.Contains(err.Error(), "BUG") {
			t.Error(err)
		}
	})
}

// TestDamagedIR: IR that is not what kgen wrote is an error, or code that is linked and compiled;
// nothing panics.
func TestDamagedIR(t *testing.T) {
	var kernels []*abi.Kernel
	for _, s := range testKernels(t) {
		kernels = append(kernels, s.ABI)
	}
	slices.SortFunc(kernels, func(a, b *abi.Kernel) int { return strings.Compare(a.Name, b.Name) })
	read, failed := 0, 0
	for seed := range uint64(*graphs * 5) {
		r := rand.New(rand.NewPCG(seed, 5))
		k := *kernels[r.IntN(len(kernels))]
		if k.IR = damaged(r, k.IR); k.Damaged() == "" && k.Sum != 0 {
			t.Errorf("%s: nobody sees the damage", k.Name)
		}
		k.Sum = 0 // as if the text were the kernel's
		ok, err := linkTwice(&k)
		if err != nil && strings.Contains(err.Error(), "BUG") {
			t.Errorf("seed %d: %s: %v", seed, k.Name, err)
		}
		if ok {
			read++
		}
		if ok && err != nil {
			failed++
		}
	}
	t.Logf("%d of %d texts could be read, of which %d were not linked", read, *graphs*5, failed)
	if read < *graphs/10 {
		t.Error("too few of the texts can be read")
	}
}
