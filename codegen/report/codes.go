package report

import (
	"fmt"
	"io"

	"github.com/kgen-go/kgen/codegen/diag"
)

// Explain prints the meaning of each given code, such as KG203, and a way to change the kernel. If no codes are given,
// Explain prints one line for every code.
func Explain(w io.Writer, codes ...string) error {
	for i, name := range codes {
		code, ok := diag.ParseCode(name)
		text, found := diag.Explain(code)
		if !ok || !found {
			return fmt.Errorf("no diagnostic has the code %q; kgen explain lists all", name)
		}
		if i > 0 {
			text = "\n" + text
		}
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
	}
	if len(codes) > 0 {
		return nil
	}
	for _, c := range diag.Codes() {
		if _, err := fmt.Fprintf(w, "%v  %s\n", c, diag.Summary(c)); err != nil {
			return err
		}
	}
	return nil
}
