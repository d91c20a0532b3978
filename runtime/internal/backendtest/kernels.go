package backendtest

import (
	"embed"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// The variable `modules` contains the modules of the test kernels. The command `make shaders`
// compiles them from the .comp files in the same directory.
//
//go:embed testdata/*.spv
var modules embed.FS

func kernel(name string, form abi.Form, rank, argSize int, params ...abi.Param) *abi.Kernel {
	for i := range params {
		p := &params[i]
		p.HostOffset = p.Offset
		if p.Kind == abi.Slice {
			p.Size, p.ElemSize, p.ElemAlign = 16, 4, 4
		}
	}
	k := &abi.Kernel{Name: name, Package: "backendtest", Form: form, Rank: rank, Params: params, ArgSize: argSize, Items: 1}
	k.Spilled = abi.OffsetArgs+argSize > abi.MaxLaunchBlock
	return k
}

func slice(name string, off int, access abi.Access) abi.Param {
	return abi.Param{Name: name, Kind: abi.Slice, Type: "[]uint32", Offset: off, Access: access}
}

func value(name, typ string, off, size int) abi.Param {
	return abi.Param{Name: name, Kind: abi.Value, Type: typ, Offset: off, Size: size}
}

// The variable `kernels` maps names to the kernels of the suite. Backend.MakeKernel must support
// all these kernels.
var kernels = map[string]*abi.Kernel{
	// y[i] = value
	"fill": kernel("fill", abi.Range, 1, 24, slice("Y", 0, abi.Write), value("Value", "uint32", 16, 4)),
	// y[i] += a * x[i], where the product is rounded before the addition
	"saxpy": kernel("saxpy", abi.Range, 1, 40, slice("X", 0, abi.Read), slice("Y", 16, abi.ReadWrite), value("A", "float32", 32, 4)),
	// x[i]++
	"increment": kernel("increment", abi.Range, 1, 16, slice("X", 0, abi.ReadWrite)),
	// A work-item with i < First sets x[i] = i. All other work-items fault at site 0, with the
	// index i+len(x).
	"fault": kernel("fault", abi.Range, 1, 24, slice("X", 0, abi.Write), value("First", "uint32", 16, 4)),
	// out[i] = t[i%40], with arguments that are too large for the launch block
	"table": kernel("table", abi.Range, 1, 176, slice("Out", 0, abi.Write), value("T", "[40]uint32", 16, 160)),
	// x[i] += i+1, where i is the linear index; two dimensions, with work-groups of one work-item
	"rows": kernel("rows", abi.NDRange, 2, 16, slice("X", 0, abi.ReadWrite)),
	// x[i] *= F, where F is the specialization constant with ID 7 and default 2
	"scale": kernel("scale", abi.Range, 1, 16, slice("X", 0, abi.ReadWrite)),
	// x[i] = x[i]*1664525 + 1013904223, n times for each i
	"chain": kernel("chain", abi.Range, 1, 24, slice("X", 0, abi.ReadWrite), value("N", "uint32", 16, 4)),
}

func init() {
	kernels["fault"].Sites = []abi.Site{{Kind: abi.FaultIndex, Pos: "fault.go:1:1"}}
	kernels["scale"].Specs = []abi.SpecConstant{{ID: 7, Name: "backendtest.Factor", Type: "uint32", Size: 4, Default: 2}}
}

// Desc describes the named kernel, without the data that only the host backend needs. Work-groups
// have 64 work-items along x, or a single work-item for a kernel over an nd-range.
func Desc(name string) hal.PipelineDesc {
	k := kernels[name]
	if k == nil {
		panic("backendtest has no kernel " + name)
	}
	d := hal.PipelineDesc{Kernel: k, SPIRV: Module(name), LocalSize: [3]uint32{64, 1, 1}}
	if k.Form == abi.NDRange {
		d.LocalSize = [3]uint32{1, 1, 1}
	}
	for i, n := range d.LocalSize {
		d.Specs = append(d.Specs, hal.SpecValue{ID: abi.SpecLocalSizeX + uint32(i), Size: 4, Bits: uint64(n)})
	}
	for _, s := range k.Specs {
		d.Specs = append(d.Specs, hal.SpecValue{ID: s.ID, Size: s.Size, Bits: s.Default})
	}
	return d
}

// Module returns the SPIR-V module of the named kernel.
func Module(name string) []uint32 {
	b, err := modules.ReadFile(fmt.Sprintf("testdata/%s.spv", name))
	if err != nil {
		panic(err)
	}
	words := make([]uint32, len(b)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return words
}

// Span is a slice argument of uint32 or float32.
type Span struct {
	Mem hal.Memory
	Off uint64
	Len int
}

// Launch returns a command that launches n work-items of the pipeline p. Each argument is a Span, a
// uint32, a float32 or a [40]uint32. The arguments are in the order of k's parameters.
func Launch(p hal.Pipeline, k *abi.Kernel, n int, args ...any) hal.Command {
	c := hal.Command{Op: hal.OpLaunch, Pipeline: p, Args: make([]byte, k.ArgSize),
		Global: [3]uint32{uint32(n), 1, 1}, Groups: [3]uint32{uint32((n + 63) / 64), 1, 1}}
	le := binary.LittleEndian
	for i, a := range args {
		at := c.Args[k.Params[i].Offset:]
		switch a := a.(type) {
		case Span:
			le.PutUint64(at, a.Mem.Address()+a.Off)
			le.PutUint64(at[8:], uint64(a.Len))
			c.Slices = append(c.Slices, hal.SliceArg{Param: i, Memory: a.Mem, Offset: a.Off, Len: a.Len})
		case uint32:
			le.PutUint32(at, a)
		case float32:
			le.PutUint32(at, math.Float32bits(a))
		case [40]uint32:
			for j, v := range a {
				le.PutUint32(at[4*j:], v)
			}
		default:
			panic(fmt.Sprintf("argument of type %T", a))
		}
	}
	return c
}
