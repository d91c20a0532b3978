package view

// This file has the page's data.

// Page is all data of the page.
type Page struct {
	Title   string   `json:"title"`   // such as the patterns of the packages
	Kernels []Kernel `json:"kernels"` // in order of package and name
	// Problems are diagnostics of packages, not of single kernels.
	Problems []Problem `json:"problems,omitempty"`
}

// Kernel is a row of the list of kernels.
type Kernel struct {
	Name    string `json:"name"`
	Package string `json:"package"` // import path
	Pos     Pos    `json:"pos"`     // position of the type's name
	Doc     string `json:"doc,omitempty"`
	Shape   string `json:"shape"`            // such as "range, 2 dimensions"
	Failed  bool   `json:"failed,omitempty"` // the kernel does not compile: Body has Problems
	Checks  int    `json:"checks"`           // number of remaining checks
	Wide    int    `json:"wide"`             // computations that stay in 64 bits
	Fused   int    `json:"fused"`            // number of products fused into a sum
	Spilled bool   `json:"spilled,omitempty"`
	Bytes   int    `json:"bytes"` // size of the first module
	Body    *Body  `json:"-"`     // compressed in the page
}

// Pos is a place in a source. The file's name is relative to its module, or begins with its
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
	Related []Problem `json:"related,omitempty"` // such as calls that lead to the place; they have no codes
}

// Body is the data about a selected kernel. The body of a kernel that failed has only Source and
// Problems.
type Body struct {
	// Source has the declarations that the kernel reaches, its own first. The page stores it
	// separately, for searches.
	Source   []Excerpt `json:"-"`
	Problems []Problem `json:"problems,omitempty"`

	// Files are the files of Places.
	Files []string `json:"files,omitempty"`
	// Places are places in the source, to which lines refer by index: index of the file, line and
	// column.
	Places [][3]int `json:"places,omitempty"`
	// Built is the lowered module, and Passes are the passes that changed it, in order.
	Built  Listing `json:"built,omitzero"`
	Passes []Pass  `json:"passes,omitempty"`
	// Idle are the passes that changed nothing.
	Idle []string `json:"idle,omitempty"`
	// Values and Blocks have a character for each value and block, by number. 'u' (uniform) is for
	// values that are the same for all work-items of a work-group. It is also for blocks that all
	// work-items reach, unless they have returned. 'd' (divergent) is for the others. '.' is for
	// values and blocks that did not exist after pass narrow, when this is analysed.
	Values string `json:"values,omitempty"`
	Blocks string `json:"blocks,omitempty"`
	// Modules are the first module and the variants. The IR of the first is the listing after the
	// last pass.
	Modules []Module `json:"modules,omitempty"`

	Checks   *Checks   `json:"checks,omitempty"`
	Integers *Integers `json:"integers,omitempty"`
	Slices   []Slice   `json:"slices,omitempty"`
	Matrices []Matrix  `json:"matrices,omitempty"`
	Fused    []Finding `json:"fused,omitempty"` // sums that a product was fused into
	Float    string    `json:"float,omitempty"` // the floating-point mode
	Args     Args      `json:"args"`
	Aspects  []string  `json:"aspects,omitempty"` // aspects that devices must have
	// Lacks says which variants are missing, and why.
	Lacks []string `json:"lacks,omitempty"`
}

// Excerpt is a run of lines of a file.
type Excerpt struct {
	File string   `json:"file"`
	Line int      `json:"line"` // number of the first line
	Text []string `json:"text"`
}

// Listing is the text of a module. Values and blocks have the same numbers after all passes.
type Listing struct {
	Text []string `json:"text"`
	// At has, for each line, the index of its place, or -1.
	At []int `json:"at"`
}

// Pass is the changes of a pass.
type Pass struct {
	Name  string `json:"name"`
	Doc   string `json:"doc"`
	Edits []Edit `json:"edits"`
}

// Edit replaces lines of the listing after the previous pass. The edits of a pass are in order.
// Their line numbers are those of that listing, without the effect of earlier edits.
type Edit struct {
	From  int      `json:"from"` // index of the first line
	Lines int      `json:"lines,omitempty"`
	Text  []string `json:"text,omitempty"` // the new lines
	At    []int    `json:"at,omitempty"`
}

// Module is one of a kernel's modules.
type Module struct {
	Name    string   `json:"name"` // "" for the first module
	Bytes   int      `json:"bytes"`
	Without []string `json:"without,omitempty"` // aspects that the module does not need
	Late    bool     `json:"late,omitempty"`    // programs make the module when a device needs it
	// IR is the IR that a variant was emitted from; Edits change the first module's IR to it. The
	// first module has neither. Variants of which only the size is known have neither, and no Text.
	IR    *Listing `json:"ir,omitempty"`
	Edits []Edit   `json:"edits,omitempty"`
	Text  []string `json:"text,omitempty"` // SPIR-V, one instruction per line
	// From has, for each line of Text, the index of the line of the IR that it was emitted for, or
	// -1.
	From []int `json:"from,omitempty"`
}

// Matrix is a fact about a kernel's matrices. Pos is zero if the fact is not about a load or store.
type Matrix struct {
	Text string `json:"text"`
	Pos  Pos    `json:"pos"`
}

// Checks are the run-time checks, counted after inlining.
type Checks struct {
	Proved []Proved  `json:"proved"`
	Remain []Finding `json:"remain"`
}

// Proved is the number of checks that one kind of proof removed.
type Proved struct {
	By    string `json:"by"`
	Count int    `json:"count"`
}

// Integers are the computations in 64 bits.
type Integers struct {
	Narrowed int       `json:"narrowed"` // number of computations done in 32 bits
	Remain   []Finding `json:"remain"`
}

// Finding is a fact about a place.
type Finding struct {
	Pos   Pos    `json:"pos"`
	Kind  string `json:"kind"`
	Expr  string `json:"expr"` // the expression as the user wrote it
	Why   string `json:"why,omitempty"`
	Hint  string `json:"hint,omitempty"`
	Times int    `json:"times"` // number of occurrences, because functions are inlined
}

// Slice says which elements of a slice a work-item uses.
type Slice struct {
	Name string `json:"name"`
	Use  string `json:"use"` // a sentence
	Pos  Pos    `json:"pos,omitzero"`
}

// Args is the argument block.
type Args struct {
	Bytes   int      `json:"bytes"`
	Spilled bool     `json:"spilled,omitempty"` // the block is in device memory
	Params  []string `json:"params,omitempty"`  // name, type and place
}
