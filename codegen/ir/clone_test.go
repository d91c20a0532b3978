package ir

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/properties"
)

// cloneTexts returns modules as text: this package's and those of package pass.
func cloneTexts(t *testing.T) map[string]string {
	texts := map[string]string{}
	for _, pattern := range []string{"testdata/*.ir", "../pass/*/testdata/*.ir", "../pass/*/testdata/*.out"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			texts[f] = string(b)
		}
	}
	return texts
}

// fill sets what no text has, so that a clone which forgets it shows.
func fill(m *Module) {
	for i, b := range m.Kernel.Blocks {
		b.Loop, b.Term.Pos = Pos{"a/k.go", i + 1, 2}, Pos{"a/k.go", i + 1, 3}
		for k, v := range b.Insts {
			v.Pos = Pos{"a/k.go", i + 1, 4 + k}
		}
	}
	for _, s := range m.Specs {
		s.User = &abi.SpecConstant{ID: s.ID, Name: s.Name}
	}
	m.Privates = []abi.Private{{Name: "p", Len: 3}}
	m.Uses = []AspectUse{{Aspect: properties.FP64, In: "f", Calls: []CallSite{{Caller: "g", Pos: Pos{"a/k.go", 1, 1}}}}}
	m.Variables, m.Unwatched = []abi.Variable{{Name: "v", Var: new(int)}}, []string{"w"}
	m.Target.Small, m.Target.First = true, NewModule("First")
	m.ConstExpr(OpIAdd, TypeI32, m.Int(TypeI32, 3), m.Int(TypeI32, 4))
	m.ArrayOf(m.StructOf([]Field{{Name: "f", Type: TypeI16}}, 2, 2), m.Int(TypeI32, 5))
}

// TestClone: a clone prints as its module does, positions included; no pointer, slice or map
// leads from one to the other, whatever fields there are; and changes of the clone do not
// show in the module.
func TestClone(t *testing.T) {
	for name, text := range cloneTexts(t) {
		m := mustParse(t, text)
		fill(m)
		want := m.Text(PrintOptions{Positions: true})
		c := m.Clone()
		if got := c.Text(PrintOptions{Positions: true}); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
		if err, want := Verify(c), Verify(m); (err == nil) != (want == nil) {
			t.Errorf("%s: the clone: %v, the module: %v", name, err, want)
		}
		p := &parallel{t: t, name: name, to: map[any]any{}, from: map[any]any{}}
		p.walk("m", reflect.ValueOf(m), reflect.ValueOf(c))

		if x, y := m.newValue(OpNot, TypeI32), c.newValue(OpNot, TypeI32); x.ID != y.ID {
			t.Errorf("%s: the next value has the id %d in the module, %d in the clone", name, x.ID, y.ID)
		}
		ruin(c)
		if got := m.Text(PrintOptions{Positions: true}); got != want {
			t.Errorf("%s: changes of the clone show in the module:\n%s", name, got)
		}
	}
}

// ruin changes all that a text has of a module.
func ruin(m *Module) {
	m.Name, m.Specs, m.Helpers = "Other", m.Specs[:0], m.Helpers[:0]
	for i := range m.Params {
		m.Params[i].Name = "other"
	}
	for _, s := range m.Sites {
		s.Message = "other"
	}
	for _, v := range m.Vars {
		v.Name, v.Type = "other", TypeI8
		for i := range v.Init {
			v.Init[i] = m.Int(TypeI32, 77)
		}
	}
	clear(m.Data)
	for _, b := range m.Kernel.Blocks {
		for _, v := range append(b.Phis, b.Insts...) {
			v.Op, v.Aux, v.Pos = OpNot, nil, Pos{}
			for i := range v.Args {
				v.Args[i] = m.Int(TypeI32, 77)
			}
		}
		b.Term.Kind, b.Term.Pos = Unreachable, Pos{}
		clear(b.Term.Succs)
		clear(b.Preds)
		clear(b.Insts)
	}
}

// parallel walks a module and its clone side by side.
type parallel struct {
	t        *testing.T
	name     string
	to, from map[any]any // pointers of the module to those of the clone, and back
}

// keep reports whether the clone is to have the same pointer: those of scalar and vector types, and
// of what is no part of the module.
func keep(path string, v reflect.Value) bool {
	if path == "m.Variables[].Var" || path == "m.Target.First" {
		return true
	}
	if v.Type() != reflect.TypeFor[*Type]() {
		return false
	}
	k := v.Elem().FieldByName("Kind").Uint()
	return k != uint64(Array) && k != uint64(Struct)
}

func (p *parallel) walk(path string, a, b reflect.Value) {
	if a.Kind() != b.Kind() || a.Type() != b.Type() {
		p.t.Fatalf("%s: %s is a %v, and a %v in the clone", p.name, path, a.Type(), b.Type())
	}
	switch a.Kind() {
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			if a.IsNil() != b.IsNil() {
				p.t.Fatalf("%s: %s is nil in one", p.name, path)
			}
			return
		}
		x, y := a.UnsafePointer(), b.UnsafePointer()
		if keep(path, a) {
			if x != y {
				p.t.Errorf("%s: %s is a copy", p.name, path)
			}
			return
		}
		if x == y {
			p.t.Fatalf("%s: %s is shared", p.name, path)
		}
		if was, ok := p.to[x]; ok {
			if was != y {
				p.t.Fatalf("%s: %s has two copies", p.name, path)
			}
			return
		}
		if _, ok := p.from[y]; ok {
			p.t.Fatalf("%s: %s is a copy of two", p.name, path)
		}
		p.to[x], p.from[y] = y, x
		p.walk(path, a.Elem(), b.Elem())
	case reflect.Interface:
		if a.IsNil() || b.IsNil() {
			if a.IsNil() != b.IsNil() {
				p.t.Fatalf("%s: %s is nil in one", p.name, path)
			}
			return
		}
		p.walk(path, a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			p.walk(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))
		}
	case reflect.Slice:
		if a.Len() != b.Len() || a.IsNil() != b.IsNil() {
			p.t.Fatalf("%s: %s has another length", p.name, path)
		}
		if a.Len() > 0 && a.UnsafePointer() == b.UnsafePointer() {
			p.t.Fatalf("%s: %s is shared", p.name, path)
		}
		for i := range a.Len() {
			p.walk(path+"[]", a.Index(i), b.Index(i))
		}
	case reflect.Array:
		for i := range a.Len() {
			p.walk(path+"[]", a.Index(i), b.Index(i))
		}
	case reflect.Map:
		if a.UnsafePointer() == b.UnsafePointer() {
			p.t.Fatalf("%s: %s is shared", p.name, path)
		}
		if path != "m.consts" { // others intern types, by pointers
			return
		}
		if a.Len() != b.Len() {
			p.t.Fatalf("%s: %s has another length", p.name, path)
		}
		for _, k := range a.MapKeys() {
			x := b.MapIndex(k)
			if !x.IsValid() {
				p.t.Fatalf("%s: %s lacks %v", p.name, path, k)
			}
			p.walk(path+"[]", a.MapIndex(k), x)
		}
	default:
		if !a.Equal(b) {
			p.t.Fatalf("%s: %s is %v, and %v in the clone", p.name, path, a, b)
		}
	}
}
