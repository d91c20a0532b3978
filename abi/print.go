package abi

// A PrintSite is a call of a kernel that prints: what the host needs to make text of a record
// in the print buffer; see the package documentation.
type PrintSite struct {
	Func   PrintFunc
	Format string // of Printf; its verbs take the arguments in order, "%%" apart
	Args   []string
	Pos    string // file:line:col, the file as in Site
}

// PrintFunc is the function that a PrintSite calls.
type PrintFunc uint8

const (
	Print       PrintFunc = iota // fmt.Print
	Printf                       // fmt.Printf
	Println                      // fmt.Println
	PredPrint                    // print, which is predeclared
	PredPrintln                  // println
)

var printNames = [...]string{"Print", "Printf", "Println", "PredPrint", "PredPrintln"}

// String returns the name of the constant.
func (f PrintFunc) String() string { return printNames[f] }

// Constants of the print buffer; see the package documentation.
const (
	// PrintParam is the name of the parameter that is the print buffer.
	PrintParam = "print buffer"

	// PrintHeader is the number of words before the records.
	PrintHeader = 4
	// The words of the header.
	PrintUsed, PrintLost, PrintLostHigh = 0, 1, 2

	// PrintRecord is the number of words of a record before its values: the number of its
	// site, from 1, and the work-item's global id.
	PrintRecord = 4

	// PrintTable is set in the length of a string that is part of Kernel.PrintTexts.
	PrintTable = 1 << 31
	// MaxPrintString is the number of bytes of the longest string that is copied to a record.
	MaxPrintString = 32 << 10
	// MaxPrintBuffer is the size in bytes of the largest print buffer.
	MaxPrintBuffer = 1 << 30
)

// PrintParam returns the index of the parameter that is the print buffer, or -1 for a kernel
// that does not print.
func (k *Kernel) PrintParam() int {
	if n := len(k.Params) - 1; n >= 0 && k.Params[n].IsPrint() {
		return n
	}
	return -1
}

// IsPrint reports whether the parameter is the print buffer, which is no field of the kernel.
func (p *Param) IsPrint() bool { return p.Name == PrintParam }
