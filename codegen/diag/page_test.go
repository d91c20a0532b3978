package diag

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/golden"
)

// groups are the diagnostics by their first digit.
var groups = []struct {
	first Code
	title string
}{
	{0, "Packages and kernels"},
	{100, "Statements and control flow"},
	{200, "Types and memory"},
	{300, "Calls"},
	{400, "Work-groups"},
	{500, "Properties"},
	{600, "Specialization constants and private memory"},
}

// TestPage: docs/diagnostics.md has what kgen explain says; -update writes it.
func TestPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Diagnostics

This page lists the diagnostics that kgen and kgenvet report, with the texts of
` + "`go tool kgen explain`" + `. That command also prints two small packages for each diagnostic: one with the
error, and one that does the same without the error.

` + "```\ngo tool kgen explain KG203\n```\n\n" + `This page is written by ` + "`go test ./codegen/diag -run TestPage -update`" + `.
`)
	codes := Codes()
	for i, g := range groups {
		fmt.Fprintf(&b, "\n## %s\n", g.title)
		n := 0
		for _, c := range codes {
			if c < g.first || i+1 < len(groups) && c >= groups[i+1].first {
				continue
			}
			n++
			fmt.Fprintf(&b, "\n### %v\n\n**%s**\n\n```text\n%s\n```\n", c, Summary(c), readExplanations()[c].text)
		}
		if n == 0 {
			t.Errorf("no diagnostics in %q", g.title)
		}
	}
	if n := strings.Count(b.String(), "\n### "); n != len(codes) {
		t.Errorf("%d of %d diagnostics", n, len(codes))
	}
	golden.Equal(t, "../../docs/diagnostics.md", []byte(b.String()))
}
