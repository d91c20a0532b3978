package smith

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/codegen/gohost"
	"github.com/kgen-go/kgen/codegen/gostub"
	"github.com/kgen-go/kgen/internal/tests/oracle"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
)

// SubGroups lists the sub-group sizes of programs that run on the host.
var SubGroups = []int{4, 8, 32}

// GroupRun is the result of a launch on the host.
type GroupRun struct {
	Form   bool // whether the host form ran instead of the code that gc compiles
	Size   int  // size of sub-groups
	Memory []byte
	Faults []HostFault // reported fault, if the host form ran
	Err    string      // text of the run's error
}

// Args returns the memory after the run.
func (r *GroupRun) Args(p *Program) (shape.GroupArgs, error) {
	a := shape.GroupInputs(p.Seed, p.Items())
	return a, a.Unpack(r.Memory)
}

// groupRunner is the source of a main program. groupRunner runs random programs with work-groups on the host.
const groupRunner = `package main

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/internal/dslhook"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
	device "github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
	forms "github.com/kgen-go/kgen/internal/tests/oracle/run/kernels/forms"
	kernels "github.com/kgen-go/kgen/internal/tests/oracle/run/kernels"
)

var _ = kernels.Any
var _ = forms.Any

type fault struct {
	ID, Line, Outer int
	Text string
}

type result struct {
	Form bool
	Size int
	Memory []byte
	Faults []fault
	Err string
}

// lines() returns the innermost and the outermost line of a file in the current stack trace.
func lines(file string) (in, out int) {
	var pcs [256]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs[:])])
	for {
		f, more := frames.Next()
		if filepath.Base(f.File) == file {
			if out = f.Line; in == 0 {
				in = out
			}
		}
		if !more {
			return in, out
		}
	}
}

func linear(global []int, id []int) int {
	n := 0
	for d := range global {
		n = n*global[d] + id[d]
	}
	return n
}

func coroutines(seed uint64, file string, global, local []int, size int, kernel func(a shape.GroupArgs) any) result {
	l := &dslhook.Launch{Rank: len(global), SubGroupSize: size}
	items, groups := 1, 1
	for d := range global {
		l.Global[d] = global[d]
		items *= global[d]
		if local != nil {
			l.Local[d] = local[d]
			groups *= global[d] / local[d]
		}
	}
	a, r := shape.GroupInputs(seed, items), result{Size: size}
	l.Panicked = func(id [3]int, v any) {
		in, out := lines(file)
		r.Faults = append(r.Faults, fault{linear(global, id[:]), in, out, strings.TrimPrefix(fmt.Sprint(v), "runtime error: ")})
	}
	k := kernel(a)
	if local == nil {
		dslhook.RunItems(k, l, 0, items)
		groups = 0
	}
	var s dslhook.Scratch
	for g := range groups {
		dslhook.RunGroup(k, l, g, &s)
	}
	r.Memory = a.Pack()
	return r
}

func form(seed uint64, global, local []int, size int, k *device.Kernel) (r result) {
	r.Form, r.Size = true, size
	items := 1
	for _, n := range global {
		items *= n
	}
	a := shape.GroupInputs(seed, items)
	l := kernelimpl.NewLaunch(k)
	for i, p := range k.ABI().Params {
		switch p.Name[strings.LastIndexByte(p.Name, '.')+1:] {
		case "N":
			kernelimpl.Value(l, i, a.N)
		case "Small":
			kernelimpl.Value(l, i, a.Small)
		case "In":
			kernelimpl.Slice(l, i, a.In)
		case "Out":
			kernelimpl.Slice(l, i, a.Out)
		case "Bytes":
			kernelimpl.Slice(l, i, a.Bytes)
		case "Reals":
			kernelimpl.Slice(l, i, a.Reals)
		case "Recs":
			kernelimpl.Slice(l, i, a.Recs)
		case "Share":
			kernelimpl.Slice(l, i, a.Share)
		case "Counts":
			kernelimpl.Slice(l, i, a.Counts)
		case "Longs":
			kernelimpl.Slice(l, i, a.Longs)
		default:
			panic(p.Name)
		}
	}
	dev := devices[size]
	var err error
	rank := len(global)
	if local == nil {
		rank += 3
	}
	switch ctx := context.Background(); rank {
	case 4:
		err = l.Run1(ctx, dev, device.Range1(global[0]), nil)
	case 5:
		err = l.Run2(ctx, dev, device.Range2(global), nil)
	case 6:
		err = l.Run3(ctx, dev, device.Range3(global), nil)
	case 1:
		err = l.RunND1(ctx, dev, device.NDRange1{Global: device.Range1(global[0]), Local: device.Range1(local[0])}, nil)
	case 2:
		err = l.RunND2(ctx, dev, device.NDRange2{Global: device.Range2(global), Local: device.Range2(local)}, nil)
	case 3:
		err = l.RunND3(ctx, dev, device.NDRange3{Global: device.Range3(global), Local: device.Range3(local)}, nil)
	}
	var f *device.Fault
	if errors.As(err, &f) {
		at := strings.Split(f.Pos, ":")
		line := 0
		if len(at) > 2 {
			line, _ = strconv.Atoi(at[len(at)-2])
		}
		r.Faults = append(r.Faults, fault{linear(global, f.GlobalID), line, 0, f.Kind.Describe(f.A, f.B, f.Unsigned, f.Message)})
	} else if err != nil {
		r.Err = err.Error()
	}
	r.Memory = a.Pack()
	return r
}

var devices = map[int]*device.Device{}

func main() {
	os.Setenv("KGEN_HOST_FORM", "on")
	for _, n := range []int{%s} {
		os.Setenv("KGEN_HOST_SUBGROUP", strconv.Itoa(n))
		dev, err := device.Open(device.Select("host"))
		if err != nil {
			panic(err)
		}
		devices[n] = dev
	}
	var all [][]result
%s	if err := gob.NewEncoder(os.Stdout).Encode(all); err != nil {
		panic(err)
	}
}
`

// registryHead is the beginning of a source file that registers host forms.
const registryHead = `package forms

import (
	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
)

const Any abi.Form = 0

var _ kernelimpl.HostForm
var _ properties.List

func none(*kernelimpl.HostArgs) any { return nil }

`

// GroupHost runs programs whose arguments are GroupArgs. The programs have work-groups, or run over
// ranges. The prefixes of the programs must differ. GroupHost runs each program as gc compiles it,
// and also in its host form if `kernels` contains one.
func GroupHost(ctx context.Context, programs []*Program, kernels []*oracle.Kernel) ([][]GroupRun, error) {
	files := map[string]string{"any.go": "package kernels\n\nconst Any = 0\n"}
	var calls, news strings.Builder
	var forms []*gohost.Form
	for i, p := range programs {
		files[p.File()] = p.Source
		ranges := fmt.Sprintf("%#v, %#v", p.Global, p.Local)
		fmt.Fprintf(&calls, "\tall = append(all, nil)\n")
		run := func(format string, args ...any) {
			fmt.Fprintf(&calls, "\tall[%d] = append(all[%d], "+format+")\n", append([]any{i, i}, args...)...)
		}
		sizes := SubGroups
		if p.Local == nil {
			sizes = sizes[:1] // kernels over ranges have no sub-groups
		}
		for _, size := range sizes {
			run("coroutines(%d, %q, %s, %d, func(a shape.GroupArgs) any { return kernels.%sK{GroupArgs: a}.Kernel })", p.Seed, p.File(), ranges, size, p.Prefix)
		}
		if kernels[i] == nil || kernels[i].Host == nil {
			continue
		}
		abi := *kernels[i].ABI
		abi.Properties, abi.Aspects, abi.Uses, abi.Variants = nil, nil, nil, nil
		fmt.Fprintf(&news, "var %sK = kernelimpl.RegisterForm(&%#v, none, %s)\n", p.Prefix, abi, kernels[i].Host.New())
		forms = append(forms, kernels[i].Host)
		for _, size := range sizes {
			run("form(%d, %s, %d, forms.%sK)", p.Seed, ranges, size, p.Prefix)
		}
	}
	files["forms/registry.go"] = registryHead + news.String()
	if len(forms) > 0 {
		code, err := gohost.File(gostub.Header, "forms", forms)
		if err != nil {
			return nil, err
		}
		files["forms/forms.go"] = string(code)
	}
	sizes := strings.Trim(strings.ReplaceAll(fmt.Sprint(SubGroups), " ", ", "), "[]")
	out, err := oracle.RunGo(ctx, files, fmt.Sprintf(groupRunner, sizes, calls.String()))
	if err != nil {
		return nil, err
	}
	var all [][]GroupRun
	if err := gob.NewDecoder(bytes.NewReader(out)).Decode(&all); err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	return all, nil
}
