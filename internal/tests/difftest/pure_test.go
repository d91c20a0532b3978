package difftest

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"go/build"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest/corpus"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/corpus/corpusgen"
	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/internal/tests/usermodule"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

var pure = flag.String("pure", "", "file with what TestPureMath wants: written where there is a go command, read where there is none")

// pureMain prints the results of corpus.Near for pairs of numbers.
const pureMain = `package main

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"

	"example.com/pure/math"
)

func main() {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		var v [2]float64
		if err := binary.Read(in, binary.LittleEndian, &v); err == io.EOF {
			return
		} else if err != nil {
			panic(err)
		}
		x, y := v[0], v[1]
		binary.Write(out, binary.LittleEndian, []float64{math.Exp(x), math.Log(x), math.Hypot(x, y), math.Log2(x), math.Log10(x),
			math.FMA(x, y, x), math.Pow(x, y), math.Sinh(x), math.Tanh(x), math.Erf(x), math.Gamma(x)})
	}
}
`

// pureResults runs the Go code of package math, as ports without assembly have it,
// in a program of its own.
func pureResults(t *testing.T, x, y []float64) []float64 {
	t.Helper()
	var raw []byte
	gocmd, err := exec.LookPath("go")
	if err != nil {
		if *pure == "" {
			need.Missing(t, need.Vulkan, "no go command, and no -pure")
		}
		if raw, err = os.ReadFile(*pure); err != nil {
			t.Fatal(err)
		}
	} else {
		dir := t.TempDir()
		write := func(name string, data []byte) {
			name = filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		root, err := exec.Command(gocmd, "env", "GOROOT").Output()
		if err != nil {
			t.Fatal(err)
		}
		ctx := build.Default
		ctx.GOARCH, ctx.CgoEnabled = "mips64le", false
		pkg, err := ctx.ImportDir(filepath.Join(strings.TrimSpace(string(root)), "src", "math"), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range pkg.GoFiles {
			data, err := os.ReadFile(filepath.Join(pkg.Dir, f))
			if err != nil {
				t.Fatal(err)
			}
			// Each file was chosen for a port that is not this one.
			f = strings.ReplaceAll(f, "_", "")
			write("math/"+f, bytes.Replace(data, []byte("//go:build "), []byte("// "), 1))
		}
		write("go.mod", []byte("module example.com/pure\n\ngo 1.26\n"))
		write("main.go", []byte(pureMain))
		var in bytes.Buffer
		for i := range x {
			binary.Write(&in, binary.LittleEndian, []float64{x[i], y[i]})
		}
		cmd := exec.Command(gocmd, "run", ".")
		cmd.Dir, cmd.Stdin, cmd.Stderr = dir, &in, os.Stderr
		cmd.Env = append(os.Environ(), "GOFLAGS="+usermodule.Flags("-mod=mod"), "GOWORK=off")
		if raw, err = cmd.Output(); err != nil {
			t.Fatal(err)
		}
		if *pure != "" {
			if err := os.WriteFile(*pure, raw, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	out := make([]float64, len(raw)/8)
	if err := binary.Read(bytes.NewReader(raw), binary.LittleEndian, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestPureMath: the functions that gc has assembly for have the bits of their Go
// code on the device.
func TestPureMath(t *testing.T) {
	dev := devtest.Vulkan(t)
	if !dev.Has(properties.FP64) {
		t.Skip("the device has no float64")
	}
	x, y := mathArgs()
	want := pureResults(t, x, y)
	k := corpus.Near{X: x, Y: y, Out: make([]float64, len(x)*corpus.NearResults)}
	if err := gen.RunNear(context.Background(), dev, k, runtime.Range1(len(x))); err != nil {
		t.Fatal(err)
	}
	if len(want) != len(k.Out) {
		t.Fatalf("%d results, want %d", len(want), len(k.Out))
	}
	for i, g := range k.Out {
		if w := want[i]; math.Float64bits(g) != math.Float64bits(w) && !(g != g && w != w) {
			j := i / corpus.NearResults
			t.Errorf("function %d of (%v, %v) = %v, want %v", i%corpus.NearResults, x[j], y[j], g, w)
		}
	}
}
