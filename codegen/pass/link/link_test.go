package link_test

import (
	"testing"

	"github.com/kgen-go/kgen/codegen/back"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/pass/link"
	"github.com/kgen-go/kgen/internal/modules"
)

func TestX(t *testing.T) {
	dir, err := modules.Folder("github.com/kgen-go/kgen/internal/conformance/steps")
	if err != nil {
		t.Fatal(err)
	}
	ks, err := modules.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	m, err := back.Restore(ks["Affine"])
	if err != nil {
		t.Fatal(err)
	}
	l, err := link.Link("Affine+Affine", []link.Part{
		{Module: m, Slices: []link.Slice{{}, {}, {1, 1}, {2, 1}}},
		{Module: m, Slices: []link.Slice{{}, {}, {2, 1}, {3, 1}}},
		{Module: m, Slices: []link.Slice{{}, {}, {3, 1}, {4, 1}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(l.Module, l.Origins)
	c, diags, err := back.CompileGeneral(&back.Kernel{Module: l.Module, Name: "X", Package: "P", From: pass.LinkPoint})
	t.Log(diags, err)
	if c != nil {
		t.Log(l.Module)
	}
}
