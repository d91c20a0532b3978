// Package dsl is the package that kernels import. Package dsl has work-items and their ids,
// work-group memory, barriers, group algorithms, atomics and specialization constants. All types
// and functions of dsl are ordinary Go. The code of dsl also runs on the host, and defines the
// results on every device.
//
// # Kernels
//
// A kernel is an exported struct type with a method named Kernel, in an importable package. The
// fields of the struct are the kernel's arguments. The type of the method's parameter says how many
// work-items a launch has:
//
//	Kernel(t dsl.Task)       as SYCL's single_task, runs once.
//	Kernel(it dsl.Item1)     as SYCL's parallel_for over a range, also with Item2 and Item3.
//	Kernel(it dsl.NDItem1)   as SYCL's parallel_for over an nd-range, also with NDItem2 and NDItem3.
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
// Slices are device memory. kgen infers from the body whether a kernel reads or writes a slice.
// Each work-item has its own copy of each field that is not a slice, and an assignment to the field
// changes only the work-item's copy.
//
// The work-items of a launch run in parallel, in no particular order. If different work-items
// access the same element, and at least one of them writes it, the accesses are a data race. There
// is no data race if all accesses to the element are atomic, or if a barrier of the work-items'
// group separates them.
//
// # Ids
//
// Ids and ranges have the order of array indices in Go, so the last dimension varies
// fastest.
//
//	i := it.GlobalID()          // Item1, NDItem1
//	y, x := it.GlobalID()       // Item2, NDItem2
//	z, y, x := it.GlobalID()    // Item3, NDItem3
//
// A linear id counts in the same order, so work-items with neighbouring linear ids differ in x. An
// nd-range divides the global range into work-groups of equal size. In each dimension, the global
// range is a multiple of the size of work-groups, which is called the local range:
//
//	GlobalID == GroupID*LocalRange + LocalID    in each dimension
//
// A work-group consists of sub-groups. The device executes the work-items of a sub-group together,
// and their linear local ids are consecutive. The device chooses the size of sub-groups, unless the
// kernel sets properties.SubGroupSize.
//
// # Work-group memory
//
// The work-items of a group share work-group memory. Use [Local] for sizes known when the kernel is
// written, [LocalSlice] for sizes set by specialization constants, and a [LocalAccessor] field for
// sizes set at each launch.
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
// Work-items communicate by atomic operations on elements of slices or of work-group memory. Atomic
// operations are the functions and types of package sync/atomic, and [AtomicAdd], [AtomicMin] and
// [AtomicMax], which support floats.
//
//	n := atomic.AddInt32(&k.Count[bin], 1)      // the new value, as in Go
//	k.Seen[i].Store(true)                       // Seen []atomic.Bool
//	dsl.AtomicAdd(&k.Sum[0], x)                 // Sum []float32
//
// Atomic operations follow the Go memory model. All atomic operations of a launch behave as though
// executed in some sequentially consistent order. If an atomic operation observes the effect of
// another work-item's atomic operation, all earlier writes of that work-item become visible. The
// writes become visible even if the observing operation is a compare-and-swap that fails. Vulkan
// has no sequentially consistent order, so kgen establishes one. Every atomic operation, also a
// load or a store, becomes a read-modify-write that acquires and releases. The scope of the
// operation is the device, or the work-group for work-group memory. So each atomic operation
// happens before the next atomic operation on the same location. The memory model of kernels
// differs from Go's memory model in two points:
//
//   - Only the atomic operations of one launch have a common order. A later launch sees all writes
//     of an earlier launch. Two launches that run at the same time see each other's atomic
//     operations eventually, but in no guaranteed order.
//   - A work-item that waits in a loop may keep others from running. The loop may wait for the end
//     of a short update that another work-item has begun. But the loop must not wait for a
//     work-item that may not have started, or that is in the same sub-group. If a work-item holds a
//     lock during a loop, it is possible that the lock is never released. To wait for other
//     work-items of a group, use barriers.
//
// [AtomicLoadRelaxed], [AtomicStoreRelaxed] and [AtomicAddRelaxed] are not part of the sequentially
// consistent order, and do not order other accesses. Relaxed loads and stores are as fast as plain
// accesses. With relaxed operations a work-item can poll a flag, and read another work-item's value
// after an [AtomicFence].
//
// On the host device atomic operations run as operations of package sync/atomic. The race detector
// (go test -race) uses the order that Go's operations, barriers and group algorithms establish. For
// a data race between work-items, the detector reports the lines of both accesses. [AtomicFence]
// orders plain and relaxed accesses, and is seldom needed.
//
// # Launches that are cancelled
//
// On the host device a cancelled launch always ends soon. On other devices a cancelled launch ends
// soon if the Kernel method has this directive:
//
//	//kgen:cancel
//	func (k Search) Kernel(it dsl.Item1) {
//
// With the directive, kgen also writes cancellable modules. The work-items of a cancellable module
// sometimes check whether the launch was cancelled. Only launches that have a context run
// cancellable modules. Kernels without the directive kgen:cancel run to their end.
//
// # Packages of many kernels
//
// kgen writes several modules of a kernel. The variants of the first module are for small launches, for devices without
// 64-bit integers or without sub-groups, and for launches that may be cancelled. The doc comment of
// a package may end with this directive:
//
//	//kgen:variants load
//	package kernels
//
// With the directive, kgen writes only the first module and the variant without 64-bit integers.
// The runtime makes any other variant when a device first needs the variant, which takes some
// milliseconds. The variant is identical to the module that kgen writes without the directive. The
// directive kgen:variants makes repositories smaller. A program that imports such a package
// contains fewer modules, but also the second half of kgen's compiler (some 3 MB).
//
// # Specialization constants
//
// A [SpecConstant] is a value that the host sets before the device's driver compiles the kernel, so
// the driver's compiler sees a constant. In Go, a SpecConstant is a package-level variable:
//
//	var Tile = dsl.NewSpecConstant(16)
//
//	func (k MatMul) Kernel(it dsl.NDItem2) {
//		n := Tile.Get(it)
//		tile := dsl.LocalSlice[float32](it, n*n)
//
// The host passes runtime.WithSpec(Tile, 32) to a launch, or sets the constant for all launches of
// a program. Specialization constants may determine the lengths of [LocalSlice] and [PrivateAlloca],
// loop bounds and conditions. The driver compiles the kernel once for each set of values. A length
// is computed from specialization constants and other constants by arithmetic. A constant of a small
// type, such as a radius of type uint8, has small bounds, so kgen can remove checks.
//
// # Private memory
//
// Local variables, arrays among them, are private to a work-item. [PrivateAlloca] returns a
// private slice whose length is given by specialization constants.
//
// # Kernels of kernels
//
// A kernel may call the Kernel methods of other kernels. A slice that only carries values from one
// call to the next can have a directive:
//
//	type AffineTwice struct {
//		In, Out []float32
//		Tmp     []float32 //kgen:internal
//	}
//
// kgen proves that each work-item uses only its own elements of an internal slice. kgen keeps these
// elements in variables, so launches have no argument for the slice. An internal slice has as many
// elements for each work-item as the kernel uses. All elements of an internal slice are zero at the
// start. See docs/fusion.md.
//
// # Barriers and uniform control flow
//
// Barrier makes the work-items of a group (or sub-group) wait for one another
// and orders their reads and writes of work-group and device memory.
//
// Barriers, group algorithms and calls of Local and LocalSlice must be in control flow that is
// uniform over the group. Control flow is uniform if either all work-items of the group reach the
// call, or none of them. Conditions on constants, kernel fields, ranges, group ids and
// specialization constants are uniform. Conditions on a work-item's own id, or on data that no
// other work-item has loaded, are not uniform. A private array, such as a literal or the copy of a
// field, is uniform if all work-items of the group execute all stores to the array together, with
// the same values at the same indices. kgen proves uniformity, or rejects the call and reports its
// position. On the host, work-items that wait at different barriers fault with "divergent
// barriers". A group does not wait for work-items that have returned. If a work-item returns early
// from a function that the kernel calls, it misses the barriers in that function. After the call, a
// work-item that has missed a barrier must not reach another barrier.
//
// # Group algorithms
//
// [ReduceOverGroup], [InclusiveScanOverGroup], [ExclusiveScanOverGroup], [AnyOfGroup],
// [AllOfGroup], [NoneOfGroup] and [GroupBroadcast] work over it.Group() or it.SubGroup().
// [GroupBallot], [SelectFromGroup], [ShiftGroupLeft], [ShiftGroupRight] and [PermuteGroupByXor]
// work over sub-groups only.
//
//	sum := dsl.ReduceOverGroup(it.Group(), k.In[it.GlobalID()], dsl.Plus)
//	below := dsl.ExclusiveScanOverGroup(it.SubGroup(), n, dsl.Plus)
//
// Algorithms over sub-groups need the aspect properties.SubGroups. Algorithms over work-groups
// combine values within the sub-groups first, so they need few barriers. Without sub-groups, or if
// the kernel's properties.DeviceHas does not list properties.SubGroups, the algorithms combine
// values in work-group memory, with the same results but more barriers.
//
// The result of a reduction over a work-group, or of a broadcast from a uniform lane, is uniform.
// So a condition that uses this result may decide whether a barrier is reached. A condition may
// also depend on a value that the kernel declares uniform by [Uniform]. [Uniform] costs nothing
// unless work-items have returned.
//
// # Matrices
//
// The work-items of a sub-group together hold a matrix. [LoadA], [LoadB] and [LoadAccumulator] load
// a matrix, [MulAdd] multiplies two matrices and adds a third, and [StoreAccumulator] stores a
// matrix. The file docs/matrices.md has the rules for matrices. [Dot4] and similar functions work
// on the values of a single work-item.
//
// # Faults
//
// In a kernel, each panic of Go is a fault. Examples are an index out of range, an integer division
// by zero, and an explicit panic. The work-item that faults ends, and barriers no longer wait for
// it. The other work-items continue, and the launch reports the first fault. Kernels cannot
// recover. Deferred calls run when their function returns, but not after a fault, since a work-item
// that has faulted writes nothing more.
//
// # Finding mistakes
//
// The host device runs a kernel's own Go code, as gc compiled it. Kernels with barriers or group
// algorithms, and kernels that do little per work-item, run as a host form instead. A host form is
// Go code that kgen generated. A debugger finds no line of the kernel in a host form. With
// KGEN_HOST_FORM=off in the environment, and under the race detector, every kernel runs its own Go
// code.
//
// The host device also finds mistakes that no compiler sees. The race detector reports data races
// between work-items in the same way as data races between goroutines, with the lines of both
// accesses. The checked mode reports data races, and groups whose work-items wait at different barriers.
// It needs runtime.Checked and an import of package checked. The checked mode also reports values given
// to [Uniform] that are not uniform, and loads of work-group memory that was never written. The checked
// mode runs work-items in an order that depends on a seed, so a run can be repeated.
//
// # Which Go
//
// A kernel and the functions that it calls may use a subset of Go. kgen rejects the rest
// with a code and a position. For example, go tool kgen explain KG203 says what KG203
// means and what to write instead.
//
// In the table, a known value is a value that kgen can compute from constants. The arguments of a
// call may be known, too, because kgen inlines all functions. Ids, and elements of memory, are not
// known values. A variable's function, pointer, slice or interface value may depend on data, such
// as an error that may be nil. kgen compiles each use of the variable once for every value that it
// may hold.
//
// If a call changes a variable, Go does not specify when another part of the same expression reads
// it. For example, x + f() may read x before or after the call. For x + f(), kernels call f first,
// like gc, except in expressions with && or ||. In x + f(b && g(&x)), a device reads x first. Write
// a call that changes a variable as a separate statement. If one statement has two faults, a device
// reports the leftmost fault, and gc may report the other fault.
//
// Types:
//
//	bool                       yes.
//	int8…int64, uint8…uint64   yes, on every device.
//	int, uint                  yes, 64 bits on every device.
//	float32, float64           yes, but float64 needs an aspect of the device, except where float32 has the same result, as in float32(math.Sqrt(float64(x))).
//	complex64, complex128      yes.
//	string                     yes, for literals and their substrings, for choices among these, and for string(b) while nothing writes to the bytes b, but not for strings that the device joins (KG208).
//	half.Float16, …            yes, on every device, by methods, but not operators on them (KG209).
//	arrays                     yes.
//	arrays of slices, …        yes, also arrays of pointers, functions or interfaces, with up to 32 elements and any index, but slicing such an array at an unknown index is an error (KG201).
//	structs                    yes, embedded too.
//	slices                     yes, and a local slice of slices, pointers or functions works like an array of these, but a kernel's field must not be such a slice (KG007).
//	pointers                   yes, also pointers that depend on data or are swapped in loops, but not pointers to variables of an earlier iteration (KG203), nor pointers as fields of a kernel (KG007).
//	functions                  yes, and data may choose among up to 32 functions, but not among more (KG302).
//	interfaces                 yes, and data may choose among up to 32 dynamic types, including nil, but not among more (KG302). These types may contain arrays.
//	generic types              yes, but a generic kernel needs an alias that instantiates it, else KG005.
//	maps                       no: KG207.
//	channels                   no: KG104.
//	uintptr                    yes, as a number.
//	unsafe.Pointer             yes, to load or store a number as another type of the same size, else KG205.
//
// Declarations:
//
//	constants                  yes, iota and untyped constants too.
//	package-level variables    yes, if nothing writes them after their initialization, else KG202. The initialization may call functions, but uses no maps, math.Exp or math.Log (KG202). A launch returns ErrInvalid if a package that kgen does not load has written a package-level variable.
//	functions, methods         yes, with several results, named results, variadic parameters, type parameters.
//	recursion                  only through interface values that kgen knows, such as nested expressions, else KG301.
//	functions without a body   no: KG303.
//	local types                yes.
//
// Statements:
//
//	assignments, op=, ++, --   yes.
//	if, for                    yes.
//	range                      yes, over numbers, arrays, slices and functions.
//	range over a string        yes.
//	switch, fallthrough        yes.
//	type switches              yes.
//	break, continue, labels    yes.
//	goto                       yes, but not into a loop (KG101).
//	return                     yes, anywhere, also before a barrier.
//	go                         no: KG102.
//	select, send, receive      no: KG104.
//	defer                      yes, outside of loops, else KG103.
//
// Expressions:
//
//	arithmetic, comparisons    yes, with Go's results, also == of arrays and structs.
//	shifts                     yes, by any count, but a negative count is a fault.
//	indices                    yes, checked.
//	slice expressions          yes, with two or three indices, which are checked.
//	conversions of numbers     yes.
//	conversions of strings     yes, from known strings to bytes and runes, from other strings to bytes that are only read, and from bytes to strings that are read only until the bytes change, else KG208.
//	slices to arrays           yes.
//	composite literals         yes.
//	function literals          yes, with captured variables, but not used after the iteration that declares a captured variable (KG203).
//	method values              yes.
//	type assertions            yes.
//
// Predeclared functions:
//
//	len, cap, min, max         yes.
//	copy, clear                yes, but not clear of a map (KG207).
//	complex, real, imag        yes.
//	new                        yes.
//	make                       yes, of slices whose sizes are constants, or known at each call of the helper, else KG204.
//	append                     yes, but an append beyond the capacity is a fault, and an append to a slice without capacity is an error (KG204).
//	panic                      yes, as a fault with the text that gc prints, unless Error or String makes a new string.
//	recover                    no: KG105.
//	print, println             yes, of numbers, bools and strings, to a buffer that the host writes out, but not of addresses (KG305).
//	delete                     no: KG207.
//	close                      no: KG104.
//
// Packages:
//
//	dsl/math32                 yes.
//	math                       yes.
//	math/bits, math/cmplx      yes.
//	cmp                        yes.
//	bytes                      yes, for functions that compare, search or trim, copies of known lengths, and Buffer within the capacity of its bytes, but not for other functions that allocate (KG204, KG208).
//	strings                    yes, for functions that compare, search or trim, and iterators, but not for functions that make strings (KG304).
//	strconv                    yes, for AppendInt, AppendUint, AppendFloat, AppendBool, Atoi, ParseInt, ParseUint and ParseFloat, but not for the text of their errors, nor for functions that make strings (KG304).
//	slices                     yes, also Clone, Concat, Grow and Repeat of known lengths, but not other functions that allocate (KG204).
//	sort                       yes, but not Slice, SliceStable and SliceIsSorted (KG304).
//	sync/atomic                yes, functions and types, but not those for uintptr and pointers, nor Value (KG303).
//	math/rand                  yes, for generators from New, NewSource and NewZipf, but not for the package's functions that use its own generator, such as Int (KG304). A source of NewSource takes 4.8 KiB of each work-item's memory.
//	math/rand/v2               yes, for generators from NewPCG, NewChaCha8, New and NewZipf, but not for the package's functions that use its own generator, such as IntN (KG304).
//	unicode                    yes.
//	unicode/utf8               yes.
//	unicode/utf16              yes, but not Encode (KG204).
//	iter                       yes, but not Pull and Pull2 (KG304).
//	hash/adler32, hash/crc32   yes.
//	hash/crc64                 yes.
//	hash/fnv                   yes.
//	container/heap             yes.
//	container/list             yes.
//	container/ring             yes, rings of variables that Link joins, but not New (KG203).
//	crypto/sha256, sha512      yes, the functions that compute a checksum.
//	crypto/sha3                yes, Sum224 to Sum512, but not the other functions (KG304).
//	crypto/aes                 yes, for blocks that are encrypted and decrypted one by one.
//	crypto/subtle              yes, but not WithDataIndependentTiming (KG304).
//	crypto/md5, sha1           yes, the functions that compute a checksum, even if GODEBUG=fips140=only makes the host refuse them.
//	errors                     yes, Join of up to 8 errors, but not Unwrap of a joined error (KG304).
//	encoding/binary            yes, the byte orders and varints, but not Read, Write, … (KG304).
//	encoding/hex               yes, of bytes, but not strings of unknown lengths (KG204).
//	encoding/base32, base64    yes, of bytes, but not base32's decoding of unknown lengths (KG204).
//	image, image/color         yes, for points, rectangles, colours and pixels, but not for functions that allocate (KG204).
//	unsafe                     no: KG205, except Sizeof, which is a constant.
//	fmt                        yes, Print, Printf and Println, to the same buffer as println, but not for values without a fixed text (KG305), nor the other functions (KG304).
//	os, sync, time, …          no: KG304.
//
// The packages blake2b, blake2s and chacha20 of golang.org/x/crypto compile. Some packages, such as
// xxhash and blake2b, have assembly or unsafe code, but also a pure Go version under the build tags
// purego or appengine. kgen compiles the pure Go version of a package with assembly or unsafe code,
// and reports that it does. A function that has no Go body in any version causes the error KG303.
//
// # Package math
//
// kgen compiles the functions of package math from their Go code, like gc on a port without
// assembly. In the mode properties.FloatExact, a kernel computes the same bits as the Go code of
// package math on every device. On the host, gc replaces some functions by assembly or
// instructions. The exact replacements in the table give the same bits. The results of the other
// replaced functions, and of their callers (Pow, Sinh, Log10, Gamma, …), may differ from the
// device's results in the last bits. On amd64, Log and Log10 of subnormal numbers differ in all
// bits, since the assembly of Log does not support subnormal numbers:
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
// Besides, gc may round x*y + z only once, as the language allows. This happens on arm64, loong64,
// ppc64x, riscv64 and s390x, and on amd64 only with GOAMD64=v3 or above.
//
// A NaN is a NaN on every device. But if arithmetic, a conversion, negation or Abs produces a NaN,
// the sign and payload of the NaN depend on the device. For example, NVIDIA's GPUs give 0x7fffffff
// where other devices keep the bits of an operand. Loads, stores and Float32bits keep all bits.
package dsl
