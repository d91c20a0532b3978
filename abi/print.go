package abi

// A PrintSite describes one call of a print function in a kernel. The host makes the printed text
// from the PrintSite and a record in the print buffer. See the package documentation.
type PrintSite struct {
	Func   PrintFunc
	Format string // format of Printf; except for "%%", its verbs use the arguments in order
	Args   []string
	Pos    string // file:line:col, with the file as in Site
}

// PrintFunc is the function that a PrintSite calls.
type PrintFunc uint8

const (
	Print       PrintFunc = iota // fmt.Print
	Printf                       // fmt.Printf
	Println                      // fmt.Println
	PredPrint                    // the predeclared function print
	PredPrintln                  // the predeclared function println
)

var printNames = [...]string{"Print", "Printf", "Println", "PredPrint", "PredPrintln"}

// String returns the name of the constant, such as "Printf".
func (f PrintFunc) String() string { return printNames[f] }

// Constants of the print buffer, which the package documentation describes.
const (
	// PrintParam is the name of the parameter that is the print buffer.
	PrintParam = "print buffer"

	// PrintHeader is the number of 32-bit words in the print buffer before the first record.
	PrintHeader = 4
	// PrintUsed, PrintLost and PrintLostHigh are the indices of 32-bit words in the header of the
	// print buffer.
	PrintUsed, PrintLost, PrintLostHigh = 0, 1, 2

	// PrintRecord is the number of 32-bit words in a record before the printed values. A record
	// begins with the number of its PrintSite, from 1, and the global id of the work-item.
	PrintRecord = 4

	// PrintTable is a bit in the word that contains the length of a string. If PrintTable is set,
	// the string is part of Kernel.PrintTexts.
	PrintTable = 1 << 31
	// MaxPrintString is the largest number of bytes of a string that a work-item copies to a
	// record.
	MaxPrintString = 32 << 10
	// MaxPrintBuffer is the largest size of a print buffer, in bytes.
	MaxPrintBuffer = 1 << 30
)

// PrintParam returns the index of the parameter that is the print buffer. For a kernel that does not print, PrintParam
// returns -1.
func (k *Kernel) PrintParam() int {
	if n := len(k.Params) - 1; n >= 0 && k.Params[n].IsPrint() {
		return n
	}
	return -1
}

// IsPrint reports whether the parameter is the print buffer, which is not a field of the kernel.
func (p *Param) IsPrint() bool { return p.Name == PrintParam }
