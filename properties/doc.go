// Package properties is the one vocabulary of kernel, launch and graph
// properties.
//
// A kernel states its properties in a get-properties method, which kgen folds
// when it generates code:
//
//	func (SAXPY) Properties() properties.List {
//		return properties.List{properties.WorkGroupSize(256)}
//	}
//
// The same list type is given at a launch with runtime.With and merged with the
// kernel's own list. The keys follow SYCL's sycl_ext_oneapi_kernel_properties.
package properties
