package view

// This file has the page's data.

// Page is all that there is to show.
type Page struct {
	Title   string   `json:"title"`   // such as the patterns of the packages
	Kernels []Kernel `json:"kernels"` // in order of package and name
	// Problems are what is wrong with packages, rather than with one of the kernels.
	Problems []Problem `json:"problems,omitempty"`
}

// Kernel is a row of the list of kernels.
type Kernel struct {
	Name    string `json:"name"`
	Package string `json:"package"` // import path
	Pos     Pos    `json:"pos"`     // of the type's name
	Doc     string `json:"doc,omitempty"`
	Shape   string `json:"shape"`            // such as "range, 2 dimensions"
	Failed  bool   `json:"failed,omitempty"` // it does not compile: Body has Problems
	Checks  int    `json:"checks"`           // that remain
	Wide    int    `json:"wide"`             // computations that stay in 64 bits
	Fused   int    `json:"fused"`            // products that a sum takes in
	Spilled bool   `json:"spilled,omitempty"`
	Bytes   int    `json:"bytes"` // of the first module
	Body    *Body  `json:"-"`     // stands in the page compressed
}

// Pos is a place in a source. The file is relative to its module, or stands below its
// package's import path.
type Pos struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Col  int    `json:"col"`
}

// Problem is a diagnostic.
type Problem struct {
	Pos     Pos       `json:"pos,omitzero"`
	Code    string    `json:"code,omitempty"` // such as KG203
	Message string    `json:"message"`
	Hint    string    `json:"hint,omitempty"`
	Related []Problem `json:"related,omitempty"` // such as calls that lead there, without codes
}

// Body is what is shown of a kernel once it is chosen. Of a kernel that failed, it has Source
// and Problems.
type Body struct {
	// Source has the declarations that the kernel reaches, its own first. In the page it
	// stands apart, for searches.
	Source   []Excerpt `json:"-"`
	Problems []Problem `json:"problems,omitempty"`

	// Files are those that Places are in.
	Files []string `json:"files,omitempty"`
	// Places are what lines refer to by index: file, by index, line and column.
	Places [][3]int `json:"places,omitempty"`
	// Built is the module as it was lowered, and Passes are those that changed it, in order.
	Built  Listing `json:"built,omitzero"`
	Passes []Pass  `json:"passes,omitempty"`
	// Idle are the passes that changed nothing.
	Idle []string `json:"idle,omitempty"`
	// Values and Blocks have, by their numbers, 'u' for a value that is the same in all work-items
	// of a work-group (uniform), and a block that they all come to but for those that are
	// through; 'd' for those of which that is not so (divergent); and '.' for those that pass narrow,
	// behind which this is found out, has not seen.
	Values string `json:"values,omitempty"`
	Blocks string `json:"blocks,omitempty"`
	// Modules are the first one and the variants. The first one's IR is that behind the last pass.
	Modules []Module `json:"modules,omitempty"`

	Checks   *Checks   `json:"checks,omitempty"`
	Integers *Integers `json:"integers,omitempty"`
	Slices   []Slice   `json:"slices,omitempty"`
	Matrices []Matrix  `json:"matrices,omitempty"`
	Fused    []Finding `json:"fused,omitempty"` // sums that take a product in
	Float    string    `json:"float,omitempty"` // the floating-point mode
	Args     Args      `json:"args"`
	Aspects  []string  `json:"aspects,omitempty"` // what devices must have
	// Lacks says which variants are left out, and why.
	Lacks []string `json:"lacks,omitempty"`
}

// Excerpt is a run of lines of a file.
type Excerpt struct {
	File string   `json:"file"`
	Line int      `json:"line"` // the number of the first
	Text []string `json:"text"`
}

// Listing is the text of a module. Values and blocks have the same numbers behind all passes.
type Listing struct {
	Text []string `json:"text"`
	// At has, for each line, the index of its place, or -1.
	At []int `json:"at"`
}

// Pass is what a pass changed.
type Pass struct {
	Name  string `json:"name"`
	Doc   string `json:"doc"`
	Edits []Edit `json:"edits"`
}

// Edit replaces lines of the listing that the pass before has left. Edits of a pass are in
// order and count lines of that listing, not of what other edits make of it.
type Edit struct {
	From  int      `json:"from"` // index of the first line
	Lines int      `json:"lines,omitempty"`
	Text  []string `json:"text,omitempty"` // that stand there instead
	At    []int    `json:"at,omitempty"`
}

// Module is one of a kernel's modules.
type Module struct {
	Name    string   `json:"name"` // "" is the first
	Bytes   int      `json:"bytes"`
	Without []string `json:"without,omitempty"` // the aspects that it does without
	Late    bool     `json:"late,omitempty"`    // programs make it when a device needs it
	// IR is what a variant was written from; Edits make it of the first module's. The first
	// one has neither, nor have variants of which the size alone is known: Text of those
	// has no lines, either.
	IR    *Listing `json:"ir,omitempty"`
	Edits []Edit   `json:"edits,omitempty"`
	Text  []string `json:"text,omitempty"` // SPIR-V, an instruction a line
	// From has, for each line of Text, the index of the line of the IR that it is written for,
	// or -1.
	From []int `json:"from,omitempty"`
}

// Matrix is a fact about a kernel's matrices; the zero Pos is that of none of their loads and stores.
type Matrix struct {
	Text string `json:"text"`
	Pos  Pos    `json:"pos"`
}

// Checks are the run-time checks, counted after inlining.
type Checks struct {
	Proved []Proved  `json:"proved"`
	Remain []Finding `json:"remain"`
}

// Proved is how many checks something made unnecessary.
type Proved struct {
	By    string `json:"by"`
	Count int    `json:"count"`
}

// Integers are the computations in 64 bits.
type Integers struct {
	Narrowed int       `json:"narrowed"` // done in 32
	Remain   []Finding `json:"remain"`
}

// Finding is something about a place.
type Finding struct {
	Pos   Pos    `json:"pos"`
	Kind  string `json:"kind"`
	Expr  string `json:"expr"` // as the user wrote it
	Why   string `json:"why,omitempty"`
	Hint  string `json:"hint,omitempty"`
	Times int    `json:"times"` // how often, calls of one function being inlined
}

// Slice says which elements of a slice a work-item uses.
type Slice struct {
	Name string `json:"name"`
	Use  string `json:"use"` // a sentence
	Pos  Pos    `json:"pos,omitzero"`
}

// Args is the block of arguments.
type Args struct {
	Bytes   int      `json:"bytes"`
	Spilled bool     `json:"spilled,omitempty"` // it is in device memory
	Params  []string `json:"params,omitempty"`  // name, type and place
}
