package testflag

import (
	"flag"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestFlags gives flags what means something and what does not.
func TestFlags(t *testing.T) {
	saved := flag.CommandLine
	defer func() { flag.CommandLine = saved }()
	flag.CommandLine = flag.NewFlagSet("test", flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard)

	modules := List("modules", []string{"general"}, []string{"general", "small", "words"}, "modules to run")
	n := Int("n", 5, 1, 9, "a number of things")
	seeds := Int("seeds", uint64(3), 1, math.MaxInt, "seeds")
	side := Multiple("side", 32, 16, "rows")
	keep := Folder("keep", "what failed")
	width := PowerOfTwo("width", 256, 64, "columns")

	for _, arg := range []string{"modules=nosuch", "modules=small,nosuch", "modules=", "modules=small,", "n=0", "n=10", "n=-1", "n=x", "n=",
		"seeds=0", "seeds=99999999999999999999", "side=0", "side=24", "width=32", "width=96", "keep=/nosuch", "keep=testflag.go"} {
		name, _, _ := strings.Cut(arg, "=")
		before := flag.Lookup(name).Value.String()
		err := flag.CommandLine.Parse([]string{"-" + arg})
		if err == nil || !strings.Contains(err.Error(), "-"+name) {
			t.Errorf("-%s: error %v", arg, err)
		}
		if after := flag.Lookup(name).Value.String(); after != before {
			t.Errorf("-%s changed %s to %s", arg, before, after)
		}
	}
	err := flag.CommandLine.Parse([]string{"-modules=nosuch"})
	if want := `invalid value "nosuch" for flag -modules: there is no "nosuch", only general, small, words`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}

	if err := flag.CommandLine.Parse(strings.Fields("-modules=words,general -n=9 -seeds=1000 -side=48 -width=64 -keep=.")); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(*modules, []string{"words", "general"}) || *n != 9 || *seeds != 1000 || *side != 48 || *width != 64 || *keep != "." {
		t.Error(*modules, *n, *seeds, *side, *width, *keep)
	}
}
