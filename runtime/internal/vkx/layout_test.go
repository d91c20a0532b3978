//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vkx

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/need"
)

// TestLayout: the structs of zdecl.go have the sizes and offsets of those that C makes of vk_decl.h, and so
// of Vulkan's own header where that is installed.
func TestLayout(t *testing.T) {
	header, err := filepath.Abs("vk_decl.h")
	if err != nil {
		t.Fatal(err)
	}
	headers := []string{header}
	if system := "/usr/include/vulkan/vulkan_core.h"; exists(system) {
		headers = append(headers, system)
	}
	for _, header := range headers {
		text, err := os.ReadFile(header)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "#include <stdio.h>\n#include %q\nint main(void) {\n", header)
		var want []string
		line := func(c, goName string, n uintptr) {
			fmt.Fprintf(&b, "\tprintf(\"%%zu\\n\", %s);\n", c)
			want = append(want, fmt.Sprintf("%s %d", goName, n))
		}
		for name, s := range structs {
			if !strings.Contains(string(text), name) {
				t.Logf("%s: has no %s: it is older", header, name)
				continue
			}
			line("sizeof("+name+")", name, s.Size())
			for i := range s.NumField() {
				f := s.Field(i)
				line(fmt.Sprintf("offsetof(%s, %s)", name, cName(f.Name)), name+"."+f.Name, f.Offset)
				line(fmt.Sprintf("sizeof(((%s *)0)->%s)", name, cName(f.Name)), "size of "+name+"."+f.Name, f.Type.Size())
			}
		}
		b.WriteString("\treturn 0;\n}\n")
		got := strings.Fields(runC(t, b.String()))
		if len(got) != len(want) || len(got) < 500 {
			t.Fatalf("%s: %d numbers of C, %d of Go's %d structs", header, len(got), len(want), len(structs))
		}
		for i, w := range want {
			if !strings.HasSuffix(w, " "+got[i]) {
				t.Errorf("%s: in Go %s, in C %s", header, w, got[i])
			}
		}
	}
}

// cName is a field's name in C, which has names that are words of Go.
func cName(field string) string { return strings.TrimSuffix(field, "_") }

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// runC compiles a program of C and returns its output.
func runC(t *testing.T, text string) string {
	t.Helper()
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "gcc"
	}
	if _, err := exec.LookPath(cc); err != nil {
		need.Missing(t, need.Vulkan, "no C compiler: %v", err)
	}
	dir := t.TempDir()
	source, program := filepath.Join(dir, "layout.c"), filepath.Join(dir, "layout")
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestChained: the driver fills each struct that holds features, on a device with all extensions. A
// feature of a struct that is not chained is never found.
func TestChained(t *testing.T) {
	f := &features{}
	f.chainStructs(^extensionSet(0))
	v := reflect.ValueOf(f).Elem()
	for i := range v.NumField() {
		if n := v.Type().Field(i).Name; n != "f2" && v.Field(i).FieldByName("sType").Uint() == 0 {
			t.Errorf("no chain leads to %s", n)
		}
	}
	for n := range Feature(NumFeatures) {
		*f.at(n) = 1
	}
}
