// Package dsl is what kernels import: work-items and their ids, work-group memory, barriers,
// group algorithms, atomics and specialization constants. Its types and functions are ordinary
// Go. What their bodies do on the host defines what they do on every device.
//
// # Kernels
//
// A kernel is an exported struct type with a method named Kernel, in an
// importable package. The fields are the kernel's arguments; the parameter of
// Kernel chooses its form:
//
//	Kernel(t dsl.Task)       single_task: runs once
//	Kernel(it dsl.Item1)     parallel_for over a range; also Item2, Item3
//	Kernel(it dsl.NDItem1)   parallel_for over an nd-range; also NDItem2, NDItem3
//
// For example
//
//	//go:generate go tool kgen .
//
//	type SAXPY struct {
//		A    float32
//		X, Y []float32
//	}
//
//	func (k SAXPY) Kernel(it dsl.Item1) {
//		i := it.GlobalID()
//		k.Y[i] += k.A * k.X[i]
//	}
//
// Slices are device memory. kgen infers from the body whether a kernel reads or writes one.
// Each work-item has its own copy of the other fields; an assignment changes only that
// copy.
//
// The work-items of a launch run in parallel, in no particular order. If two of them
// access the same element, and at least one writes it, that is a data race, unless both
// use atomic operations, or a barrier of their group separates the accesses.
//
// # Ids
//
// Ids and ranges come as Go writes array indices: the last dimension varies
// fastest.
//
//	i := it.GlobalID()          // Item1, NDItem1
//	y, x := it.GlobalID()       // Item2, NDItem2
//	z, y, x := it.GlobalID()    // Item3, NDItem3
//
// A linear id counts in the same order, so work-items with neighbouring linear
// ids differ in x. An nd-range cuts the global range into work-groups of one
// size, the local range, which divides the global range:
//
//	GlobalID == GroupID*LocalRange + LocalID    in each dimension
//
// A work-group is made of sub-groups, runs of work-items with neighbouring
// linear local ids that the device executes together. Their size is the
// device's, or what properties.SubGroupSize asks for.
//
// # Work-group memory
//
// The work-items of a group share memory in three ways: [Local] for sizes known
// when the kernel is written, [LocalSlice] for sizes set by specialization
// constants, and a [LocalAccessor] field for sizes set at each launch.
//
//	func (k Transpose) Kernel(it dsl.NDItem2) {
//		tile := dsl.Local[[16][17]float32](it) // a spare column avoids bank conflicts
//		y, x := it.GlobalID()
//		ly, lx := it.LocalID()
//		tile[ly][lx] = k.In[y*k.N+x]
//		it.Barrier()
//		gy, gx := it.GroupID()
//		k.Out[(gx*16+ly)*k.N+gy*16+lx] = tile[lx][ly]
//	}
//
// # Atomic operations and the order of memory
//
// Work-items communicate by atomic operations: the functions and types of package sync/atomic, on
// elements of slices or of work-group memory, and [AtomicAdd], [AtomicMin] and [AtomicMax], which
// support floats.
//
//	n := atomic.AddInt32(&k.Count[bin], 1)      // the new value, as in Go
//	k.Seen[i].Store(true)                       // Seen []atomic.Bool
//	dsl.AtomicAdd(&k.Sum[0], x)                 // Sum []float32
//
// They follow the Go memory model. All atomic operations of a launch behave as though
// executed in some sequentially consistent order. If one atomic operation observes the
// effect of another, then everything that the other work-item wrote before its
// operation is visible after this one; this also holds for a compare-and-swap that
// fails. Vulkan has no sequentially consistent order, so kgen makes it. Every atomic
// operation, also a load or a store, becomes a read-modify-write that acquires and
// releases, in device scope for slices and in work-group scope for work-group memory,
// so that each operation happens before the next one on its location. Two things differ
// from Go:
//
//   - The order holds within one launch. A later launch sees all that an earlier one
//     wrote. Two launches that run at the same time see each other's atomic operations
//     eventually, but in no guaranteed order.
//   - A work-item that waits in a loop may keep others from running. It may wait for
//     a step that another work-item has begun, such as the rest of a short update, but
//     not for a work-item that may not have started, nor for one of its own sub-group.
//     A lock that is held across a loop may never be released. To wait for other
//     work-items of a group, use barriers.
//
// [AtomicLoadRelaxed], [AtomicStoreRelaxed] and [AtomicAddRelaxed] do not take part in that order,
// and order no other accesses. Their loads and stores are as fast as plain accesses. A work-item
// can poll a flag by them, and read another's value after an [AtomicFence].
//
// On the host device the operations are those of package sync/atomic. There the race
// detector (go test -race) knows the order that Go's operations, barriers and group
// algorithms establish, and reports a data race between work-items with both lines.
// [AtomicFence] orders plain accesses and relaxed ones, and is seldom needed.
//
// # Launches that are cancelled
//
// On the host device a cancelled launch ends soon, whatever its work-items do. On other devices it
// ends soon if the Kernel method has a directive,
//
//	//kgen:cancel
//	func (k Search) Kernel(it dsl.Item1) {
//
// for which kgen writes further modules. Their work-items check now and then whether the
// launch was cancelled. Only launches that have a context run these modules; kernels without
// the directive run to their end.
//
// # Packages of many kernels
//
// kgen writes several modules of a kernel: variants for small launches, for devices without 64-bit
// integers, for devices without sub-groups, and for launches that may be cancelled. The doc comment
// of a package may end with a directive,
//
//	//kgen:variants load
//	package kernels
//
// for which kgen writes only the first module and the one without 64-bit integers. The runtime
// makes another module when a device first needs it, which takes some milliseconds. It is the same
// module that kgen would have written. Repositories become smaller by this. A program that imports
// such a package becomes some 3 MB larger by kgen's back half, and smaller by the modules.
//
// # Specialization constants
//
// A [SpecConstant] is a value that the host sets before the device's driver compiles
// the kernel, so that it is a constant to that compiler. It is a package-level variable:
//
//	var Tile = dsl.NewSpecConstant(16)
//
//	func (k MatMul) Kernel(it dsl.NDItem2) {
//		n := Tile.Get(it)
//		tile := dsl.LocalSlice[float32](it, n*n)
//
// and the host gives runtime.WithSpec(Tile, 32) to a launch, or sets it for all
// launches of a program. Lengths of [LocalSlice] and [PrivateAlloca], bounds of
// loops and conditions may depend on it. The driver compiles the kernel once for each
// set of values. A length is computed from specialization constants and other constants
// by arithmetic. Constants of small types have small bounds, which lets kgen remove
// checks: a radius, say, may be a uint8.
//
// # Private memory
//
// Local variables, arrays among them, are private to a work-item. [PrivateAlloca] returns a
// private slice whose length is given by specialization constants.
//
// # Kernels of kernels
//
// A kernel may call the Kernel methods of others. A slice that only carries values from one
// to the next can have a directive:
//
//	type AffineTwice struct {
//		In, Out []float32
//		Tmp     []float32 //kgen:internal
//	}
//
// kgen proves that each work-item uses only elements of its own in such a slice, and keeps
// these elements in variables, so that launches have no such argument. The slice has as many
// elements for each work-item as the kernel uses. They are zero at first. See docs/fusion.md.
//
// # Barriers and uniform control flow
//
// Barrier makes the work-items of a group (or sub-group) wait for one another
// and orders their reads and writes of work-group and device memory.
//
// Barriers, group algorithms and calls of Local and LocalSlice must stand in control
// flow that is uniform over the group: either all its work-items reach the call, or none.
// Conditions on constants, kernel fields, ranges, group ids and specialization
// constants are uniform; conditions on a work-item's own id, or on data that it alone
// has loaded, are not. An array of a work-item's own, such as a literal or the copy of a field,
// is uniform if all work-items of the group make all stores to it together, with the same
// values at the same indices. kgen proves uniformity, or rejects the call with its position.
// On the host, work-items that wait at different barriers fault with "divergent
// barriers"; a group does not wait for work-items that have returned. A work-item that
// returns early from a function which the kernel calls misses the barriers in that
// function. It goes on after the call, where it must reach no further barrier.
//
// # Group algorithms
//
// [ReduceOverGroup], [InclusiveScanOverGroup], [ExclusiveScanOverGroup],
// [AnyOfGroup], [AllOfGroup], [NoneOfGroup] and [GroupBroadcast] work over
// it.Group() or it.SubGroup(); [GroupBallot], [SelectFromGroup], [ShiftGroupLeft],
// [ShiftGroupRight] and [PermuteGroupByXor] over sub-groups.
//
//	sum := dsl.ReduceOverGroup(it.Group(), k.In[it.GlobalID()], dsl.Plus)
//	below := dsl.ExclusiveScanOverGroup(it.SubGroup(), n, dsl.Plus)
//
// Algorithms over sub-groups need the aspect properties.SubGroups. Algorithms over
// work-groups combine within the sub-groups first, which takes few barriers. On devices
// without sub-groups, and in kernels whose properties.DeviceHas does not list that aspect,
// they combine in work-group memory, with the same results and more barriers.
//
// The result of a reduction over a work-group, or of a broadcast from a uniform lane, is
// uniform, so a condition on it may decide whether a barrier is reached. So may a value
// that the kernel declares uniform by [Uniform], which costs nothing unless work-items
// have returned.
//
// # Matrices
//
// The work-items of a sub-group together hold a matrix. [LoadA], [LoadB] and [LoadAccumulator] load
// a matrix, [MulAdd] multiplies, and [StoreAccumulator] stores. docs/matrices.md has the rules.
// [Dot4] and similar functions are for one work-item.
//
// # Faults
//
// Whatever panics in Go is a fault in a kernel: an index out of range, an integer
// division by zero, an explicit panic. The work-item that faults ends, and barriers
// no longer wait for it. The others go on, and the launch reports the first fault.
// Kernels cannot recover. Deferred calls run when their function returns, but not
// after a fault, since a work-item that has faulted writes nothing more.
//
// # Finding mistakes
//
// The host device runs a kernel's own Go code, as gc compiled it. Kernels with barriers
// or group algorithms, and kernels that do little per work-item, run as a host form
// instead: Go code that kgen generated, in which a debugger finds no line of the kernel.
// With KGEN_HOST_FORM=off in the environment, and under the race detector, every kernel
// runs its own Go.
//
// The host device also finds mistakes that no compiler sees. The race detector reports a
// data race between work-items with both lines, like one between goroutines.
// The checked mode, runtime.Checked with package checked imported, reports barriers
// that work-items of a group pass differently, values given to [Uniform] that are not
// uniform, loads of work-group memory that was never written, and data races. It runs
// work-items in an order that depends on a seed and can be repeated.
//
// # Which Go
//
// A kernel and the functions that it calls may use a subset of Go. kgen rejects the rest
// with a code and a position. For example, go tool kgen explain KG203 says what KG203
// means and what to write instead.
//
// In the table, a known value is one that kgen can compute: from constants and, since kgen
// inlines all functions, from the arguments of a call. Data and ids are not known. Data may
// choose which of several functions, pointers, slices or interface values a variable
// holds. An error that may be nil is such a variable. kgen compiles each use of the variable
// once for every value that it may hold.
//
// Go does not specify when an expression reads a variable that a call in the same
// expression changes: x + f() may read x before or after the call. Kernels do as gc does,
// which calls first, except in expressions with && or ||: a device reads x first in
// x + f(b && g(&x)). Give such a call a statement of its own. If one
// statement has two faults, a device reports the leftmost, and gc possibly the other.
//
// Types:
//
//	bool                       yes
//	int8…int64, uint8…uint64   yes, on every device
//	int, uint                  yes, 64 bits on every device
//	float32, float64           yes; float64 needs an aspect of the device, except where float32 has the same result: float32(math.Sqrt(float64(x)))
//	complex64, complex128      yes
//	string                     yes: literals, parts of them, choices among them, and string(b) of bytes while nothing writes to b; strings that the device joins: KG208
//	half.Float16, …            yes, on every device, by methods; operators on them: KG209
//	arrays                     yes
//	arrays of slices, …        yes, also of pointers, functions or interfaces, with up to 32 elements and any index; slicing them at an unknown index: KG201
//	structs                    yes, embedded too
//	slices                     yes; a slice of slices, pointers or functions works as an array of them does, but not as a field: KG007
//	pointers                   yes; data may choose the variable or work-group memory that one points to, and loops may swap them; a pointer to a variable of an earlier iteration: KG203; as a field: KG007
//	functions                  yes; data may choose one of up to 32; more: KG302
//	interfaces                 yes; data may choose one of up to 32 types, nil included, which may hold arrays; more: KG302
//	generic types              yes; a generic kernel needs an alias that instantiates it: else KG005
//	maps                       no: KG207
//	channels                   no: KG104
//	uintptr                    yes, as a number
//	unsafe.Pointer             yes, to load or store a number as another type of the same size; else KG205
//
// Declarations:
//
//	constants                  yes, iota and untyped constants too
//	package-level variables    yes, if nothing writes them after their initialization, which may call functions but use no maps, math.Exp or math.Log; else KG202. A launch returns ErrInvalid if a package that kgen does not load has written one
//	functions, methods         yes, with several results, named results, variadic parameters, type parameters
//	recursion                  only through interface values that kgen knows, such as nested expressions; else KG301
//	functions without a body   no: KG303
//	local types                yes
//
// Statements:
//
//	assignments, op=, ++, --   yes
//	if, for                    yes
//	range                      yes, over numbers, arrays, slices and functions
//	range over a string        yes
//	switch, fallthrough        yes
//	type switches              yes
//	break, continue, labels    yes
//	goto                       yes; into a loop: KG101
//	return                     yes, anywhere; before a barrier too
//	go                         no: KG102
//	select, send, receive      no: KG104
//	defer                      yes, outside of loops; else KG103
//
// Expressions:
//
//	arithmetic, comparisons    yes, with Go's results; == of arrays and structs too
//	shifts                     yes, by any count; by a negative one, a fault
//	indices                    yes, checked
//	slice expressions          yes, with two or three indices; checked
//	conversions of numbers     yes
//	conversions of strings     yes: known strings to bytes and runes; other strings to bytes that are only read; bytes to a string, also in a variable, that is read before they change; else KG208
//	slices to arrays           yes
//	composite literals         yes
//	function literals          yes, with captured variables; used after the iteration that declares a captured variable: KG203
//	method values              yes
//	type assertions            yes
//
// Predeclared functions:
//
//	len, cap, min, max         yes
//	copy, clear                yes; clear of a map: KG207
//	complex, real, imag        yes
//	new                        yes
//	make                       yes, of slices whose sizes are constants, or known at each call of the helper; else KG204
//	append                     yes, within the capacity, and a fault beyond it; to a slice without capacity: KG204
//	panic                      yes, a fault with the text that gc prints, if Error or String makes no new string
//	recover                    no: KG105
//	print, println             yes, of numbers, bools and strings, to a buffer that the host writes out; of addresses: KG305
//	delete                     no: KG207
//	close                      no: KG104
//
// Packages:
//
//	dsl/math32                 yes
//	math                       yes
//	math/bits, math/cmplx      yes
//	cmp                        yes
//	bytes                      yes: functions that compare, search or trim, copies of known lengths, and Buffer within the capacity of its bytes; others that allocate: KG204, KG208
//	strings                    yes: functions that compare, search or trim, and iterators; functions that make strings: KG304
//	strconv                    yes, AppendInt, AppendUint, AppendFloat and AppendBool; Atoi, ParseInt, ParseUint and ParseFloat, but not the text of their errors; functions that make strings: KG304
//	slices                     yes; Clone, Concat, Grow and Repeat of known lengths; others that allocate: KG204
//	sort                       yes; Slice, SliceStable and SliceIsSorted: KG304
//	sync/atomic                yes, functions and types; of uintptr, pointers and Value: KG303
//	math/rand                  yes, generators of your own: New, NewSource, NewZipf; a source of NewSource takes 4.8 KiB of each work-item; the package's own functions, such as Int: KG304
//	math/rand/v2               yes, generators of your own: NewPCG, NewChaCha8, New, NewZipf; the package's own functions, such as IntN: KG304
//	unicode                    yes
//	unicode/utf8               yes
//	unicode/utf16              yes; Encode: KG204
//	iter                       yes; Pull, Pull2: KG304
//	hash/adler32, hash/crc32   yes
//	hash/crc64                 yes
//	hash/fnv                   yes
//	container/heap             yes
//	container/list             yes
//	container/ring             yes, rings of variables that Link joins; New: KG203
//	crypto/sha256, sha512      yes, the functions that sum
//	crypto/sha3                yes, Sum224 to Sum512; the others: KG304
//	crypto/aes                 yes, blocks that are encrypted and decrypted one by one
//	crypto/subtle              yes; WithDataIndependentTiming: KG304
//	crypto/md5, sha1           yes, the functions that sum; also where GODEBUG=fips140=only has the host refuse them
//	errors                     yes; Join of up to 8 errors; Unwrap of a joined error: KG304
//	encoding/binary            yes, the byte orders and varints; Read, Write, …: KG304
//	encoding/hex               yes, of bytes; strings of unknown lengths: KG204
//	encoding/base32, base64    yes, of bytes; base32's decoding of unknown lengths: KG204
//	image, image/color         yes: points, rectangles, colours and pixels; functions that allocate: KG204
//	unsafe                     no: KG205; Sizeof is a constant
//	fmt                        yes: Print, Printf and Println, to the same buffer as println; values without a fixed text: KG305; other functions: KG304
//	os, sync, time, …          no: KG304
//
// Of golang.org/x/crypto, blake2b, blake2s and chacha20 compile. Some packages, such as xxhash
// and blake2b, have assembly or unsafe code and, under the build tags purego or appengine, a
// version without. kgen compiles that version and says so. A function that has no Go body in
// any version is KG303.
//
// # Package math
//
// kgen compiles the functions of package math from their Go code, as on a port without
// assembly. A kernel of the mode properties.FloatExact gets the bits of that code on every
// device. On the host, gc replaces some functions by assembly or instructions. Exact ones
// give the same bits. The others, and the functions that call them (Pow, Sinh, Log10,
// Gamma, …), may differ from the device in the last bits; on amd64, Log and Log10 of
// subnormal numbers differ in all bits, since that assembly does not support them:
//
//	port       assembly with other bits     exact assembly or instructions
//	amd64      Exp, Log, Hypot              Floor, Ceil, Trunc, Max, Min, Sqrt, FMA
//	386        Hypot                        Floor, Ceil, Trunc, Sqrt
//	arm64      Exp, Exp2                    Floor, Ceil, Trunc, Max, Min, Sqrt, FMA
//	loong64    Exp, Exp2                    Floor, Ceil, Trunc, Max, Min, Sqrt, FMA
//	ppc64x     none                         Floor, Ceil, Trunc, Sqrt, FMA
//	riscv64    none                         Floor, Ceil, Trunc, Max, Min, Sqrt, FMA
//	wasm       none                         Floor, Ceil, Trunc, Sqrt
//	s390x      most of the package          Floor, Ceil, Trunc, Max, Min, Sqrt, FMA
//
// Besides, gc fuses x*y + z into one rounding on arm64, loong64, ppc64x, riscv64
// and s390x, as the language allows, and on amd64 only with GOAMD64=v3 or above.
//
// A NaN is a NaN on every device, but the sign and payload of one that arithmetic, a
// conversion, negation or Abs produces depend on the device: NVIDIA's GPUs give 0x7fffffff
// where others keep an operand's bits. Loads, stores and Float32bits keep all bits.
package dsl
