// Package view writes the page of kgen view. The page is one HTML file. It shows the Go source of
// each kernel beside the intermediate representation and SPIR-V, and the changes by each pass.
//
// The page's data are plain structs with a JSON form. [Page.Write] writes them into the page. Data
// for lists and searches are not compressed. The rest is a [Body] for each kernel, which is
// compressed. So a browser decodes only the kernels that the user selects. The page loads nothing,
// and its Content-Security-Policy forbids loading.
package view
