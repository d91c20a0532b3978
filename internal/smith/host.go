package smith

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/kgen-go/kgen/internal/smith/shape"
)

// HostResult is what gc's code does with a program's inputs.
type HostResult struct {
	Args   shape.Args
	Faults []HostFault
}

// HostFault is a panic of a work-item.
type HostFault struct {
	ID, Line int
	Text     string
}

// runner is the program that runs programs on the host.
const runner = `package main

import (
	"encoding/gob"
	"os"
	"runtime"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/kgen-go/kgen/internal/smith/shape"
	kernels "github.com/kgen-go/kgen/internal/smith/run/kernels"
)

type fault struct {
	ID, Line int
	Text string
}

type result struct {
	Args   shape.Args
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
	r := result{Args: shape.Inputs(seed)}
	for id := range shape.Items {
		func() {
			defer func() {
				if p := recover(); p != nil {
					r.Faults = append(r.Faults, fault{id, line(file), strings.TrimPrefix(fmt.Sprint(p), "runtime error: ")})
				}
			}()
			f(r.Args, id)
		}()
	}
	return r
}

func main() {
	var all []result
%s	if err := gob.NewEncoder(os.Stdout).Encode(all); err != nil {
		panic(err)
	}
}
`

// Host runs programs with different prefixes as gc compiles them.
func Host(ctx context.Context, programs []*Program) ([]HostResult, error) {
	dir, err := os.MkdirTemp("", "smith")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	root, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	overlay := map[string]string{}
	write := func(name, text string) error {
		flat := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		overlay[filepath.Join(root, "run", name)] = flat
		return os.WriteFile(flat, []byte(text), 0o666)
	}
	var calls strings.Builder
	for _, p := range programs {
		if err := write("kernels/"+p.File(), p.Source); err != nil {
			return nil, err
		}
		fmt.Fprintf(&calls, "\tall = append(all, run(%d, %q, func(a shape.Args, id int) { kernels.%sK{Args: a}.Run(id) }))\n", p.Seed, p.File(), p.Prefix)
	}
	if err := write("main.go", fmt.Sprintf(runner, calls.String())); err != nil {
		return nil, err
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		return nil, err
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, text, 0o666); err != nil {
		return nil, err
	}
	bin := filepath.Join(dir, "run.exe")
	build := exec.CommandContext(ctx, "go", "build", "-overlay", list, "-o", bin, "./run")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, bin)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("run: %w\n%s", err, errs.Bytes())
	}
	var all []HostResult
	if err := gob.NewDecoder(&out).Decode(&all); err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	return all, nil
}

// File returns the name of the program's file.
func (p *Program) File() string { return strings.ToLower(p.Prefix) + ".go" }
