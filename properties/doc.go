// Package properties declares the properties of kernels, launches, memory and
// graphs.
//
// A kernel states its properties in a method Properties, which kgen evaluates when it generates code:
//
//	func (SAXPY) Properties() properties.List {
//		return properties.List{properties.WorkGroupSize(256)}
//	}
//
// A launch can also have properties (runtime.With), which are merged with the kernel's own list.
// The properties correspond to SYCL's extension sycl_ext_oneapi_kernel_properties.
package properties
