package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/examples/knn/nearest"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/runtime"
)

func TestKNN(t *testing.T) {
	*asked = 7
	for _, c := range []struct{ n, dim, k int }{
		{1, 1, 1}, {5, 3, nearest.MaxK}, {nearest.PartSize, 8, 4}, {3*nearest.PartSize + 17, 70, nearest.MaxK},
	} {
		*count, *dim, *k = c.n, c.dim, c.k
		devtest.Run(t, run)
	}
}

// TestFiles goes from text to a file, searches it for itself, and back.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	const table = "0,0\n3,4\n1,0\n0,0\n"
	if err := os.WriteFile(file("a.csv"), []byte(table), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := save([]string{file("a.csv"), file("a.knn")}); err != nil {
		t.Fatal(err)
	}
	*queries, *k = file("a.knn"), 4
	defer func() { *queries = "" }()
	devtest.Run(t, func(ctx context.Context, dev *runtime.Device) error {
		return search(ctx, dev, []string{file("a.knn")})
	})
	if err := load([]string{file("a.knn"), file("b.csv")}); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(file("b.csv")); err != nil || string(b) != table {
		t.Errorf("%q, %v", b, err)
	}
	if err := load([]string{file("a.csv")}); err == nil || !strings.Contains(err.Error(), "no file of vectors") {
		t.Errorf("a text as a file of vectors: %v", err)
	}
}

// TestCheck: the check finds what is wrong.
func TestCheck(t *testing.T) {
	s, q := clusters(100, 4, 1), clusters(1, 4, 2)
	all := make([]float64, s.Len())
	for j := range all {
		all[j] = distance(q.At(0), s.At(j))
	}
	hits := nearest.List{{Distance: float32(all[3]), Index: 3}, {Distance: float32(all[3]), Index: 3}}
	*k = 2
	if err := checkQuery(hits, all, []float64{all[3], all[3]}); err == nil {
		t.Error("one vector twice is taken")
	}
	hits[1] = nearest.Hit{Distance: float32(all[4]), Index: 4}
	if err := checkQuery(hits, all, []float64{all[3], all[4] / 2}); err == nil {
		t.Error("a vector that is too far is taken")
	}
	if err := checkQuery(hits, all, []float64{all[3], all[4]}); err != nil {
		t.Error(err)
	}
}
