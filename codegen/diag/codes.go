package diag

// This file lists the codes of diagnostics.

import "fmt"

// A Code identifies a kind of diagnostic. Codes are stable. The meaning of the number of a Code
// never changes.
type Code uint16

// String prints the code as KGnnn.
func (c Code) String() string { return fmt.Sprintf("KG%03d", uint16(c)) }

// MarshalText prints the code as KGnnn.
func (c Code) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// These are the codes of all diagnostics. The hundreds digit of a code gives the subject. The digit
// 0 stands for packages and kernels, 1 for statements and control flow, 2 for types and memory, and
// 3 for calls. The digit 4 stands for work-groups, 5 for properties, and 6 for specialization
// constants and private memory.
const (
	// Load: the package does not build.
	Load Code = 1
	// MainPackage: a kernel is in package main.
	MainPackage Code = 2
	// Unexported: a kernel type or one of its fields is not exported.
	Unexported Code = 3
	// KernelSignature: a Kernel method has results or the wrong parameters.
	KernelSignature Code = 4
	// KernelType: a kernel type is not a struct, not package-level, or generic without an alias
	// that instantiates it.
	KernelType Code = 5
	// NoKernels: the requested packages contain no kernel.
	NoKernels Code = 6
	// FieldType: a kernel's field has a type that cannot be an argument.
	FieldType Code = 7
	// Stale: generated code is older than its kernels.
	Stale Code = 8
	// FieldName: a kernel's field has the same name as a method of generated code.
	FieldName Code = 9

	// Irreducible: a goto makes a loop with two entries.
	Irreducible Code = 101
	// Statement: a kernel has a go statement.
	Statement Code = 102
	// Defer: a defer statement cannot run at the end of its function.
	Defer Code = 103
	// Channel: a kernel uses a channel or a select statement.
	Channel Code = 104
	// Recover: a kernel calls recover.
	Recover Code = 105

	// Type: a kernel uses a type where the type is not allowed.
	Type Code = 201
	// GlobalVar: a package-level variable may change, or its value is not known.
	GlobalVar Code = 202
	// MixedPointers: a pointer or slice may refer to memory of different kinds.
	MixedPointers Code = 203
	// Alloc: the size of allocated memory is not known when the kernel is compiled.
	Alloc Code = 204
	// Unsafe: a kernel uses package unsafe or cgo.
	Unsafe Code = 205
	// TooLarge: private memory, a table or the code is too large.
	TooLarge Code = 206
	// Map: a kernel uses a map.
	Map Code = 207
	// String: a kernel makes a string on the device.
	String Code = 208
	// Half: a number of package half is used like an integer.
	Half Code = 209

	// Recursion: a function calls itself.
	Recursion Code = 301
	// DynamicCall: a called function value or interface method cannot be resolved.
	DynamicCall Code = 302
	// NoBody: a called function has no Go source.
	NoBody Code = 303
	// HostOnly: a called function can only run on the host.
	HostOnly Code = 304
	// Print: a kernel cannot print a value or format.
	Print Code = 305

	// Divergent: some work-items may not reach a barrier or group operation.
	Divergent Code = 401
	// LocalSize: the size of work-group memory is not constant.
	LocalSize Code = 402
	// WrongForm: a range kernel or task uses a feature of work-groups.
	WrongForm Code = 403
	// SharedElement: every work-item changes the same element. Only kgenvet reports the code
	// SharedElement.
	SharedElement Code = 404
	// Matrix: a kernel uses a matrix or matrix product that does not exist.
	Matrix Code = 405

	// PropertyValue: a property has an invalid value, or is given twice.
	PropertyValue Code = 501
	// PropertyFold: a Properties method is not constant.
	PropertyFold Code = 502
	// PropertyRank: the rank of a work-group size differs from the rank of the kernel.
	PropertyRank Code = 503
	// Aspect: the property DeviceHas does not list a used feature.
	Aspect Code = 504
	// Directive: a //kgen: comment is invalid.
	Directive Code = 505
	// Internal: several work-items use memory that has a //kgen:internal directive.
	Internal Code = 506
	// Misnamed: a method that returns properties is not named Properties. Only kgenvet reports the
	// code Misnamed.
	Misnamed Code = 507

	// SpecDecl: the declaration of a specialization constant is invalid.
	SpecDecl Code = 601
	// SpecType: a specialization constant has a type that is not allowed.
	SpecType Code = 602
	// PrivateSize: the length of private memory is not set by a specialization constant.
	PrivateSize Code = 603
	// SizeDefault: the default length of memory is less than 1.
	SizeDefault Code = 604
	// Alignment: the alignment of private memory is invalid.
	Alignment Code = 605
	// Outlives: private memory is used after it has been released.
	Outlives Code = 606
)
