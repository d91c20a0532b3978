// Knn searches a file of vectors for the nearest neighbours of other vectors.
//
//	knn generate -n 100000 -dim 64 vectors.knn
//	knn save table.csv vectors.knn
//	knn load vectors.knn [table.csv]
//	knn search -k 10 [-queries queries.knn] vectors.knn
//
// "knn generate" makes up vectors in clusters, because real vectors have clusters. "knn save" converts
// a text, with one vector in each line, to a file of vectors. "knn load" checks and describes a file of
// vectors, or converts it to text. Package vectors documents the format of the files. "knn search"
// prints the neighbours of the vectors in another file, or of made-up vectors.
// Without a command, knn generates vectors and searches them.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/examples/knn/nearest"
	"github.com/kgen-go/kgen/examples/knn/vectors"
	"github.com/kgen-go/kgen/runtime"
)

var (
	count   = demo.Int("n", 50000, 1, 1<<28, "vectors to generate")
	dim     = demo.Int("dim", 32, 1, 1<<12, "numbers in a vector")
	seed    = flag.Uint64("seed", 1, "of what is made up")
	k       = demo.Int("k", 5, 1, nearest.MaxK, "neighbours to find")
	queries = flag.String("queries", "", "`file` with the vectors to search for")
	asked   = demo.Int("q", 200, 1, 1<<20, "queries to make up without such a file")
	show    = demo.Int("show", 3, 0, 1<<20, "queries whose neighbours are printed")
)

// The variable `commands` maps the names of commands that need no device to functions.
var commands = map[string]func(args []string) error{"generate": generate, "save": save, "load": load}

func main() {
	word := ""
	if len(os.Args) > 1 && (commands[os.Args[1]] != nil || os.Args[1] == "search") {
		word = os.Args[1]
		os.Args = slices.Delete(os.Args, 1, 2)
	}
	if f := commands[word]; f != nil {
		flag.Parse()
		if err := f(flag.Args()); err != nil {
			fmt.Fprintln(os.Stderr, "knn:", err)
			os.Exit(1)
		}
		return
	}
	if word == "search" {
		flag.Parse()
		demo.MainArgs(func(ctx context.Context, dev *runtime.Device) error { return search(ctx, dev, flag.Args()) })
		return
	}
	demo.Main(run)
}

// run() runs all commands, with a file in a temporary folder.
func run(ctx context.Context, dev *runtime.Device) error {
	dir, err := os.MkdirTemp("", "knn")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "vectors.knn")
	if err := generate([]string{name}); err != nil {
		return err
	}
	return search(ctx, dev, []string{name})
}

func generate(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: knn generate [-n vectors] [-dim numbers] file")
	}
	d, err := demo.Time(func() error { return clusters(*count, *dim, *seed).Save(args[0]) })
	demo.Line("generate", "%d vectors of %d numbers in %v", *count, *dim, d)
	return err
}

func save(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: knn save table.csv file")
	}
	f, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	s, err := vectors.ReadText(f)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	demo.Line("save", "%d vectors of %d numbers", s.Len(), s.Dim)
	return s.Save(args[1])
}

func load(args []string) error {
	if len(args) < 1 || len(args) > 2 {
		return fmt.Errorf("usage: knn load file [table.csv]")
	}
	s, err := vectors.Load(args[0])
	if err != nil {
		return err
	}
	demo.Line("load", "%d vectors of %d numbers", s.Len(), s.Dim)
	if len(args) == 1 {
		return nil
	}
	f, err := os.Create(args[1])
	if err != nil {
		return err
	}
	if err := s.WriteText(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func search(ctx context.Context, dev *runtime.Device, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: knn search [-k number] [-queries file] [-q number] file")
	}
	s, err := vectors.Load(args[0])
	if err != nil {
		return err
	}
	demo.Line("load", "%d vectors of %d numbers", s.Len(), s.Dim)
	q := clusters(*asked, s.Dim, *seed+1)
	if *queries != "" {
		if q, err = vectors.Load(*queries); err != nil {
			return err
		}
		if q.Dim != s.Dim {
			return fmt.Errorf("%s has vectors of %d numbers, %s of %d", *queries, q.Dim, args[0], s.Dim)
		}
	}
	if s.Len() < 1 || q.Len() < 1 || s.Len() > math.MaxInt32 {
		return fmt.Errorf("%d queries in %d vectors", q.Len(), s.Len())
	}
	got, err := onDevice(ctx, dev, s, q)
	if err != nil {
		return err
	}
	if err := check(s, q, got); err != nil {
		return err
	}
	for i := range min(*show, q.Len()) {
		text := ""
		for _, h := range got[i][:min(*k, s.Len())] {
			text += fmt.Sprintf("  %d (%.4g)", h.Index, h.Distance)
		}
		demo.Line(fmt.Sprintf("query %d", i), "%s", text)
	}
	return nil
}

// clusters() makes up vectors, which are points around some centres.
func clusters(n, dim int, seed uint64) *vectors.Set {
	const centers = 50
	at := rand.New(rand.NewPCG(7, 7)) // always the same seed, so that vectors and queries have the same centres
	center := make([]float32, centers*dim)
	for i := range center {
		center[i] = float32(at.NormFloat64())
	}
	r := rand.New(rand.NewPCG(seed, 8))
	s := &vectors.Set{Dim: dim, Data: make([]float32, n*dim)}
	for i := range n {
		c := center[r.IntN(centers)*dim:]
		for j := range s.At(i) {
			s.At(i)[j] = c[j] + 0.3*float32(r.NormFloat64())
		}
	}
	return s
}
