package abi

import (
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/properties"
)

// Version is the version of this contract. Generated code states the version it
// was written for; see EnforceVersion.
const Version = 13

// EnforceVersion is used by generated code to make a mismatch with the runtime
// a compile error: its conversion from a negative constant does not compile.
//
//	const _ = abi.EnforceVersion(abi.Version - 1)
//	const _ = abi.EnforceVersion(1 - abi.Version)
type EnforceVersion uint

// Constants of the launch block, the argument block and the fault record; see
// the package documentation.
const (
	EntryPoint = "main"

	OffsetFault    = 0
	OffsetRange    = 8
	OffsetReserved = 20
	OffsetArgs     = 24
	MaxLaunchBlock = 128

	FaultRecordSize = 64
	// OffsetLeave is where the host asks work-items to leave, in the fault record.
	OffsetLeave = 36
	// SiteCancelled is the Site of a record of a work-item that left for that.
	SiteCancelled = 1 << 30
	// OffsetEnded is where modules that the runtime changed say which loop the device
	// ended, in the fault record.
	OffsetEnded = 40

	// MinSliceAlign is the least alignment of the memory behind a slice whose
	// elements would allow more.
	MinSliceAlign = 16

	// MaxRange is the largest number of work-items along one dimension.
	MaxRange = 1<<31 - 1

	// MaxSmall is the largest size, and product of sizes, of a small launch; see
	// Variant.Products.
	MaxSmall = 1 << 28

	// MaxPointers is how many pointers deep the values of variables are looked at.
	MaxPointers = 32

	// FactorGroups stands in Variant.Products for the number of work-groups along x.
	FactorGroups = 0

	// MaxLocalSize is the largest work-group size along one dimension.
	MaxLocalSize = 1 << 16

	SpecReserved   = 0x10000
	SpecLocalSizeX = SpecReserved
	SpecLocalSizeY = SpecReserved + 1
	SpecLocalSizeZ = SpecReserved + 2
	// SpecExactDivide tells the module to correct float32 division.
	SpecExactDivide = SpecReserved + 3
	// SpecWhole tells the module that all invocations are work-items.
	SpecWhole = SpecReserved + 4
	// SpecFused tells the module that the device's Fma rounds once.
	SpecFused = SpecReserved + 5
	// SpecFlushed tells the module how many float32s the device takes for zeros.
	SpecFlushed = SpecReserved + 6
	// SpecSubGroup tells the module a size of sub-groups.
	SpecSubGroup = SpecReserved + 7
	SpecAccessor = SpecReserved + 0x100
	// SubnormalFloats is how many positive float32s are subnormal.
	SubnormalFloats = 1<<23 - 1
	// SpecHigh is added to the id of a constant of 64 bits for its high word, in
	// modules that have none; see Variant.
	SpecHigh = 2 * SpecReserved
)

// Form is the form of a kernel, as the type of its item states it.
type Form uint8

const (
	// Task is a single_task: one work-item (dsl.Task).
	Task Form = iota
	// Range is a parallel_for over a range (dsl.Item1..3).
	Range
	// NDRange is a parallel_for over an nd-range (dsl.NDItem1..3).
	NDRange
)

// String returns the form's name.
func (f Form) String() string {
	return [...]string{"Task", "Range", "NDRange"}[f]
}

// Access says what a kernel does with the memory behind a slice.
type Access uint8

const (
	Read      Access = 1 << iota // some work-item may load
	Write                        // some work-item may store or do an atomic operation
	ReadWrite = Read | Write
)

// String returns the access's name.
func (a Access) String() string {
	return [...]string{"None", "Read", "Write", "ReadWrite"}[a&3]
}

// ParamKind is the kind of a parameter.
type ParamKind uint8

const (
	// Value is a number, bool, array or struct without slices, held by value.
	Value ParamKind = iota
	// Slice is a slice: an address and a length.
	Slice
	// LocalAccessor is work-group memory sized at launch.
	LocalAccessor
)

// String returns the kind's name.
func (k ParamKind) String() string {
	return [...]string{"Value", "Slice", "LocalAccessor"}[k]
}

// Param is one leaf of a kernel's receiver.
type Param struct {
	Name       string // path from the receiver, such as "In.Pos" or "Bufs[1]"
	Kind       ParamKind
	Type       string // Go type of the leaf, for people
	Offset     int    // in the argument block, or -1 where elided
	Size       int    // bytes in the argument block
	HostOffset int    // offset in the receiver on amd64
	ElemSize   int    // bytes per element of a Slice or LocalAccessor
	ElemAlign  int
	Access     Access // of a Slice
	// Footprint says of a Slice which elements each work-item uses. It is of kernels that have IR.
	Footprint Footprint
	// Internal, if not 0, says that a Slice is no argument: a work-item keeps so many elements of
	// it, its own ones, in variables. Where the kernel's own Go runs, the slice has as many for
	// each work-item of the launch, and they are zero.
	Internal int
}

// FaultKind is the kind of a run-time panic on a device.
type FaultKind uint8

// The kinds of fault. Those of slicing differ, as gc's do, by what the bound is
// compared with.
const (
	FaultNone         FaultKind = iota
	FaultIndex                  // s[A], len B
	FaultSliceLen               // s[?:A], array, string or pointer to array of length B
	FaultSliceCap               // s[?:A], capacity B
	FaultSliceOrder             // s[A:B], A > B
	FaultSlice3Len              // s[::A], array of length B
	FaultSlice3Cap              // s[::A], capacity B
	FaultSlice3Max              // s[:A:B], A > B
	FaultSlice3Order            // s[A:B:], A > B
	FaultSliceToArray           // slice of length B converted to an array of length A
	FaultDivide                 // integer division by zero
	FaultShift                  // negative shift count A
	FaultNil                    // nil pointer dereference
	FaultPanic                  // explicit panic; Site.Message has the text
	FaultCancelled              // no panic: the work-item left since the launch was cancelled
	FaultScope                  // no panic: index A of memory with the scope of a work-group is not of the group, whose elements begin at B
)

var faultNames = [...]string{
	FaultNone:         "no fault",
	FaultIndex:        "index out of range",
	FaultSliceLen:     "slice bounds out of range",
	FaultSliceCap:     "slice bounds out of range",
	FaultSliceOrder:   "slice bounds out of range",
	FaultSlice3Len:    "slice bounds out of range",
	FaultSlice3Cap:    "slice bounds out of range",
	FaultSlice3Max:    "slice bounds out of range",
	FaultSlice3Order:  "slice bounds out of range",
	FaultSliceToArray: "cannot convert slice to array",
	FaultDivide:       "integer divide by zero",
	FaultShift:        "negative shift amount",
	FaultNil:          "invalid memory address or nil pointer dereference",
	FaultPanic:        "panic",
	FaultCancelled:    "cancelled",
	FaultScope:        "access outside of the work-group's elements",
}

// String returns the kind in gc's words.
func (k FaultKind) String() string {
	if int(k) < len(faultNames) {
		return faultNames[k]
	}
	return fmt.Sprintf("FaultKind(%d)", uint8(k))
}

// Describe prints the fault with its values as gc prints the run-time error,
// without the prefix "runtime error: ". Where unsigned is set, a is a uint64.
func (k FaultKind) Describe(a, b int64, unsigned bool, message string) string {
	x := value{a, unsigned}
	switch k {
	case FaultIndex:
		return slice("index out of range [%v]", " with length %d", x, b)
	case FaultSliceLen:
		return slice("slice bounds out of range [:%v]", " with length %d", x, b)
	case FaultSliceCap:
		return slice("slice bounds out of range [:%v]", " with capacity %d", x, b)
	case FaultSliceOrder:
		return sliceOrder("slice bounds out of range [%v:%d]", "slice bounds out of range [%v:]", x, b)
	case FaultSlice3Len:
		return slice("slice bounds out of range [::%v]", " with length %d", x, b)
	case FaultSlice3Cap:
		return slice("slice bounds out of range [::%v]", " with capacity %d", x, b)
	case FaultSlice3Max:
		return sliceOrder("slice bounds out of range [:%v:%d]", "slice bounds out of range [:%v:]", x, b)
	case FaultSlice3Order:
		return sliceOrder("slice bounds out of range [%v:%d:]", "slice bounds out of range [%v::]", x, b)
	case FaultSliceToArray:
		return fmt.Sprintf("cannot convert slice with length %d to array or pointer to array with length %d", b, a)
	case FaultPanic:
		return PanicText(message, a, b)
	case FaultScope:
		return fmt.Sprintf("index %d of %s, which has AccessScope(ScopeWorkGroup), is not of the work-group, whose elements begin at %d", a, message, b)
	}
	return k.String()
}

// value is a fault's first value.
type value struct {
	bits     int64
	unsigned bool
}

func (v value) negative() bool { return v.bits < 0 && !v.unsigned }

func (v value) String() string {
	if v.unsigned {
		return strconv.FormatUint(uint64(v.bits), 10)
	}
	return strconv.FormatInt(v.bits, 10)
}

// slice leaves the bound's limit out for negative values, as gc does.
func slice(head, tail string, a value, b int64) string {
	s := fmt.Sprintf(head, a)
	if !a.negative() {
		s += fmt.Sprintf(tail, b)
	}
	return s
}

func sliceOrder(both, one string, a value, b int64) string {
	if a.negative() {
		return fmt.Sprintf(one, a)
	}
	return fmt.Sprintf(both, a, b)
}

// Site is a place in the source that may fault.
type Site struct {
	Kind    FaultKind
	Pos     string // file:line:col; the file relative to its module, or under its import path
	Message string // text of an explicit panic, or what PanicText makes it of
	// Unsigned says that the fault's value A is a uint64.
	Unsigned bool
	// Limit says what the fault's value B is: a number above 0, or, below, -1-i for the
	// length of parameter i. It is 0 where neither is so of all faults of the site.
	Limit int64
	// Part is the index of the kernel in Parts that the site is of.
	Part int
}

// Part is a kernel that was linked with others to one.
type Part struct {
	Name string // of its package, its last element, and of its type
	Rank int
}

// Kernel describes one kernel and its module.
type Kernel struct {
	Name    string // type name
	Package string // import path of the kernel's package
	Form    Form
	Rank    int // dimensions; 0 for a Task
	Params  []Param
	ArgSize int
	Spilled bool
	// Items is the number of work-items an invocation runs along x.
	Items int
	// Lingers says that a work-item may go round in a loop for long, or for ever.
	Lingers bool

	Properties properties.List     // the folded Properties method
	Directed   bool                // whether a directive, and not that method, states DeviceHas
	Aspects    []properties.Aspect // what all of its modules need, sorted
	Uses       []Use               // why: a row for each of Aspects
	Specs      []SpecConstant
	Locals     []Local
	Privates   []Private
	Sites      []Site
	Loops      string // of the module SPIRV; see the package documentation
	// Prints are the calls that print, and PrintTexts the strings that their records refer to.
	Prints     []PrintSite
	PrintTexts string

	// Parts are the kernels that this one was linked from when a graph was finalized, in the
	// order in which they run; nil for all others. Each has a fault record of its own, one
	// behind the other.
	Parts []Part

	// Variables are the package-level variables that the modules have the values of, but
	// for those that nothing can have changed.
	Variables []Variable

	// Data is the kernel's constant data, where it has any; DataOffset is where its
	// address stands in the argument block.
	Data       string
	DataOffset int

	// SPIRV is the module, little-endian words, and Sum the checksum of it, of Data and of
	// IR, as [Sum] computes it; 0 is none.
	SPIRV string
	Sum   uint32
	// IR is the text of kgen's intermediate representation of the kernel, of which the runtime
	// makes one kernel of several, and the modules that Variant.Make is for. A kernel without it
	// is launched by itself.
	IR string
	// Variants are modules for devices that cannot take SPIRV.
	Variants []Variant
	// Matrices says that the kernel has matrices of sub-groups.
	Matrices bool
	// MakeNative, where it is not nil, makes of IR a module for a device with matrices of its own.
	MakeNative func(k *Kernel, t NativeTarget) (*NativeModule, error) `json:"-"`
}

// NativeTarget is the target of a module that uses a device's own matrices.
type NativeTarget struct {
	Small, Cancel bool // whether it is for small launches, and whether its work-items leave when they are asked to
	Tuples        []MatrixTuple
}

// MatrixTuple is a product that sub-groups of a device have: M rows of K elements by K rows of N. Elem and
// Of name the Go types of the factors' and the sum's elements, such as "half.Float16" and "float32".
type MatrixTuple struct {
	M, N, K  int
	Elem, Of string
}

// NativeModule is a module that uses a device's own matrices.
type NativeModule struct {
	Words  []uint32
	Loops  string // places of its loops, like Kernel.Loops
	Locals []Local
}

// Use says where a kernel uses an aspect. Of several places it is the first.
type Use struct {
	Aspect properties.Aspect
	// Chain begins with the kernel, goes on with the functions that are called, and
	// ends with the one that uses the aspect, or whose directive lists it.
	Chain []Frame
}

// Frame is a function in a chain of calls.
type Frame struct {
	Func string // with the last element of its package's path, as in (*p.T).M
	Pos  string // of the call of the next function, or of the use; file:line:col as of sites
}

// String prints the chain on one line.
func (u *Use) String() string {
	var b strings.Builder
	for i, f := range u.Chain {
		if i > 0 {
			b.WriteString(" → ")
		}
		b.WriteString(f.Func)
		if f.Pos != "" {
			b.WriteString(" (" + f.Pos + ")")
		}
	}
	return b.String()
}

// Variant is another module of a kernel; see the package documentation.
type Variant struct {
	Name string
	// Without are the aspects, sorted, that the kernel's first module uses beside
	// Kernel.Aspects, and that this one does without.
	Without []properties.Aspect
	// Products, if not nil, limits the launches that the variant is for: the factors
	// of each product are offsets in the launch block, of 64-bit arguments or
	// lengths, or of the 32 bits of a dimension of GlobalRange; [FactorGroups] and the
	// two numbers behind it are the number of work-groups along x, y and z; a negative
	// one is minus a constant. What stands at the offsets must be in [0, MaxSmall], and
	// each product at most MaxSmall.
	Products [][]int
	// Cancel says that work-items leave when the host asks for it, wherever they are.
	Cancel bool
	Loops  string // as Kernel.Loops
	SPIRV  string
	Sum    uint32 // checksum of the module; 0 is none
	// Make, where it is not nil, returns the words of the module, which it makes of Kernel.IR.
	// SPIRV is empty then.
	Make func(k *Kernel, v *Variant) ([]uint32, error) `json:"-"`
}

// Variable is a package-level variable whose value is part of the modules.
type Variable struct {
	Name string // import path and identifier
	Pos  string // file:line:col of its declaration, the file as in Site
	Var  any    // a pointer to it
	Sum  uint32 // of its value; see the package documentation
}

// Sources are the files of the main module that the kernels of a package were compiled
// from.
type Sources struct {
	Module  string   // its path
	Package string   // import path of the kernels' package
	Kernels []string // their names; stubs of kgen's own tests leave them out
	Root    string   // the path of the module's root from the folder of the stubs, with slashes
	Files   []Source
}

// String names the package and its kernels.
func (s *Sources) String() string {
	if len(s.Kernels) == 0 {
		return s.Package
	}
	return s.Package + " (" + strings.Join(s.Kernels, ", ") + ")"
}

// Source is a file.
type Source struct {
	File    string // its path from the module's root, with slashes
	Package string // the name of its package
	Sum     uint32 // of its tokens, as internal/sources computes it
}

// Sum returns the CRC-32, of Castagnoli's polynomial, of the files one after another.
func Sum(files ...string) uint32 {
	h := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	for _, f := range files {
		_, _ = io.WriteString(h, f) // a hash returns no errors
	}
	return h.Sum32()
}

// Damaged returns the name of the first of the files of the kernel that is not the one which
// its stubs were written with, or "". The IR may have the line ends that git writes on Windows.
func (k *Kernel) Damaged() string {
	if k.Sum != 0 && k.Sum != Sum(k.SPIRV, k.Data, k.IR) && k.Sum != Sum(k.SPIRV, k.Data, strings.ReplaceAll(k.IR, "\r\n", "\n")) {
		return k.Name + ".spv"
	}
	for i := range k.Variants {
		if v := &k.Variants[i]; v.Make == nil && v.Sum != 0 && v.Sum != Sum(v.SPIRV) {
			return k.Name + "." + v.Name + ".spv"
		}
	}
	return ""
}

// The names of variants: what computes in words of 32 bits, what does without
// sub-groups, and what does both.
const (
	VariantWords      = "words"
	VariantAlone      = "alone"
	VariantAloneWords = "aloneWords"
)

// VariantSmall is the name of the variant for small launches.
const VariantSmall = "small"

// VariantCancel is the name of the variant that can be cancelled, and begins the names of
// those that are other variants beside.
const VariantCancel = "cancel"

// DataHeader begins Kernel.Data, so that kgen knows the files that it wrote.
const DataHeader = "kgen table data\n"

// IRHeader begins Kernel.IR, a comment in it.
const IRHeader = "; Code generated by kgen. DO NOT EDIT.\n"

// FullName returns the kernel's package path and name.
func (k *Kernel) FullName() string { return k.Package + "." + k.Name }
