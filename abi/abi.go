package abi

import (
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/properties"
)

// Version is the version of this contract. Generated code states the ABI version for which it was generated (see
// EnforceVersion).
const Version = 13

// EnforceVersion stops the compilation of code that was generated for another ABI version than
// Version. Generated code contains the following declarations. If the versions differ, one
// declaration converts a negative constant to an unsigned type, which is a compile error:
//
//	const _ = abi.EnforceVersion(abi.Version - 1)
//	const _ = abi.EnforceVersion(1 - abi.Version)
type EnforceVersion uint

// Constants of the launch block, the argument block and the fault record. The package documentation
// describes the launch block, the argument block and the fault record.
const (
	EntryPoint = "main"

	OffsetFault    = 0
	OffsetRange    = 8
	OffsetReserved = 20
	OffsetArgs     = 24
	MaxLaunchBlock = 128

	FaultRecordSize = 64
	// OffsetLeave is the offset of the word Leave in the fault record. The host sets the word Leave
	// to ask work-items to end.
	OffsetLeave = 36
	// SiteCancelled is the value of Site in a fault record after a work-item ended because the host cancelled the
	// launch.
	SiteCancelled = 1 << 30
	// OffsetEnded is the offset of the word Ended in the fault record. The word Ended is the number
	// of a loop that the device ended early. Only modules that the runtime has changed write the
	// word Ended.
	OffsetEnded = 40

	// MinSliceAlign is an alignment in bytes. The memory of a slice is aligned to MinSliceAlign or
	// to the alignment of the slice's elements, whichever is smaller.
	MinSliceAlign = 16

	// MaxRange is the largest number of work-items along one dimension.
	MaxRange = 1<<31 - 1

	// MaxSmall is the largest size, and the largest product of sizes, in a launch that uses the
	// variant VariantSmall. See Variant.Products.
	MaxSmall = 1 << 28

	// MaxPointers is the largest number of nested pointers that are followed to compute the
	// checksum of a variable.
	MaxPointers = 32

	// FactorGroups is the factor in Variant.Products that represents the number of work-groups
	// along x.
	FactorGroups = 0

	// MaxLocalSize is the largest work-group size along one dimension.
	MaxLocalSize = 1 << 16

	SpecReserved   = 0x10000
	SpecLocalSizeX = SpecReserved
	SpecLocalSizeY = SpecReserved + 1
	SpecLocalSizeZ = SpecReserved + 2
	// SpecExactDivide is the id of a Bool, which is true if the module must correct float32 division.
	SpecExactDivide = SpecReserved + 3
	// SpecWhole is the id of a Bool, which is true if all invocations are work-items.
	SpecWhole = SpecReserved + 4
	// SpecFused is the id of a Bool, which is true if the device's Fma rounds once.
	SpecFused = SpecReserved + 5
	// SpecFlushed is the id of the number of positive float32s that the device treats as zero.
	SpecFlushed = SpecReserved + 6
	// SpecSubGroup is the id of a number that is a divisor of the sizes of sub-groups.
	SpecSubGroup = SpecReserved + 7
	// SpecFused64 is the id of a Bool, which is true if the device's Fma of float64s rounds once.
	SpecFused64  = SpecReserved + 8
	SpecAccessor = SpecReserved + 0x100
	// SubnormalFloats is the number of positive subnormal float32s.
	SubnormalFloats = 1<<23 - 1
	// In modules without 64-bit integers, a 64-bit constant consists of two 32-bit words. The specialization id of the
	// high word is the constant's id plus SpecHigh. See Variant.
	SpecHigh = 2 * SpecReserved
)

// Form says how a kernel is launched: as a task, over a range or over an nd-range. The type of the
// kernel's item determines the Form.
type Form uint8

const (
	// Task is the Form of a single_task, which has one work-item (dsl.Task).
	Task Form = iota
	// Range is the Form of a parallel_for over a range, whose item type is dsl.Item1, dsl.Item2 or dsl.Item3.
	Range
	// NDRange is the Form of a parallel_for over an nd-range, whose item type is dsl.NDItem1, dsl.NDItem2 or
	// dsl.NDItem3.
	NDRange
)

// String returns the name of the Form.
func (f Form) String() string {
	return [...]string{"Task", "Range", "NDRange"}[f]
}

// Access says whether a kernel reads or writes the memory of a slice.
type Access uint8

const (
	Read      Access = 1 << iota // some work-item may load elements
	Write                        // some work-item may store elements, or change elements by atomic operations
	ReadWrite = Read | Write
)

// String returns the access's name.
func (a Access) String() string {
	return [...]string{"None", "Read", "Write", "ReadWrite"}[a&3]
}

// ParamKind says how a launch passes a parameter.
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

// Param is one member of a kernel's receiver. Structs and arrays that contain slices are divided into several Params.
type Param struct {
	Name       string // path from the receiver, such as "In.Pos" or "Bufs[1]"
	Kind       ParamKind
	Type       string // Go type of the parameter, for diagnostics
	Offset     int    // offset in the argument block; -1 for an elided parameter
	Size       int    // number of bytes in the argument block
	HostOffset int    // byte offset in the receiver on amd64
	ElemSize   int    // bytes per element of a Slice or LocalAccessor
	ElemAlign  int
	Access     Access // access to the memory of a Slice
	// For a Slice, Footprint describes the elements that each work-item uses. Footprint is set for
	// kernels that have IR.
	Footprint Footprint
	// Internal is the number of elements of an internal slice that each work-item keeps in
	// variables. For a parameter that is not an internal slice, Internal is 0. An internal slice is
	// not an argument of launches. If the kernel's Go code runs instead of a module, an internal
	// slice has Internal elements for each work-item of the launch. The elements of an internal
	// slice are initially zero.
	Internal int
}

// FaultKind is the kind of a run-time panic on a device.
type FaultKind uint8

// The kinds of faults. As in gc, the kind of a fault in a slice expression depends on the limit of
// the bound, which is a length or a capacity.
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
	FaultCancelled              // no panic: the work-item ended because the launch was cancelled
	FaultScope                  // no panic: index A is not in the work-group's range of elements, which begins at index B
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

// String returns gc's text for the kind of fault.
func (k FaultKind) String() string {
	if int(k) < len(faultNames) {
		return faultNames[k]
	}
	return fmt.Sprintf("FaultKind(%d)", uint8(k))
}

// Describe returns the text that gc prints for the run-time error, with the fault's values, but without the prefix
// "runtime error: ". If parameter `unsigned` is true, parameter `a` is a uint64.
func (k FaultKind) Describe(a, b int64, unsigned bool, message string) string {
	x := faultValue{a, unsigned}
	switch k {
	case FaultIndex:
		return sliceText("index out of range [%v]", " with length %d", x, b)
	case FaultSliceLen:
		return sliceText("slice bounds out of range [:%v]", " with length %d", x, b)
	case FaultSliceCap:
		return sliceText("slice bounds out of range [:%v]", " with capacity %d", x, b)
	case FaultSliceOrder:
		return sliceOrder("slice bounds out of range [%v:%d]", "slice bounds out of range [%v:]", x, b)
	case FaultSlice3Len:
		return sliceText("slice bounds out of range [::%v]", " with length %d", x, b)
	case FaultSlice3Cap:
		return sliceText("slice bounds out of range [::%v]", " with capacity %d", x, b)
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

// faultValue is the first value of a fault. The first value is a signed or an unsigned integer.
type faultValue struct {
	bits     int64
	unsigned bool
}

func (v faultValue) negative() bool { return v.bits < 0 && !v.unsigned }

func (v faultValue) String() string {
	if v.unsigned {
		return strconv.FormatUint(uint64(v.bits), 10)
	}
	return strconv.FormatInt(v.bits, 10)
}

// sliceText returns the text of a fault in a slice expression. If the bound in the slice expression
// is negative, sliceText omits the length or capacity, as gc does.
func sliceText(head, tail string, a faultValue, b int64) string {
	s := fmt.Sprintf(head, a)
	if !a.negative() {
		s += fmt.Sprintf(tail, b)
	}
	return s
}

func sliceOrder(both, one string, a faultValue, b int64) string {
	if a.negative() {
		return fmt.Sprintf(one, a)
	}
	return fmt.Sprintf(both, a, b)
}

// Site is a position in the source at which a kernel may fault.
type Site struct {
	Kind    FaultKind
	Pos     string // file:line:col; the file name is relative to the root of its module, or begins with the package's import path
	Message string // text of an explicit panic, or the argument that PanicText converts to the text
	// Unsigned is true if the fault's value A is a uint64.
	Unsigned bool
	// Limit describes the fault's value B. A positive Limit is the value B itself. A negative Limit
	// -1-i means that B is the length of parameter i. Limit is 0 if B may differ between faults of
	// the site.
	Limit int64
	// Part is an index in Kernel.Parts. The site belongs to the kernel at this index.
	Part int
}

// Part describes one of several kernels that were linked into one kernel.
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
	// Lingers is true if a work-item may stay in a loop for a long time, or forever.
	Lingers bool

	Properties properties.List     // result of the Properties method, folded by kgen
	Directed   bool                // whether the property DeviceHas comes from a directive, not from the Properties method
	Aspects    []properties.Aspect // aspects that all modules of the kernel need, sorted
	Uses       []Use               // one use of each aspect, in the order of Aspects
	Specs      []SpecConstant
	Locals     []Local
	Privates   []Private
	Sites      []Site
	Loops      string // source positions of the loops of the module SPIRV (see the package documentation)
	// Prints lists the kernel's calls of print functions. PrintTexts contains strings. Records in the print buffer
	// refer to these strings.
	Prints     []PrintSite
	PrintTexts string

	// The runtime links several kernels into one kernel when it finalizes a graph. For a linked
	// kernel, Parts lists the original kernels in the order in which they run. For a kernel that
	// was not linked, Parts is nil. Each of the linked kernels has a separate fault record, and the
	// fault records follow each other in memory.
	Parts []Part

	// Variables lists the package-level variables whose values are part of the modules. Variables omits variables that
	// no code can change.
	Variables []Variable

	// Data is the kernel's constant data, or "". DataOffset is the offset of the data's address in the argument block.
	Data       string
	DataOffset int

	// SPIRV is the kernel's first module, as little-endian words. Sum is the checksum of SPIRV, Data and IR, as
	// computed by the function [Sum]. If Sum is 0, the kernel has no checksum.
	SPIRV string
	Sum   uint32
	// IR is the text of kgen's intermediate representation of the kernel. The runtime needs the IR to link several
	// kernels into one, and to make modules with Variant.Make. A kernel without IR is never linked with other kernels.
	IR string
	// Variants are modules for devices that cannot run the module SPIRV.
	Variants []Variant
	// Matrices is true if the kernel uses matrices of sub-groups.
	Matrices bool
	// MakeNative, if not nil, makes a module from the IR for a device that has matrix instructions.
	MakeNative func(k *Kernel, t NativeTarget) (*NativeModule, error) `json:"-"`
}

// NativeTarget is the input for a module that uses matrix instructions. NativeTarget describes the module's device and
// launches.
type NativeTarget struct {
	Small, Cancel bool // whether the module is only for launches with small sizes, like VariantSmall; whether work-items end when the host cancels the launch
	Tuples        []MatrixTuple
}

// MatrixTuple is a kind of matrix product for which a device has an instruction. MatrixTuple multiplies a matrix of M
// rows and K columns by a matrix of K rows and N columns. Elem is the Go type of the elements of both factors, such as
// "half.Float16". Field Of is the Go type of the result's elements, such as "float32".
type MatrixTuple struct {
	M, N, K  int
	Elem, Of string
}

// NativeModule is a module that uses the matrix instructions of a device.
type NativeModule struct {
	Words  []uint32
	Loops  string // source positions of the module's loops, as in Kernel.Loops
	Locals []Local
}

// Use describes the position at which a kernel uses an aspect. If a kernel uses an aspect at
// several positions, Use describes the first position.
type Use struct {
	Aspect properties.Aspect
	// Chain is the list of calls that lead to the use. Chain begins with the kernel, and each
	// function in Chain calls the next function. The last function of Chain uses the aspect, or has
	// a directive that lists the aspect.
	Chain []Frame
}

// Frame is one function in a chain of calls.
type Frame struct {
	Func string // function name, qualified with the last element of the package's path, as in (*p.T).M
	Pos  string // position of the call of the next function, or of the use, in the format file:line:col (see Site)
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

// Variant is one of a kernel's modules, other than the first module. The package documentation
// describes variants.
type Variant struct {
	Name string
	// Without is a sorted list of aspects that the variant does not use. Each aspect in Without is
	// used by the kernel's first module, but is not in Kernel.Aspects.
	Without []properties.Aspect
	// Products, if not nil, limits the launches that may use the variant. Each product is a list of
	// factors. A positive factor is an offset in the launch block, and represents the value at this
	// offset. The value at the offset of a factor is a 64-bit argument, a 64-bit length or a 32-bit
	// dimension of GlobalRange. The factors [FactorGroups], FactorGroups+1 and FactorGroups+2
	// represent the numbers of work-groups along x, y and z. A negative factor -c represents the
	// constant c. A launch may use the variant if the value at each offset is in [0, MaxSmall] and
	// each product is at most MaxSmall.
	Products [][]int
	// If Cancel is true, work-items end when the host cancels the launch, even in the middle of a loop.
	Cancel bool
	Loops  string // source positions of the module's loops, as in Kernel.Loops
	SPIRV  string
	Sum    uint32 // checksum of the module; 0 if the module has no checksum
	// Make, if not nil, makes the module from Kernel.IR and returns the words of the module. In a
	// Variant with Make, SPIRV is empty.
	Make func(k *Kernel, v *Variant) ([]uint32, error) `json:"-"`
}

// Variable is a package-level variable whose value is part of the modules.
type Variable struct {
	Name string // import path and identifier
	Pos  string // file:line:col of the declaration, with the file as in Site
	Var  any    // pointer to the variable
	Sum  uint32 // checksum of the value (see the package documentation)
}

// Sources lists the source files of a package's kernels. Only files of the main module are listed.
type Sources struct {
	Module  string   // path of the main module
	Package string   // import path of the kernels' package
	Kernels []string // names of the kernels; nil in the stubs for kgen's tests
	Root    string   // relative path from the folder of the stubs to the module's root, with slashes
	Files   []Source
}

// String returns the import path of the package and the names of its kernels.
func (s *Sources) String() string {
	if len(s.Kernels) == 0 {
		return s.Package
	}
	return s.Package + " (" + strings.Join(s.Kernels, ", ") + ")"
}

// Source identifies a source file and its contents.
type Source struct {
	File    string // path of the file from the module's root, with slashes
	Package string // name of the file's package
	Sum     uint32 // checksum of the file's tokens, as internal/sources computes it
}

// Sum returns the CRC-32, with Castagnoli's polynomial, of the concatenated files.
func Sum(files ...string) uint32 {
	h := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	for _, f := range files {
		_, _ = io.WriteString(h, f) // writing to a hash returns no error
	}
	return h.Sum32()
}

// Damaged compares the files of the kernel with the checksums in the kernel's stubs. Damaged
// returns the name of the first file with a different checksum, or "" if there is no such file. The
// checksum of the IR is independent of line ends, because git may change them on Windows.
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

// These constants are the names of variants for devices that lack some aspects. VariantWords
// computes in 32-bit words, VariantAlone does not use sub-groups, and VariantAloneWords has both
// properties.
const (
	VariantWords      = "words"
	VariantAlone      = "alone"
	VariantAloneWords = "aloneWords"
)

// VariantSmall is the name of the variant for launches with small sizes.
const VariantSmall = "small"

// VariantCancel is the name of the variant that can be cancelled. The names of all other variants
// that can be cancelled begin with VariantCancel.
const VariantCancel = "cancel"

// DataHeader is the text at the beginning of Kernel.Data. kgen recognizes its own data files by
// this text.
const DataHeader = "kgen table data\n"

// IRHeader is the text at the beginning of Kernel.IR. In the syntax of the IR, IRHeader is a
// comment.
const IRHeader = "; Code generated by kgen. DO NOT EDIT.\n"

// FullName returns the kernel's package path and name.
func (k *Kernel) FullName() string { return k.Package + "." + k.Name }
