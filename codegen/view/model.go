package view

// This file declares the data of the page.

// Page holds all data of the page.
type Page struct {
	Title   string   `json:"title"`   // title of the page, such as the package patterns
	Kernels []Kernel `json:"kernels"` // kernels sorted by package and name
	// Problems are diagnostics about packages. Diagnostics about a kernel are in the kernel's Body.
	Problems []Problem `json:"problems,omitempty"`
}

// Kernel is one entry in the page's list of kernels.
type Kernel struct {
	Name    string `json:"name"`
	Package string `json:"package"` // import path
	Pos     Pos    `json:"pos"`     // position of the type's name
	Doc     string `json:"doc,omitempty"`
	Shape   string `json:"shape"`            // such as "range, 2 dimensions"
	Failed  bool   `json:"failed,omitempty"` // whether the kernel does not compile; if so, Body has Problems
	Checks  int    `json:"checks"`           // number of run-time checks that remain
	Wide    int    `json:"wide"`             // number of computations that remain in 64 bits
	Fused   int    `json:"fused"`            // number of products that were fused into a sum
	Spilled bool   `json:"spilled,omitempty"`
	Bytes   int    `json:"bytes"` // size of the first module in bytes
	Body    *Body  `json:"-"`     // data about the kernel, compressed in the page
}

// Pos is a position in a source file. The file name is relative to the main module, or begins with
// the import path of the file's package.
type Pos struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Col  int    `json:"col"`
}

// Problem is a diagnostic as the page shows it.
type Problem struct {
	Pos     Pos       `json:"pos,omitzero"`
	Code    string    `json:"code,omitempty"` // code of the diagnostic, such as KG203
	Message string    `json:"message"`
	Hint    string    `json:"hint,omitempty"`
	Related []Problem `json:"related,omitempty"` // further positions without codes, such as calls that lead to Pos
}

// Body holds the data about a kernel that the page shows when the user selects the kernel. If the
// kernel does not compile, only Source and Problems are set.
type Body struct {
	// Source holds the declarations that the kernel reaches. The declarations of the kernel itself are
	// first. The page stores Source outside of the compressed data, for searches.
	Source   []Excerpt `json:"-"`
	Problems []Problem `json:"problems,omitempty"`

	// Files are the names of the files in Places.
	Files []string `json:"files,omitempty"`
	// Places are source positions. Lines of listings refer to Places by index. Each element of Places consists of the
	// index of the file, the line and the column.
	Places [][3]int `json:"places,omitempty"`
	// Built is the listing of the lowered module. Passes describes the passes that changed the module,
	// in order.
	Built  Listing `json:"built,omitzero"`
	Passes []Pass  `json:"passes,omitempty"`
	// Idle lists the passes that changed nothing.
	Idle []string `json:"idle,omitempty"`
	// Values has one character for each value, and Blocks has one character for each block. The
	// number of a value or block is the index of its character. The character 'u' (uniform) marks
	// values that are the same for all work-items of a work-group. The character 'u' also marks
	// blocks that all work-items reach unless they have returned. The character 'd' (divergent)
	// marks values and blocks that are not uniform. The character '.' marks values and blocks that
	// did not exist after pass narrow, where uniformity is analysed.
	Values string `json:"values,omitempty"`
	Blocks string `json:"blocks,omitempty"`
	// Modules are the first module and the variants. The listing after the last pass is the IR of the
	// first module.
	Modules []Module `json:"modules,omitempty"`

	Checks   *Checks   `json:"checks,omitempty"`
	Integers *Integers `json:"integers,omitempty"`
	Slices   []Slice   `json:"slices,omitempty"`
	Matrices []Matrix  `json:"matrices,omitempty"`
	Fused    []Finding `json:"fused,omitempty"` // sums into which a product was fused
	Float    string    `json:"float,omitempty"` // floating-point mode
	Args     Args      `json:"args"`
	Aspects  []string  `json:"aspects,omitempty"` // aspects that devices must have
	// Lacks lists the missing variants, with reasons.
	Lacks []string `json:"lacks,omitempty"`
}

// Excerpt is a range of lines of a source file.
type Excerpt struct {
	File string   `json:"file"`
	Line int      `json:"line"` // number of the first line
	Text []string `json:"text"`
}

// Listing is the text of a module. A value or block has the same number in the listings after all
// passes.
type Listing struct {
	Text []string `json:"text"`
	// At has one element for each line of the listing. The element is the index of the line's
	// source position in Places, or -1.
	At []int `json:"at"`
}

// Pass describes the changes of the module by one pass.
type Pass struct {
	Name  string `json:"name"`
	Doc   string `json:"doc"`
	Edits []Edit `json:"edits"`
}

// Edit replaces lines of the listing after the previous pass. The edits of a pass are sorted by
// line number. Line numbers refer to the listing before all edits of the pass.
type Edit struct {
	From  int      `json:"from"` // index of the first replaced line
	Lines int      `json:"lines,omitempty"`
	Text  []string `json:"text,omitempty"` // lines that replace the old lines
	At    []int    `json:"at,omitempty"`
}

// Module is one of a kernel's modules.
type Module struct {
	Name    string   `json:"name"` // name of the variant; "" for the first module
	Bytes   int      `json:"bytes"`
	Without []string `json:"without,omitempty"` // aspects that the module does not need
	Late    bool     `json:"late,omitempty"`    // whether programs (not kgen) make the module, when a device needs it
	// IR is the IR from which a variant was emitted. Edits are the changes that convert the first
	// module's IR to the variant's IR. For the first module, IR and Edits are empty. If only the
	// size of a variant is known, IR, Edits and Text are empty.
	IR    *Listing `json:"ir,omitempty"`
	Edits []Edit   `json:"edits,omitempty"`
	Text  []string `json:"text,omitempty"` // SPIR-V text, one instruction per line
	// From has one element for each line of Text. The element is the index of the line of IR that
	// the SPIR-V line implements, or -1.
	From []int `json:"from,omitempty"`
}

// Matrix is a fact about a kernel's matrices. If the fact is not about a load or store, Pos is
// zero.
type Matrix struct {
	Text string `json:"text"`
	Pos  Pos    `json:"pos"`
}

// Checks describes the run-time checks. The checks are counted after inlining.
type Checks struct {
	Proved []Proved  `json:"proved"`
	Remain []Finding `json:"remain"`
}

// Proved is the number of checks that one kind of proof removed.
type Proved struct {
	By    string `json:"by"`
	Count int    `json:"count"`
}

// Integers describes the computations with 64-bit integers.
type Integers struct {
	Narrowed int       `json:"narrowed"` // number of computations done in 32 bits
	Remain   []Finding `json:"remain"`
}

// Finding is a fact about a source position.
type Finding struct {
	Pos   Pos    `json:"pos"`
	Kind  string `json:"kind"`
	Expr  string `json:"expr"` // source text of the expression
	Why   string `json:"why,omitempty"`
	Hint  string `json:"hint,omitempty"`
	Times int    `json:"times"` // number of inlined copies
}

// Slice describes the elements of a slice that a work-item uses.
type Slice struct {
	Name string `json:"name"`
	Use  string `json:"use"` // description of the use, as a sentence
	Pos  Pos    `json:"pos,omitzero"`
}

// Args describes the kernel's argument block.
type Args struct {
	Bytes   int      `json:"bytes"`
	Spilled bool     `json:"spilled,omitempty"` // whether the block is in device memory
	Params  []string `json:"params,omitempty"`  // name, type and offset of each parameter
}
