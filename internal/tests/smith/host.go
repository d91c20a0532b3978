package smith

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/internal/tests/oracle"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
)

// HostResult is the result of a program that gc has compiled.
type HostResult struct {
	Args   shape.Args
	Faults []HostFault
}

// HostFault is a panic of a work-item.
type HostFault struct {
	ID, Line int
	// Outer is the line of the Kernel method in the stack trace, for kernels with work-groups.
	Outer int
	Text  string
}

// runnerSource is the source of a main program that runs random programs on the host.
const runnerSource = `package main

import (
	"encoding/gob"
	"os"
	"runtime"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/kgen-go/kgen/internal/tests/smith/shape"
	kernels "github.com/kgen-go/kgen/internal/tests/oracle/run/kernels"
)

type fault struct {
	ID, Line int
	Text string
}

type result struct {
	Memory []byte
	Faults []fault
}

func line(file string) int {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs[:])])
	for {
		f, more := frames.Next()
		if filepath.Base(f.File) == file {
			return f.Line
		}
		if !more {
			return 0
		}
	}
}

func run(seed uint64, file string, f func(shape.Args, int)) result {
	a, r := shape.Inputs(seed), result{}
	for id := range shape.Items {
		func() {
			defer func() {
				if p := recover(); p != nil {
					r.Faults = append(r.Faults, fault{id, line(file), strings.TrimPrefix(fmt.Sprint(p), "runtime error: ")})
				}
			}()
			f(a, id)
		}()
	}
	r.Memory = a.Pack()
	return r
}

func main() {
	var all []result
%s	if err := gob.NewEncoder(os.Stdout).Encode(all); err != nil {
		panic(err)
	}
}
`

// Host runs programs as gc compiles them. The prefixes of the programs must differ.
func Host(ctx context.Context, programs []*Program) ([]HostResult, error) {
	files := map[string]string{}
	var calls strings.Builder
	for _, p := range programs {
		files[p.File()] = p.Source
		fmt.Fprintf(&calls, "\tall = append(all, run(%d, %q, func(a shape.Args, id int) { kernels.%sK{Args: a}.Run(id) }))\n", p.Seed, p.File(), p.Prefix)
	}
	out, err := oracle.RunGo(ctx, files, fmt.Sprintf(runnerSource, calls.String()))
	if err != nil {
		return nil, err
	}
	var all []struct {
		Memory []byte
		Faults []HostFault
	}
	if err := gob.NewDecoder(bytes.NewReader(out)).Decode(&all); err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	results := make([]HostResult, len(all))
	for i, r := range all {
		results[i] = HostResult{shape.Inputs(programs[i].Seed), r.Faults}
		if err := results[i].Args.Unpack(r.Memory); err != nil {
			return nil, fmt.Errorf("run: %w", err)
		}
	}
	return results, nil
}

// File returns the name of the program's file.
func (p *Program) File() string { return strings.ToLower(p.Prefix) + ".go" }
