// Package view is the page that kgen view writes: one HTML file that shows each kernel's Go
// source beside the intermediate representation and SPIR-V, and what the compiler did.
//
// The data are plain structs with a JSON form. [Page.Write] puts them into the page: what
// lists and searches need as it is, and the rest, a [Body] for each kernel, compressed, so
// that a browser has to look only at the kernels that are chosen. The page loads nothing, and
// its Content-Security-Policy forbids it to.
package view
