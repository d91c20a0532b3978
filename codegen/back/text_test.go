package back_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/kgen-go/kgen/codegen/back"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/internal/modules"
)

// TestRestored: what is compiled from a kernel's IR is the kernel's module, word for word.
func TestRestored(t *testing.T) {
	packages, err := modules.Packages()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, pkg := range packages {
		dir, err := modules.Folder(pkg)
		if err != nil {
			t.Fatal(err)
		}
		kernels, err := modules.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range kernels {
			n++
			m, err := back.Restore(k)
			if err != nil {
				t.Error(err)
				continue
			}
			if text := back.Text(m); text != k.IR {
				t.Errorf("%s: the text of what was read is another", k.FullName())
			}
			c, diags, err := back.CompileGeneral(&back.Kernel{Module: m, Name: k.Name, Package: k.Package, Properties: k.Properties, From: pass.LinkPoint})
			if err != nil || len(diags) > 0 {
				t.Errorf("%s: %v %v", k.FullName(), err, diags)
				continue
			}
			var words []byte
			for _, w := range c.Words {
				words = binary.LittleEndian.AppendUint32(words, w)
			}
			if !bytes.Equal(words, []byte(k.SPIRV)) {
				t.Errorf("%s: %d words of the kernel's IR, and %d of the kernel", k.FullName(), len(words)/4, len(k.SPIRV)/4)
			}
		}
	}
	if n < 400 {
		t.Errorf("only %d kernels", n)
	}
}
