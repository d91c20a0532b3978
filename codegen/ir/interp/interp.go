// Package interp interprets modules of package ir at any level. Tests compare the results of
// compiled kernels with the results of the interpreter. The input is a module and a [Launch] with
// the argument block and the device memory. [Run] returns the device memory after the launch and
// the first fault of the launch, if any.
//
// The interpreter is slow, simple and strict. If the result of an operation is undefined in SPIR-V,
// the interpreter reports an error that names the operation.
//
// Ops without side effects are implemented in pure.go. The files atomic.go, group.go and matrix.go
// implement the ops in which work-items interact. The remaining ops are implemented in memory.go,
// vector.go and run.go.
package interp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// Region is a contiguous range of device memory.
type Region struct {
	Addr uint64
	Data []byte
}

// Launch holds the sizes, arguments and memory of a launch, and options for the interpretation. The
// elements of a three-element array in a Launch belong to the dimensions x, y and z, in this order.
type Launch struct {
	Global [3]uint32 // number of work-items; if an element is 0, the launch is empty
	Local  [3]uint32 // size of a work-group; an element 0 means 1
	// SubGroupSize is the number of work-items in a sub-group. 0 means 4.
	SubGroupSize uint32
	Args         []byte            // argument block in the format of package abi
	Specs        map[uint32]uint64 // maps the id of a specialization constant to its value; a missing constant has its default value
	Memory       []Region          // device memory; regions must not overlap, and Run does not change the regions
	// MaxSteps is the largest number of ops that all work-items together may execute. 0 means 1<<26.
	MaxSteps int64
	// Stop, if not nil, ends the run with the error [ErrStopped] as soon as the value of Stop is
	// true.
	Stop *atomic.Bool
	// LeaveAfter, if not 0, is the number of steps after which the simulated host cancels the
	// launch. To cancel a launch, the host sets the word Leave of the fault record, and work-items
	// that read the word return.
	LeaveAfter int64
	// Unfused is true if op Fma rounds the product before the addition, as some devices do.
	Unfused bool
	// Leave is true if a work-item may return before a Sync op that other work-items of its group
	// reach. Before pass deadlanes has run, kernels may contain returns before a Sync op.
	Leave bool
	// Accessed, if not nil, is called for each access of device memory. The arguments of Accessed
	// are the global id of the work-item, the op, and the address.
	Accessed func(id [3]uint32, v *ir.Value, addr uint64)
	// Checks, if not nil, enables a search for errors in the kernel, such as data races.
	Checks *Checks
}

// Fault is the decoded fault record of a launch.
type Fault struct {
	Site     *ir.Site
	A, B     int64
	GlobalID [3]uint32
}

// String describes the fault with the text of Go's run-time panics.
func (f *Fault) String() string {
	return fmt.Sprintf("%v: %s at %v", f.Site.Pos, f.Site.Kind.Describe(f.A, f.B, f.Site.Unsigned, f.Site.Message), f.GlobalID)
}

// Result holds the memory and the fault after a launch.
type Result struct {
	Memory []Region // memory after the launch, in the order of Launch.Memory
	Fault  *Fault   // nil if no work-item has faulted
	Steps  int64
}

// faultAddr and spillAddr are the addresses of the fault record and of the spilled arguments, which
// the interpreter adds to the device memory. Regions of Launch.Memory must not contain faultAddr or
// spillAddr.
const (
	faultAddr = 1 << 60
	spillAddr = faultAddr + 1<<20
)

// Run verifies the module, except for the rules of structured control flow, and then executes all
// work-groups one after another. If Run returns an error, r is the state at the time of the error.
func Run(m *ir.Module, l Launch) (r Result, err error) {
	built := *m
	built.Level = ir.Built
	if err := ir.Verify(&built); err != nil {
		return r, err
	}
	x, err := newMachine(m, l)
	if err != nil {
		return r, err
	}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case runError:
			err = e.error
		default:
			panic(e)
		}
		r.Steps = x.steps
		r.Memory = x.memory[:len(l.Memory)]
		f, ferr := x.decodeFault()
		r.Fault = f
		err = errors.Join(err, ferr)
	}()
	x.runGroups()
	return r, err
}

// ErrStopped is the error that Run returns if Launch.Stop has ended the run.
var ErrStopped = errors.New("stopped")

// runError is the panic value that ends a run with an error.
type runError struct{ error }

// launchState is the state of a launch during Run.
type launchState struct {
	m      *ir.Module
	l      Launch
	specs  map[*ir.Spec]uint64
	consts map[*ir.Value]uint64   // cached values of constant expressions
	memory []Region               // regions of Launch.Memory, then the regions that the interpreter adds
	record []byte                 // fault record
	block  []byte                 // launch block
	tables map[*ir.Var]*varMemory // memory of Private variables
	group  map[*ir.Var]*varMemory // memory of Workgroup variables of the current group
	steps  int64
	check  *checker // checker of the launch; nil if Launch.Checks is nil

	slots   []int32          // maps Value.ID to the value's slot in call frames, plus one
	values  map[*ir.Func]int // maps a function to the number of value slots in each of its call frames
	scratch []uint64         // buffer for operands
}

func newMachine(m *ir.Module, l Launch) (*launchState, error) {
	for i := range l.Local {
		l.Local[i] = max(l.Local[i], 1)
	}
	if l.SubGroupSize == 0 {
		l.SubGroupSize = 4
	}
	if l.MaxSteps == 0 {
		l.MaxSteps = 1 << 26
	}
	x := &launchState{
		m: m, l: l, specs: map[*ir.Spec]uint64{}, consts: map[*ir.Value]uint64{},
		tables: map[*ir.Var]*varMemory{}, values: map[*ir.Func]int{}, record: make([]byte, countParts(m)*abi.FaultRecordSize),
	}
	for i, r := range l.Memory {
		if r.Addr+uint64(len(r.Data)) > faultAddr || r.Addr+uint64(len(r.Data)) < r.Addr {
			return nil, fmt.Errorf("region %d ends past %#x", i, uint64(faultAddr))
		}
		for _, q := range x.memory {
			if r.Addr < q.Addr+uint64(len(q.Data)) && q.Addr < r.Addr+uint64(len(r.Data)) {
				return nil, fmt.Errorf("region %d overlaps another", i)
			}
		}
		x.memory = append(x.memory, Region{r.Addr, append([]byte(nil), r.Data...)})
	}
	x.memory = append(x.memory, Region{faultAddr, x.record})
	if m.Form == abi.NDRange || m.Form == abi.Task {
		for i, n := range l.Global {
			if n%l.Local[i] != 0 {
				return nil, fmt.Errorf("%d work-items along dimension %d are no multiple of the work-group's %d", n, i, l.Local[i])
			}
		}
	}
	for _, s := range m.Specs {
		v, ok := l.Specs[s.ID]
		switch {
		case ok:
		case s.ID >= abi.SpecLocalSizeX && s.ID <= abi.SpecLocalSizeZ:
			v = uint64(l.Local[s.ID-abi.SpecLocalSizeX])
		case s.ID == abi.SpecSubGroup:
			v = uint64(l.SubGroupSize)
		default:
			v = s.Default
		}
		x.specs[s] = maskBits(s.Type, v)
	}
	x.launchBlock()
	if l.Checks != nil {
		x.check = newChecker(m, l.Checks)
	}
	return x, nil
}

// launchBlock fills the launch block. Built and Structured modules read all arguments from the
// launch block, even arguments that a later pass moves to a buffer.
func (x *launchState) launchBlock() {
	b := binary.LittleEndian.AppendUint64(nil, faultAddr)
	for _, n := range x.l.Global {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	b = append(b, make([]byte, abi.OffsetArgs-len(b))...)
	if x.m.Spilled && x.m.Level == ir.Legal {
		x.memory = append(x.memory, Region{spillAddr, append([]byte(nil), x.l.Args...)})
		x.block = binary.LittleEndian.AppendUint64(b, spillAddr)
		return
	}
	x.block = append(b, x.l.Args...)
}

// decodeFault decodes the fault record, and returns nil if no work-item has faulted.
func (x *launchState) decodeFault() (*Fault, error) {
	le := binary.LittleEndian
	record := x.record
	for le.Uint32(record) == 0 { // each linked kernel has a fault record, and the loop finds the first record with a fault
		if record = record[abi.FaultRecordSize:]; len(record) == 0 {
			return nil, nil
		}
	}
	site := le.Uint32(record[4:])
	if site == abi.SiteCancelled {
		return &Fault{Site: &ir.Site{Kind: abi.FaultCancelled}}, nil
	}
	if site >= uint32(len(x.m.Sites)) {
		return nil, fmt.Errorf("the fault record names site %d of %d", site, len(x.m.Sites))
	}
	f := &Fault{Site: x.m.Sites[site], A: int64(le.Uint64(record[8:])), B: int64(le.Uint64(record[16:]))}
	for i := range f.GlobalID {
		f.GlobalID[i] = le.Uint32(record[24+4*i:])
	}
	return f, nil
}

// countParts returns the number of fault records of a module.
func countParts(m *ir.Module) int {
	n := 1
	for _, s := range m.Sites {
		n = max(n, s.Part+1)
	}
	return n
}

// runGroups executes all work-groups.
func (x *launchState) runGroups() {
	x.slots = make([]int32, x.m.Len()+1)
	for _, f := range append([]*ir.Func{x.m.Kernel}, x.m.Helpers...) {
		x.assignSlots(f)
	}
	for _, v := range x.m.Vars {
		if v.Storage == ir.Private {
			s := x.newStore(v)
			for i, c := range v.Init {
				s.cells[i] = cell{bits: c.Bits, set: true}
			}
			x.tables[v] = s
		}
	}
	var groups [3]uint32
	for i, n := range x.l.Global {
		per := uint64(x.l.Local[i])
		if i == 0 {
			per *= uint64(x.m.Items)
		}
		groups[i] = uint32((uint64(n) + per - 1) / per)
	}
	for z := range groups[2] {
		for y := range groups[1] {
			for g := range groups[0] {
				x.runGroup([3]uint32{g, y, z})
			}
		}
	}
}
