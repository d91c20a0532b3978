// Package view is the page that kgen view writes: one HTML file that shows each kernel's Go
// source beside the intermediate representation and SPIR-V, and what the compiler did.
//
// The data are plain structs with a JSON form. [Page.Write] puts them into the page. The data for
// lists and searches are stored as they are, and the rest, a [Body] for each kernel, compressed. So
// a browser decodes only the kernels that the user selects. The page loads nothing, and its
// Content-Security-Policy forbids loading.
package view
