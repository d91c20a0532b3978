// Package view writes the page of kgen view. The page is one HTML file. The page shows the Go source of each kernel
// beside the intermediate representation (IR) and SPIR-V. The page also shows the changes by each pass.
//
// The page's data are plain structs, which [Page.Write] encodes as JSON in the page. Data for lists
// and searches are not compressed. All other data about a kernel are in the [Body] of the kernel.
// Each Body is compressed separately, so a browser decodes only the kernels that the user selects.
// The page loads nothing, and its Content-Security-Policy forbids loading.
package view
