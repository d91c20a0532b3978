package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/report"
)

func TestExplain(t *testing.T) {
	var all, one, two bytes.Buffer
	if err := report.Explain(&all); err != nil {
		t.Error(err)
	}
	if lines := strings.Count(all.String(), "\n"); lines != len(diag.Codes()) || !strings.Contains(all.String(), "\nKG301  A function calls itself.\n") {
		t.Errorf("%d lines for %d codes:\n%s", lines, len(diag.Codes()), &all)
	}
	if err := report.Explain(&one, "kg301"); err != nil || !strings.HasPrefix(one.String(), "KG301: A function calls itself.\n\n") {
		t.Errorf("%v: %s", err, &one)
	}
	if err := report.Explain(&two, "KG301", "203"); err != nil || !strings.HasPrefix(two.String(), one.String()) || !strings.Contains(two.String(), "\nKG203: ") {
		t.Errorf("%v: %s", err, &two)
	}
	for _, bad := range []string{"KG999", "nope", ""} {
		if err := report.Explain(&one, bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
