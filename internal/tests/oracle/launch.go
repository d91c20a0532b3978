package oracle

import (
	"encoding/binary"
	"fmt"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"unsafe"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/runtime"
)

// Launch describes a launch in the interpreter. Ranges are in the kernel's order z, y, x.
type Launch struct {
	// WholeWords makes memory end with a complete 32-bit word, as on devices. Modules that use only 32-bit
	// words, or atomic operations of 8 and 16 bits, may read the complete last word.
	WholeWords    bool
	Global, Local []int
	SubGroupSize  int
	// Arg points to the kernel's receiver. The slices of the receiver are the launch's memory, and contain
	// the results after the launch.
	Arg any
	// Specs maps the id of a specialization constant to the bits of its value. Constants that are not in
	// Specs have their defaults.
	Specs map[uint32]uint64
	// Unfused makes Fma round the product, as devices without fused operations do.
	Unfused bool
	// MaxSteps is the interpreter's limit on the number of steps.
	MaxSteps int64
	// Checks enables additional checks of the interpreter, such as the search for data races.
	Checks *interp.Checks
	// Prints is the content of the print buffer after the launch, if the kernel prints.
	Prints []byte
}

// hostRange is a contiguous piece of host memory that one or more slices of a launch use.
type hostRange struct {
	lo, hi uintptr
	addr   uint64
	data   []byte
}

// Device memory begins at firstAddr. Large gaps separate the host ranges in device memory, so that the interpreter
// detects an access outside of a range.
const (
	firstAddr = 1 << 20
	gap       = 1 << 16
	dataAddr  = 1 << 40
	printAddr = 1 << 41
)

// Run runs the kernel's module at the given point of compilation. A fault is returned as a *runtime.Fault.
// All other errors are bugs.
func (l *Launch) Run(c *Kernel, point string) error {
	m, err := c.Module(point)
	if err != nil {
		return err
	}
	// Some passes remove parameters that the kernel never reads, so the parameters come from the module.
	k := *c.ABI
	k.Params, k.ArgSize, k.DataOffset = m.Params, m.ArgSize, m.DataOffset
	arg := reflect.ValueOf(l.Arg)
	base := arg.UnsafePointer()
	in := interp.Launch{Args: make([]byte, k.ArgSize), Specs: map[uint32]uint64{}, Unfused: l.Unfused,
		SubGroupSize: uint32(l.SubGroupSize), MaxSteps: l.MaxSteps, Checks: l.Checks, Leave: !hasRun("deadlanes", point)}
	if !l.Unfused {
		in.Specs[abi.SpecFused], in.Specs[abi.SpecFused64] = 1, 1
	}
	maps.Copy(in.Specs, l.Specs)
	copy(in.Global[:], deviceOrder(l.Global))
	copy(in.Local[:], deviceOrder(l.Local))
	pieces := l.hostRanges(&k, base)
	accessors := uint32(0)
	for i := range k.Params {
		p := &k.Params[i]
		if p.IsPrint() {
			continue
		}
		at := unsafe.Add(base, p.HostOffset)
		switch p.Kind {
		case abi.LocalAccessor:
			n := memberAt(arg.Elem(), p.Name).Interface().(interface{ Len() int }).Len()
			in.Specs[abi.SpecAccessor+accessors] = uint64(n)
			accessors++
		case abi.Slice:
			s := *(*[]byte)(at) // the length of s is the number of elements, not of bytes
			if p.Offset < 0 || len(s) == 0 {
				continue
			}
			addr := uintptr(unsafe.Pointer(unsafe.SliceData(s)))
			binary.LittleEndian.PutUint64(in.Args[p.Offset+8:], uint64(len(s)))
			for _, q := range pieces {
				if q.lo <= addr && addr < q.hi {
					binary.LittleEndian.PutUint64(in.Args[p.Offset:], q.addr+uint64(addr-q.lo))
				}
			}
		default:
			if p.Offset >= 0 {
				copy(in.Args[p.Offset:][:p.Size], unsafe.Slice((*byte)(at), p.Size))
			}
		}
	}
	for _, q := range pieces {
		data := q.data
		if point == "words" || l.WholeWords {
			data = append(slices.Clone(data), make([]byte, -len(data)&3)...)
		}
		in.Memory = append(in.Memory, interp.Region{Addr: q.addr, Data: data})
	}
	if k.Data != "" {
		binary.LittleEndian.PutUint64(in.Args[k.DataOffset:], dataAddr)
		in.Memory = append(in.Memory, interp.Region{Addr: dataAddr, Data: []byte(k.Data)})
	}
	if at := k.PrintParam(); at >= 0 && k.Params[at].Offset >= 0 {
		l.Prints = make([]byte, 1<<16)
		binary.LittleEndian.PutUint64(in.Args[k.Params[at].Offset:], printAddr)
		binary.LittleEndian.PutUint64(in.Args[k.Params[at].Offset+8:], uint64(len(l.Prints)/4))
		in.Memory = append(in.Memory, interp.Region{Addr: printAddr, Data: l.Prints})
	}
	r, err := interp.Run(m, in)
	if err != nil {
		return err
	}
	if len(l.Prints) > 0 {
		l.Prints = r.Memory[len(r.Memory)-1].Data
	}
	if k.Data != "" && string(r.Memory[len(pieces)].Data) != k.Data {
		return fmt.Errorf("%s writes to its constant data", k.FullName())
	}
	for i, q := range pieces {
		copy(q.data, r.Memory[i].Data)
	}
	if r.Fault == nil {
		return nil
	}
	f := &runtime.Fault{Kernel: path.Base(k.Package) + "." + k.Name, Pos: r.Fault.Site.Pos.String(), Kind: r.Fault.Site.Kind,
		A: r.Fault.A, B: r.Fault.B, Message: r.Fault.Site.Message, Unsigned: r.Fault.Site.Unsigned && r.Fault.A < 0}
	for i := range l.Global {
		f.GlobalID = append(f.GlobalID, int(r.Fault.GlobalID[len(l.Global)-1-i]))
	}
	return f
}

// hasRun reports whether the pass with the given name has run at a point of compilation.
func hasRun(name, point string) bool {
	if point == "built" {
		return false
	}
	for _, p := range pass.Passes() {
		switch {
		case p.Name == name:
			return true
		case p.Name == point:
			return false
		}
	}
	return false
}

// hostRanges returns the host memory to which the kernel's slices point.
func (l *Launch) hostRanges(k *abi.Kernel, base unsafe.Pointer) []hostRange {
	var all []hostRange
	for i := range k.Params {
		p := &k.Params[i]
		if p.Kind != abi.Slice || p.Offset < 0 || p.IsPrint() {
			continue
		}
		s := *(*[]byte)(unsafe.Add(base, p.HostOffset))
		if n := len(s) * p.ElemSize; n > 0 {
			data := unsafe.Slice(unsafe.SliceData(s), n)
			lo := uintptr(unsafe.Pointer(unsafe.SliceData(s)))
			all = append(all, hostRange{lo: lo, hi: lo + uintptr(n), data: data})
		}
	}
	slices.SortFunc(all, func(a, b hostRange) int { return int(a.lo) - int(b.lo) })
	var out []hostRange
	addr := uint64(firstAddr)
	for _, p := range all {
		if last := len(out) - 1; last >= 0 && p.lo < out[last].hi {
			if p.hi > out[last].hi {
				out[last].hi = p.hi
				out[last].data = unsafe.Slice(unsafe.SliceData(out[last].data), p.hi-out[last].lo)
			}
			continue
		}
		p.addr = addr
		addr = (addr + uint64(p.hi-p.lo) + 2*gap) &^ (gap - 1)
		out = append(out, p)
	}
	return out
}

var step = regexp.MustCompile(`\.?([^.\[\]]+)|\[(\d+)\]`)

// memberAt returns the field or element of v at a path such as Bufs[1].Scratch.
func memberAt(v reflect.Value, path string) reflect.Value {
	for _, m := range step.FindAllStringSubmatch(path, -1) {
		if m[2] != "" {
			i, err := strconv.Atoi(m[2])
			if err != nil {
				panic(fmt.Sprintf("BUG: path %s: %v", path, err))
			}
			v = v.Index(i)
		} else {
			v = v.FieldByName(m[1])
		}
	}
	return v
}

// deviceOrder converts a range from the kernel's order z, y, x to the order x, y, z.
func deviceOrder(r []int) []uint32 {
	out := []uint32{1, 1, 1}
	for i := range r {
		out[i] = uint32(r[len(r)-1-i])
	}
	return out
}
