package diag

import "fmt"

// Code identifies a kind of diagnostic. Codes are stable: a number is never
// given a new meaning.
type Code uint16

// String prints the code as KGnnn.
func (c Code) String() string { return fmt.Sprintf("KG%03d", uint16(c)) }

// MarshalText prints the code as KGnnn.
func (c Code) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// The codes. 0xx: packages and kernels; 1xx: statements and control flow;
// 2xx: types and memory; 3xx: calls; 4xx: work-groups; 5xx: properties;
// 6xx: specialization constants and private memory.
const (
	// Load: the package does not build.
	Load Code = 1
	// MainPackage: a kernel stands in package main.
	MainPackage Code = 2
	// Unexported: a kernel type or one of its fields is not exported.
	Unexported Code = 3
	// KernelSignature: a Kernel method has results or the wrong parameters.
	KernelSignature Code = 4
	// KernelType: a kernel type is no struct, not package-level, or generic
	// without an alias that instantiates it.
	KernelType Code = 5
	// NoKernels: no kernel was found where some were asked for.
	NoKernels Code = 6
	// FieldType: a kernel's field has a type that cannot be an argument.
	FieldType Code = 7
	// Stale: generated code that is older than its kernels.
	Stale Code = 8
	// FieldName: a kernel's field has the name of a method that generated code has.
	FieldName Code = 9

	// Irreducible: a goto makes a loop with two entries.
	Irreducible Code = 101
	// Statement: a go statement.
	Statement Code = 102
	// Defer: a defer that cannot be run at the end.
	Defer Code = 103
	// Channel: a channel, or a select.
	Channel Code = 104
	// Recover: a recover.
	Recover Code = 105

	// Type: a type that kernels cannot have where it stands.
	Type Code = 201
	// GlobalVar: a package-level variable that is written somewhere.
	GlobalVar Code = 202
	// MixedPointers: a pointer or slice that may come from different roots.
	MixedPointers Code = 203
	// Alloc: memory whose size is not known when the kernel is built.
	Alloc Code = 204
	// Unsafe: unsafe or cgo.
	Unsafe Code = 205
	// TooLarge: private memory, a table or the code is too large.
	TooLarge Code = 206
	// Map: a map.
	Map Code = 207
	// String: a string that is made on the device.
	String Code = 208
	// Half: a number of package half that is taken for an integer.
	Half Code = 209

	// Recursion: a function that calls itself.
	Recursion Code = 301
	// DynamicCall: a function value or interface method that cannot be resolved.
	DynamicCall Code = 302
	// NoBody: a function without Go source.
	NoBody Code = 303
	// HostOnly: a function that only the host can run.
	HostOnly Code = 304
	// Print: something that a kernel cannot print, or print so.
	Print Code = 305

	// Divergent: a barrier or group operation that some work-items may miss.
	Divergent Code = 401
	// LocalSize: work-group memory whose size is not constant.
	LocalSize Code = 402
	// WrongForm: a work-group feature in a range kernel or task.
	WrongForm Code = 403
	// SharedElement: an element that every work-item changes, as kgenvet reports.
	SharedElement Code = 404
	// Matrix: a matrix or a product of matrices that does not exist.
	Matrix Code = 405

	// PropertyValue: a property with a bad value or given twice.
	PropertyValue Code = 501
	// PropertyFold: a Properties method that is not constant.
	PropertyFold Code = 502
	// PropertyRank: a work-group size whose rank is not the kernel's.
	PropertyRank Code = 503
	// Aspect: a feature used that DeviceHas does not list.
	Aspect Code = 504
	// Directive: a //kgen: comment that makes no sense.
	Directive Code = 505
	// Internal: memory that //kgen:internal keeps in the work-items and that is not their own.
	Internal Code = 506
	// Misnamed: a method that returns properties under another name, as kgenvet reports.
	Misnamed Code = 507

	// SpecDecl: a specialization constant that is not declared as one.
	SpecDecl Code = 601
	// SpecType: a specialization constant of a type that cannot be one.
	SpecType Code = 602
	// PrivateSize: private memory whose length no specialization constant sets.
	PrivateSize Code = 603
	// SizeDefault: memory whose length is below 1 by default.
	SizeDefault Code = 604
	// Alignment: private memory with an alignment that cannot be.
	Alignment Code = 605
	// Outlives: private memory that is used where it is no longer reserved.
	Outlives Code = 606
)
