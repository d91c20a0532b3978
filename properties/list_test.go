package properties

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		list List
		want string // part of the error, or "" if the list is valid
	}{
		{List{}, ""},
		{List{WorkGroupSize(8), SubGroupSize(4), DeviceHas(), Float(FloatExact)}, ""},
		{List{WorkGroupSize(2, 3, 4), WorkGroupSizeHint(7)}, ""},
		{List{WorkGroupSize()}, "1 to 3 sizes"},
		{List{WorkGroupSize(1, 1, 1, 1)}, "1 to 3 sizes"},
		{List{WorkGroupSizeHint(0)}, "not positive"},
		{List{WorkGroupSize(1, 0)}, "not positive"},
		{List{SubGroupSize(-1)}, "not positive"},
		{List{WorkGroupSize(8), WorkGroupSize(8)}, "twice"},
		{List{DeviceHas(FP64, 0)}, "unknown aspect"},
		{List{Float(9)}, "unknown mode"},
		{List{{}}, "not a property"},
	} {
		err := c.list.Validate()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.list, err, c.want)
		}
	}
}

func TestListsAreSets(t *testing.T) {
	a := List{SubGroupSize(8), WorkGroupSize(4)}
	b := List{WorkGroupSize(4), SubGroupSize(8)}
	if !a.Equal(b) || a.Equal(b[:1]) || a.Equal(List{WorkGroupSize(4), SubGroupSize(16)}) {
		t.Error("Equal depends on the order, or ignores values")
	}
	if _, ok := a.Get(KeyDeviceHas); ok || !a.Has(KeySubGroupSize) {
		t.Error("Get and Has")
	}
}

// The lists that a property was made from, or gave out, are not shared.
func TestPropertiesAreValues(t *testing.T) {
	has := []Aspect{FP64}
	p := DeviceHas(has...)
	has[0] = FP16
	p.Aspects()[0] = Int8
	WorkGroupSize(8).Dims()[0] = 9
	if got := p.String(); got != "DeviceHas(fp64)" {
		t.Error(got)
	}
}

func TestAspectNames(t *testing.T) {
	for _, a := range Aspects() {
		if b, ok := ParseAspect(a.String()); !ok || b != a || !a.Valid() {
			t.Errorf("%v does not parse back", a)
		}
	}
	if _, ok := ParseAspect("invalid"); ok {
		t.Error("the invalid aspect parses")
	}
}

// TestAspectConstants compares the names that the table has of constants with the source.
func TestAspectConstants(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "aspect.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
			for _, s := range g.Specs {
				names = append(names, s.(*ast.ValueSpec).Names[0].Name)
			}
		}
	}
	if len(names) != int(numAspects)+1 { // numAspects itself
		t.Fatalf("%d constants, %d aspects", len(names), numAspects)
	}
	for a, name := range names[:numAspects] {
		if got := fmt.Sprintf("%#v", Aspect(a)); got != "properties."+name {
			t.Errorf("%s is called %s", name, got)
		}
	}
}
