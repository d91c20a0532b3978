package main

import (
	"strings"
	"testing"
)

// TestSummary reads what go test -json prints of a package that fails, one that skips, one
// that panics, and one that does not build.
func TestSummary(t *testing.T) {
	const events = `{"Action":"output","Package":"a","Test":"TestOne","Output":"    a_test.go:5: device: a GPU\n"}
{"Action":"pass","Package":"a","Test":"TestOne","Elapsed":1}
{"Action":"output","Package":"a","Test":"TestTwo","Output":"    a_test.go:9: got 1, want 2\n"}
{"Action":"fail","Package":"a","Test":"TestTwo"}
{"Action":"fail","Package":"a","Elapsed":2.5}
{"Action":"output","Package":"b","Test":"TestThree","Output":"    b_test.go:3: no Vulkan device\n"}
{"Action":"skip","Package":"b","Test":"TestThree"}
{"Action":"pass","Package":"b","Elapsed":0.1}
{"Action":"output","Package":"c","Test":"TestFour","Output":"panic: oh\n"}
{"Action":"fail","Package":"c","Elapsed":0.2}
{"ImportPath":"d","Action":"build-output","Output":"d.go:1:1: syntax error\n"}
{"ImportPath":"d","Action":"build-fail"}
{"Action":"fail","Package":"d","Elapsed":0,"FailedBuild":"d"}
{"Action":"output","Package":"e","Output":"exit status 3\n"}
{"Action":"fail","Package":"e","Elapsed":0.3}
not JSON
`
	var b strings.Builder
	s := newSummary(&b)
	s.read(strings.NewReader(events))
	s.printEnd()
	for _, want := range []string{
		"a_test.go:9: got 1, want 2\n", "FAIL      2.5s  a\n", "ok        0.1s  b\n", "panic: oh\n", "FAIL      0.2s  c\n",
		"d.go:1:1: syntax error\n", "not JSON\n", "\n1 tests passed, 5 failed, in ", "  on a GPU: 1 tests that open it\n",
		"  skipped 1, as TestThree: no Vulkan device\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	// The last lines say what failed: tests, packages that ended amid a test or without one, and
	// packages that did not build.
	const last = "  failed: a TestTwo\n  failed: c, in TestFour\n  failed: d, which does not build\n  failed: e\n"
	if !strings.HasSuffix(b.String(), last) {
		t.Errorf("the output does not end with\n%s but with\n%s", last, b.String())
	}
	if strings.Contains(b.String(), "TestOne") {
		t.Error("what passes is told of")
	}
}
