// Package dsl is the language that kernels import. Its types and functions are
// ordinary Go with ordinary bodies: run on the host they are the meaning that
// every device keeps to.
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
// Slices are device memory. Whether a kernel reads or writes one is inferred
// from its body. Other fields are copied in; assigning to them changes the
// work-item's own copy.
//
// The work-items of a launch run in no particular order and in parallel. Two
// work-items that touch one element, with at least one writing, have a data race
// unless they use atomics or stand on two sides of a barrier of their group.
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
// Work-items communicate by atomic operations: the functions and types of package
// sync/atomic, on elements of slices or of work-group memory, and [AtomicAdd],
// [AtomicMin] and [AtomicMax], which know floats.
//
//	n := atomic.AddInt32(&k.Count[bin], 1)      // the new value, as in Go
//	k.Seen[i].Store(true)                       // Seen []atomic.Bool
//	dsl.AtomicAdd(&k.Sum[0], x)                 // Sum []float32
//
// They mean what the Go memory model says. All atomic operations of a launch behave
// as though executed in some sequentially consistent order; if the effect of an
// atomic operation is observed by another one, then what the first work-item wrote
// before is seen by what the second does after. A compare-and-swap that fails is no
// exception. For Vulkan, which has no such order, kgen makes it up from what there
// is: every atomic operation, loads and stores too, reads, writes, acquires and
// releases, in device scope for slices and in work-group scope for work-group
// memory, so that each happens before the next one on its location. Two things
// differ from Go:
//
//   - The order is that of one launch. What an earlier launch wrote is seen by a
//     later one; two launches that run at the same time see each other's atomic
//     operations at some time, but in no order.
//   - Nothing says that work-items make progress while others wait. A work-item may
//     wait for what another one has begun, such as the rest of a short update, but
//     not for one that may not have started yet, nor for its own sub-group: a lock
//     that is held across a loop may never be released. Barriers are what groups
//     wait by.
//
// On the host device the operations are those of package sync/atomic. There the race
// detector (go test -race) knows what Go orders and what barriers and group algorithms
// do, and reports a data race between work-items with both of its lines. [AtomicFence]
// orders plain accesses, and is seldom needed.
//
// # Launches that are cancelled
//
// A launch that is cancelled ends soon on the host device, whatever its work-items do. On
// other devices it does where the Kernel method has a directive,
//
//	//kgen:cancel
//	func (k Search) Kernel(it dsl.Item1) {
//
// for which kgen writes further modules, whose work-items look now and then whether they
// are to leave; only launches that may be cancelled take them. Others run to their end.
//
// # Specialization constants
//
// A [SpecConstant] is a value that the host sets before a device makes a kernel
// ready to run: to the device it is a constant. It is a package-level variable:
//
//	var Tile = dsl.NewSpecConstant(16)
//
//	func (k MatMul) Kernel(it dsl.NDItem2) {
//		n := Tile.Get(it)
//		tile := dsl.LocalSlice[float32](it, n*n)
//
// and the host gives runtime.WithSpec(Tile, 32) to a launch, or sets it for all
// launches of a program. Lengths of [LocalSlice] and [PrivateAlloca], bounds of
// loops and conditions may depend on it; each set of values is made ready once.
// A length is made of constants by arithmetic. What it is made of by sums and
// products is not negative, and smaller types have smaller bounds, which saves
// checks: a constant that is a radius may be a uint8.
//
// # Private memory
//
// Variables are a work-item's own, arrays too. [PrivateAlloca] returns a slice of
// such memory whose length specialization constants set.
//
// # Kernels of kernels
//
// A kernel may call the Kernel methods of others. What goes from one to the next, and is
// needed by nobody else, is a slice with a directive:
//
//	type AffineTwice struct {
//		In, Out []float32
//		Tmp     []float32 //kgen:internal
//	}
//
// Each work-item uses elements of its own there, which kgen proves, and keeps in variables;
// launches have no such argument. The slice has as many elements for each work-item of
// the launch as the kernel uses; they are zero at first. See docs/fusion.md.
//
// # Barriers and uniform control flow
//
// Barrier makes the work-items of a group (or sub-group) wait for one another
// and orders their reads and writes of work-group and device memory.
//
// Barriers, group algorithms and calls of Local and LocalSlice stand in control
// flow that is uniform over the group: all its work-items take the same way there.
// Conditions made of constants, kernel fields, ranges, group ids and
// specialization constants are uniform; conditions on a work-item's own id or on
// data of its own are not. kgen proves uniformity or rejects the call with its
// position. On the host, work-items that wait at different barriers fault with
// "divergent barriers"; a work-item that has returned is no longer waited for.
// One that returns from a function which the kernel calls, past barriers, goes on behind
// the call; it must come to no barrier there.
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
// Those over sub-groups need the aspect properties.SubGroups. Those over work-groups
// combine within the sub-groups first, which costs few barriers; on devices without,
// and in kernels whose properties.DeviceHas does not list that aspect, they combine in
// work-group memory, with the same results and more barriers.
//
// What a work-group reduces to, or broadcasts from a uniform lane, is uniform
// itself and may decide whether a barrier is reached. So may what the kernel states
// to be uniform by [Uniform], at no cost unless work-items have left.
//
// # Faults
//
// What panics in Go is a fault in a kernel: an index out of range, a division of
// integers by zero, an explicit panic. The work-item that faults ends; it takes
// no further part in barriers. The others go on, and the launch reports the
// first fault. Recover has no use in kernels. Deferred calls run when their
// function returns; after a fault a device does not run them, since a work-item
// that has faulted writes nothing more.
//
// # Finding mistakes
//
// The host device runs kernels as gc compiled them, but for those with barriers or
// group algorithms and those that do little per work-item: of these it runs a host
// form, which kgen wrote, and in which a debugger stops at no line of the kernel's.
// With KGEN_HOST_FORM=off in the environment, and under the race detector, it is the
// kernel's own Go everywhere.
//
// It finds what no compiler sees. Under the race detector a data race
// between work-items is reported with both of its lines, as one between goroutines.
// Its checked mode, runtime.Checked with package checked imported, reports barriers
// that work-items of a group pass differently, values given to [Uniform] that are not
// uniform, loads of work-group memory that was never written, and data races, in an
// order that a seed chooses and repeats.
//
// # Which Go
//
// A kernel, with all functions it calls, is written in a part of Go. The host
// device would run the rest too, but kgen rejects it, with a code; for example,
// go tool kgen explain KG203 says what that one means and what to write instead.
//
// Functions are inlined, so kgen knows a value where it follows from constants
// and from what a helper is called with. Data and ids are not known. A variable may hold
// one of several functions, pointers, slices or interface values by data: an error that
// is nil or not, or a method of one of several types. What is done with it is compiled
// for each of them.
//
// Go leaves open when an expression reads a variable that a call in the same
// expression changes: in x + f(), x may be read before or after. Kernels do what gc
// does, which calls first, but not beside && and ||: a device reads x first in
// x + f(b && g(&x)). Give such a call a statement of its own. Which of two faults of one
// statement is reported may differ, too: a device goes from left to right.
//
// Types:
//
//	bool                       yes
//	int8…int64, uint8…uint64   yes, on every device
//	int, uint                  yes, 64 bits on every device
//	float32, float64           yes; float64 needs an aspect, but for what float32 gives, too: float32(math.Sqrt(float64(x)))
//	complex64, complex128      yes
//	string                     yes, parts of and choices among those in the code, and bytes as long as they stay; joined on the device: KG208
//	arrays                     yes
//	arrays of slices, …        yes, of pointers, functions or interfaces too, up to 32, by any index; sliced at unknown ones: KG201
//	structs                    yes, embedded too
//	slices                     yes; of slices, pointers or functions as arrays of them, in a field KG007
//	pointers                   yes, to one of several variables by data; to one of an earlier iteration: KG203, in a field KG007
//	functions                  yes, one of up to 32 by data; kept beside others with a bound array: KG302
//	interfaces                 yes, with one of up to 32 types by data, nil among them; with an array beside others: KG302
//	generic types              yes; a kernel is instantiated by an alias: else KG005
//	maps                       no: KG207
//	channels                   no: KG104
//	uintptr                    yes, as a number
//	unsafe.Pointer             yes, to load and store a number as one of another type of its size; else KG205
//
// Declarations:
//
//	constants                  yes, iota and untyped constants too
//	package-level variables    yes, made of constants and of what functions compute from such, init among them, without maps, math.Exp and math.Log, and not written after; else KG202, or ErrInvalid at launch where a package that kgen does not load has written what is exported
//	functions, methods         yes, with several or named results, variadic, generic
//	recursion                  through interfaces, of known values that hold others; else KG301
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
//	conversions of strings     yes, of known ones to bytes and runes, of others to bytes that are only read, of bytes to read before they change; else KG208
//	slices to arrays           yes
//	composite literals         yes
//	function literals          yes, with captured variables; kept beyond a variable's iteration: KG203
//	method values              yes
//	type assertions            yes
//
// Predeclared functions:
//
//	len, cap, min, max         yes
//	copy, clear                yes; clear of a map: KG207
//	complex, real, imag        yes
//	new                        yes
//	make                       yes, of slices with sizes that are constant, or become it in each call of a helper; else KG204
//	append                     yes, within the capacity: beyond it is a fault; where there is none: KG204
//	panic                      yes, a fault with the text that gc prints, as far as Error or String make no new string
//	recover                    no: KG105
//	print, println             yes, to a buffer that the host writes out, of numbers, bools and strings; addresses: KG305
//	delete                     no: KG207
//	close                      no: KG104
//
// Packages:
//
//	dsl/math32                 yes
//	math                       yes
//	math/bits, math/cmplx      yes
//	cmp                        yes
//	bytes                      yes, what compares, searches and trims, copies of known lengths, and Buffer within the capacity of its bytes; what else allocates: KG204, KG208
//	strings                    yes, what compares, searches and trims, and iterators; what makes strings: KG304
//	strconv                    yes, AppendInt, AppendUint, AppendFloat and AppendBool; what parses or makes strings: KG304
//	slices                     yes, Clone, Concat, Grow and Repeat of known lengths; what else allocates: KG204
//	sort                       yes; Slice, SliceStable and SliceIsSorted: KG304
//	sync/atomic                yes, also its types; but for uintptr, pointers and Value: KG303
//	math/rand                  yes, generators of one's own: New, NewSource, NewZipf; a source of NewSource has 4.8 KiB in each work-item; the functions: KG304
//	math/rand/v2               yes, generators of one's own: NewPCG, NewChaCha8, New, NewZipf; the functions: KG304
//	unicode                    yes
//	unicode/utf8               yes
//	unicode/utf16              yes; Encode: KG204
//	iter                       yes; Pull, Pull2: KG304
//	hash/adler32, hash/crc32   yes
//	hash/crc64                 yes
//	hash/fnv                   yes
//	container/heap             yes
//	container/list             yes
//	container/ring             yes, rings of variables that are linked; New: KG203
//	crypto/sha256, sha512      yes, the functions that sum
//	crypto/md5, sha1           yes, the functions that sum; also where GODEBUG=fips140=only has the host refuse them
//	errors                     yes; up to 8 in Join; the errors it has joined: KG304
//	encoding/binary            yes, the byte orders and varints; Read, Write, …: KG304
//	encoding/hex               yes, of bytes; what makes strings of unknown lengths: KG204
//	encoding/base32, base64    yes, of bytes; what base32 decodes of unknown lengths: KG204
//	image, image/color         yes, points, rectangles, colours and pixels; what allocates: KG204
//	unsafe                     no: KG205; Sizeof is a constant
//	fmt                        yes, Print, Printf and Println, as print and println; what cannot be printed so: KG305; the others: KG304
//	os, sync, time, …          no: KG304
//
// A package of a module that has assembly, or uses unsafe, compiles from the files that
// it has for ports without, by the build tags purego and appengine, as xxhash and blake2s
// do; a function that has no other body: KG303.
//
// # Package math
//
// The functions of package math compile from their Go code, as on a port that has
// no assembly, and a kernel of the mode properties.FloatExact has that code's bits
// on every device. On the host, gc replaces some by assembly. Where that is exact
// the bits are the same; where it is not, those functions and the ones that call
// them (Pow, Sinh, Log10, Gamma, …) may differ from the device in the last bits, and
// on amd64 Log and Log10 of numbers below 2^-1022 in all of them, since that assembly
// does not know such numbers:
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
// What is NaN is NaN everywhere. Which one arithmetic, conversions, negation and Abs
// make, its sign and payload, is the device's: NVIDIA's GPUs have 0x7fffffff where others
// keep an operand's bits. What is only loaded, stored or taken by Float32bits keeps them.
package dsl
