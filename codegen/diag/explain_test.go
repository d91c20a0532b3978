package diag

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// declared returns the constants of codes.go.
func declared(t *testing.T) []Code {
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var codes []Code
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			lit, ok := v.Values[0].(*ast.BasicLit)
			if !ok {
				t.Fatalf("%s is no number", v.Names[0])
			}
			c, err := strconv.Atoi(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, Code(c))
		}
		return true
	})
	slices.Sort(codes)
	return codes
}

func TestCodes(t *testing.T) {
	want := declared(t)
	if got := Codes(); !slices.Equal(got, want) {
		t.Errorf("explained are %v, declared %v", got, want)
	}
	if len(want) < 20 {
		t.Errorf("only %d codes", len(want))
	}
}

func TestExplain(t *testing.T) {
	for _, c := range Codes() {
		text, ok := Explain(c)
		bad, good := Example(c)
		if !ok || bad == "" || good == "" || readExplanations()[c].text == "" {
			t.Errorf("%v: something is missing:\n%s", c, text)
		}
		for _, src := range []string{bad, good} {
			out, err := format.Source([]byte(src))
			if err != nil || string(out) != src {
				t.Errorf("%v: not as gofmt writes it (%v):\n%s", c, err, src)
			}
		}
		if s := Summary(c); !strings.HasSuffix(s, ".") || len(s) > 72 || strings.Count(s, ".") > 1 {
			t.Errorf("%v: %q is no short sentence", c, s)
		}
		for line := range strings.Lines(readExplanations()[c].text) {
			if len(line) > 81 {
				t.Errorf("%v: a line of %d bytes: %s", c, len(line), line)
			}
		}
		if !strings.HasPrefix(text, c.String()+": "+Summary(c)) {
			t.Errorf("%v: begins with %.40q", c, text)
		}
	}
	if text, ok := Explain(999); ok || text != "" || Summary(999) != "" {
		t.Errorf("KG999: %q", text)
	}
}

func TestParseCode(t *testing.T) {
	for s, want := range map[string]Code{"KG203": 203, "kg001": 1, "101": 101, "KG": 0, "": 0, "KG1": 0, "KG-12": 0, "x": 0, "KG2031": 0} {
		if got, ok := ParseCode(s); got != want || ok != (want != 0) {
			t.Errorf("%q: %v, %v", s, got, ok)
		}
	}
}
