package diag

// This file lists the codes of diagnostics.

import "fmt"

// Code identifies a kind of diagnostic. Codes are stable: the meaning of a number never changes.
type Code uint16

// String prints the code as KGnnn.
func (c Code) String() string { return fmt.Sprintf("KG%03d", uint16(c)) }

// MarshalText prints the code as KGnnn.
func (c Code) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// The codes. 0xx: packages and kernels; 1xx: statements and control flow; 2xx: types and memory;
// 3xx: calls; 4xx: work-groups; 5xx: properties; 6xx: specialization constants and private memory.
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
	// Statement: a go statement.
	Statement Code = 102
	// Defer: a defer statement that cannot run at the end of its function.
	Defer Code = 103
	// Channel: a channel, or a select.
	Channel Code = 104
	// Recover: a recover.
	Recover Code = 105

	// Type: a type that kernels cannot use at this place.
	Type Code = 201
	// GlobalVar: a package-level variable whose value may change or is not known.
	GlobalVar Code = 202
	// MixedPointers: a pointer or slice that may refer to memory of different kinds.
	MixedPointers Code = 203
	// Alloc: memory whose size is not known when the kernel is built.
	Alloc Code = 204
	// Unsafe: unsafe or cgo.
	Unsafe Code = 205
	// TooLarge: private memory, a table or the code is too large.
	TooLarge Code = 206
	// Map: a map.
	Map Code = 207
	// String: a string that would be made on the device.
	String Code = 208
	// Half: a number of package half that is used like an integer.
	Half Code = 209

	// Recursion: a function that calls itself.
	Recursion Code = 301
	// DynamicCall: a function value or interface method that cannot be resolved.
	DynamicCall Code = 302
	// NoBody: a function without Go source.
	NoBody Code = 303
	// HostOnly: a function that only the host can run.
	HostOnly Code = 304
	// Print: a value or format that a kernel cannot print.
	Print Code = 305

	// Divergent: a barrier or group operation that some work-items may not reach.
	Divergent Code = 401
	// LocalSize: work-group memory whose size is not constant.
	LocalSize Code = 402
	// WrongForm: a work-group feature in a range kernel or task.
	WrongForm Code = 403
	// SharedElement: an element that every work-item changes; reported by kgenvet.
	SharedElement Code = 404
	// Matrix: a matrix or a product of matrices that does not exist.
	Matrix Code = 405

	// PropertyValue: a property with an invalid value, or given twice.
	PropertyValue Code = 501
	// PropertyFold: a Properties method that is not constant.
	PropertyFold Code = 502
	// PropertyRank: a work-group size whose rank differs from that of the kernel.
	PropertyRank Code = 503
	// Aspect: DeviceHas does not list a used feature.
	Aspect Code = 504
	// Directive: an invalid //kgen: comment.
	Directive Code = 505
	// Internal: memory with //kgen:internal that work-items do not have to themselves.
	Internal Code = 506
	// Misnamed: a method that returns properties has another name; reported by kgenvet.
	Misnamed Code = 507

	// SpecDecl: an invalid declaration of a specialization constant.
	SpecDecl Code = 601
	// SpecType: a specialization constant with a type that is not allowed.
	SpecType Code = 602
	// PrivateSize: private memory whose length is not set by a specialization constant.
	PrivateSize Code = 603
	// SizeDefault: memory whose default length is less than 1.
	SizeDefault Code = 604
	// Alignment: private memory with an invalid alignment.
	Alignment Code = 605
	// Outlives: private memory that is used after it has been released.
	Outlives Code = 606
)
