package abi

import (
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/properties"
)

// Version is the version of this contract. Generated code states the version for which it was
// generated (see EnforceVersion).
const Version = 13

// EnforceVersion is a type by which generated code gets a compile error if its version differs from
// the runtime's. The compile error arises because a negative constant cannot be converted to the
// type.
//
//	const _ = abi.EnforceVersion(abi.Version - 1)
//	const _ = abi.EnforceVersion(1 - abi.Version)
type EnforceVersion uint

// Constants of the launch block, the argument block and the fault record. The package documentation
// describes these.
const (
	EntryPoint = "main"

	OffsetFault    = 0
	OffsetRange    = 8
	OffsetReserved = 20
	OffsetArgs     = 24
	MaxLaunchBlock = 128

	FaultRecordSize = 64
	// OffsetLeave is the offset in the fault record at which the host asks work-items to leave.
	OffsetLeave = 36
	// SiteCancelled is the Site in the fault record of a work-item that left because the host
	// asked.
	SiteCancelled = 1 << 30
	// OffsetEnded is the offset in the fault record of the number of a loop that the device ended
	// early. Only modules that the runtime has changed write it.
	OffsetEnded = 40

	// MinSliceAlign is the alignment of a slice's memory in bytes, if the alignment of the elements
	// is larger.
	MinSliceAlign = 16

	// MaxRange is the largest number of work-items along one dimension.
	MaxRange = 1<<31 - 1

	// MaxSmall is the largest size in a small launch, and the largest product of sizes. See
	// Variant.Products.
	MaxSmall = 1 << 28

	// MaxPointers is the largest number of pointers that the checksum of a variable's value
	// follows, one after the other.
	MaxPointers = 32

	// FactorGroups represents the number of work-groups along x in Variant.Products.
	FactorGroups = 0

	// MaxLocalSize is the largest work-group size along one dimension.
	MaxLocalSize = 1 << 16

	SpecReserved   = 0x10000
	SpecLocalSizeX = SpecReserved
	SpecLocalSizeY = SpecReserved + 1
	SpecLocalSizeZ = SpecReserved + 2
	// SpecExactDivide says that the module must correct float32 division.
	SpecExactDivide = SpecReserved + 3
	// SpecWhole says that all invocations are work-items.
	SpecWhole = SpecReserved + 4
	// SpecFused says that the device's Fma rounds once.
	SpecFused = SpecReserved + 5
	// SpecFlushed is the number of positive float32s that the device treats as zero.
	SpecFlushed = SpecReserved + 6
	// SpecSubGroup is a number that divides the sizes of sub-groups.
	SpecSubGroup = SpecReserved + 7
	SpecAccessor = SpecReserved + 0x100
	// SubnormalFloats is the number of positive subnormal float32s.
	SubnormalFloats = 1<<23 - 1
	// SpecHigh is the difference between two ids of a 64-bit constant, in modules without 64-bit
	// integers: the id of its high word and the constant's own id. See Variant.
	SpecHigh = 2 * SpecReserved
)

// Form is the form of a kernel's launches. Form follows from the type of the kernel's item.
type Form uint8

const (
	// Task is the form of a single_task, which has one work-item (dsl.Task).
	Task Form = iota
	// Range is the form of a parallel_for over a range (dsl.Item1..3).
	Range
	// NDRange is the form of a parallel_for over an nd-range (dsl.NDItem1..3).
	NDRange
)

// String returns the form's name.
func (f Form) String() string {
	return [...]string{"Task", "Range", "NDRange"}[f]
}

// Access says whether a kernel reads or writes the memory of a slice.
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
	// Value is the kind of a number, bool, array or struct without slices, passed by value.
	Value ParamKind = iota
	// Slice is the kind of a slice, passed as an address and a length.
	Slice
	// LocalAccessor is the kind of work-group memory whose size the launch sets.
	LocalAccessor
)

// String returns the kind's name.
func (k ParamKind) String() string {
	return [...]string{"Value", "Slice", "LocalAccessor"}[k]
}

// Param is one member of a kernel's receiver, after structs and arrays with slices have been
// divided into their members.
type Param struct {
	Name       string // path from the receiver, such as "In.Pos" or "Bufs[1]"
	Kind       ParamKind
	Type       string // Go type of the parameter, for people
	Offset     int    // offset in the argument block; -1 for an elided parameter
	Size       int    // number of bytes in the argument block
	HostOffset int    // offset in the receiver on amd64
	ElemSize   int    // bytes per element of a Slice or LocalAccessor
	ElemAlign  int
	Access     Access // access to the memory of a Slice
	// Footprint says which elements of a Slice each work-item uses. Footprint is set for kernels
	// that have IR.
	Footprint Footprint
	// Internal, if not 0, says that the Slice is not an argument of launches. Each work-item keeps
	// its own elements of the slice, Internal many, in variables. If the kernel's own Go code runs,
	// the slice has Internal elements for each work-item of the launch, which are zero at first.
	Internal int
}

// FaultKind is the kind of a run-time panic on a device.
type FaultKind uint8

// The kinds of faults. As in gc, the faults of slicing have different kinds, depending on the
// length or capacity with which the bound is compared.
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
	FaultCancelled              // no panic: the work-item left because the launch was cancelled
	FaultScope                  // no panic: index A of memory with the scope of a work-group is outside the group's elements, which begin at B
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

// Describe returns the text that gc prints for the run-time error, with the fault's values, but
// without the prefix "runtime error: ". If unsigned is set, a is a uint64.
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

// value is the first value of a fault.
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

// slice returns the text of a fault of slicing. As in gc, the text has no limit if the bound is
// negative.
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

// Site is a position in the source at which a kernel may fault.
type Site struct {
	Kind    FaultKind
	Pos     string // file:line:col; the file is relative to its module, or begins with its import path
	Message string // text of an explicit panic, or the argument of PanicText from which that makes the text
	// Unsigned says that the fault's value A is a uint64.
	Unsigned bool
	// Limit describes the fault's value B. A positive Limit is B itself. A negative Limit -1-i says
	// that B is the length of parameter i. Limit is 0 if neither holds for all faults of the site.
	Limit int64
	// Part is the index in Kernel.Parts of the kernel to which the site belongs.
	Part int
}

// Part is one of the kernels from which a kernel was linked.
type Part struct {
	Name string // last element of the import path, a dot and the type name
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
	// Items is the number of work-items that an invocation runs along x.
	Items int
	// Lingers says that a work-item may stay in a loop for a long time, or forever.
	Lingers bool

	Properties properties.List     // result of the Properties method, folded by kgen
	Directed   bool                // DeviceHas comes from a directive, not from the Properties method
	Aspects    []properties.Aspect // aspects that all modules of the kernel need, sorted
	Uses       []Use               // for each of Aspects, the use that needs it
	Specs      []SpecConstant
	Locals     []Local
	Privates   []Private
	Sites      []Site
	Loops      string // source positions of the loops of the module SPIRV (see the package documentation)
	// Prints lists the calls that print. PrintTexts contains the strings to which their records
	// refer.
	Prints     []PrintSite
	PrintTexts string

	// If the kernel was linked when a graph was finalized, Parts lists the kernels from which it
	// was linked, in the order in which they run. Otherwise Parts is nil. Each part has its own
	// fault record, and the records follow each other in memory.
	Parts []Part

	// Variables lists the package-level variables whose values are part of the modules, except
	// those that nothing can have changed.
	Variables []Variable

	// Data is the kernel's constant data, or "". DataOffset is the offset of the data's address in
	// the argument block.
	Data       string
	DataOffset int

	// SPIRV is the module, as little-endian words. Sum is the checksum of the module, of Data and
	// of IR, as the function [Sum] computes it. A Sum of 0 means that there is no checksum.
	SPIRV string
	Sum   uint32
	// IR is the text of kgen's intermediate representation of the kernel. From it the runtime links
	// one kernel from several, and makes the modules of variants with Variant.Make. A kernel
	// without IR is always launched alone.
	IR string
	// Variants are modules for devices that cannot run the module SPIRV.
	Variants []Variant
	// Matrices says that the kernel uses matrices of sub-groups.
	Matrices bool
	// MakeNative, if not nil, makes a module from the IR for a device with its own matrix
	// instructions.
	MakeNative func(k *Kernel, t NativeTarget) (*NativeModule, error) `json:"-"`
}

// NativeTarget is the target of a module that uses a device's own matrix instructions.
type NativeTarget struct {
	Small, Cancel bool // the module is for small launches; its work-items leave when the host asks
	Tuples        []MatrixTuple
}

// MatrixTuple is a matrix product that the sub-groups of a device compute. MatrixTuple multiplies a
// matrix of M rows and K columns by a matrix of K rows and N columns. Elem names the Go type of the
// factors' elements, such as "half.Float16". Of names the Go type of the sum's elements, such as
// "float32".
type MatrixTuple struct {
	M, N, K  int
	Elem, Of string
}

// NativeModule is a module that uses a device's own matrix instructions.
type NativeModule struct {
	Words  []uint32
	Loops  string // source positions of the module's loops, as in Kernel.Loops
	Locals []Local
}

// Use says where a kernel uses an aspect. If there are several such positions, Use is the first.
type Use struct {
	Aspect properties.Aspect
	// Chain is a chain of calls. Chain begins with the kernel, continues with the functions that
	// are called, and ends with the function that uses the aspect, or whose directive lists it.
	Chain []Frame
}

// Frame is one function in a chain of calls.
type Frame struct {
	Func string // name with the last element of its package's path, as in (*p.T).M
	Pos  string // file:line:col, as in Site, of the call of the next function, or of the use
}

// String returns the chain as text on one line.
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

// Variant is another module of a kernel. The package documentation describes variants.
type Variant struct {
	Name string
	// Without lists the aspects, sorted, that the kernel's first module uses in addition to
	// Kernel.Aspects, but this module does not.
	Without []properties.Aspect
	// Products, if not nil, limits the launches that the variant is for. Each product is a list of
	// factors. A factor is the offset in the launch block of a 64-bit argument or length, or of 32
	// bits of a dimension of GlobalRange. The factor [FactorGroups], and the two numbers above it,
	// are the number of work-groups along x, y and z. A negative factor is minus a constant. The
	// values at the offsets must be in [0, MaxSmall], and each product must be at most MaxSmall.
	Products [][]int
	// Cancel says that work-items leave when the host asks, even in the middle of a loop.
	Cancel bool
	Loops  string // source positions of the module's loops, as in Kernel.Loops
	SPIRV  string
	Sum    uint32 // checksum of the module; 0 if there is none
	// Make, if not nil, returns the words of the module, which it makes from Kernel.IR. SPIRV is
	// then empty.
	Make func(k *Kernel, v *Variant) ([]uint32, error) `json:"-"`
}

// Variable is a package-level variable whose value is part of the modules.
type Variable struct {
	Name string // import path and identifier
	Pos  string // file:line:col of the declaration, with the file as in Site
	Var  any    // pointer to the variable
	Sum  uint32 // checksum of the value (see the package documentation)
}

// Sources lists the files of the main module from which the kernels of a package were compiled.
type Sources struct {
	Module  string   // path of the main module
	Package string   // import path of the kernels' package
	Kernels []string // names of the kernels; not set in stubs of kgen's own tests
	Root    string   // path from the folder of the stubs to the module's root, with slashes
	Files   []Source
}

// String returns the names of the package and of its kernels.
func (s *Sources) String() string {
	if len(s.Kernels) == 0 {
		return s.Package
	}
	return s.Package + " (" + strings.Join(s.Kernels, ", ") + ")"
}

// Source is a source file.
type Source struct {
	File    string // path of the file from the module's root, with slashes
	Package string // name of the file's package
	Sum     uint32 // checksum of the file's tokens, as internal/sources computes it
}

// Sum returns the CRC-32 of the files, one after the other, with Castagnoli's polynomial.
func Sum(files ...string) uint32 {
	h := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	for _, f := range files {
		_, _ = io.WriteString(h, f) // writing to a hash returns no error
	}
	return h.Sum32()
}

// Damaged compares the files of the kernel with the checksums of its stubs. Damaged returns the
// name of the first file that differs, or "". The IR may have the line ends that git writes on
// Windows.
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

// The names of variants that compute in 32-bit words, that do not use sub-groups, and that have
// both of these properties.
const (
	VariantWords      = "words"
	VariantAlone      = "alone"
	VariantAloneWords = "aloneWords"
)

// VariantSmall is the name of the variant for small launches.
const VariantSmall = "small"

// VariantCancel is the name of the variant that can be cancelled. The names of other variants that
// can be cancelled begin with it.
const VariantCancel = "cancel"

// DataHeader is the beginning of Kernel.Data, by which kgen recognizes files that it wrote.
const DataHeader = "kgen table data\n"

// IRHeader is the beginning of Kernel.IR. In the IR it is a comment.
const IRHeader = "; Code generated by kgen. DO NOT EDIT.\n"

// FullName returns the kernel's package path and name.
func (k *Kernel) FullName() string { return k.Package + "." + k.Name }
