package env

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadme holds the README's table against the variables.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| Environment | May be | Meaning |\n|---|---|---|\n")
	for _, v := range Vars {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", v.Name, v.Allowed, v.Doc)
	}
	if !strings.Contains(string(text), b.String()) {
		t.Errorf("README.md lacks this table:\n%s", &b)
	}
}

// TestAll looks for variables in the sources that are not in the table.
func TestAll(t *testing.T) {
	// What tests set for themselves, and what only make browser reads, which documents it.
	known := map[string]bool{"KGEN_ON_SWIFTSHADER": true, "KGEN_BROWSER": true, "KGEN_PICTURES": true}
	for _, v := range Vars {
		known[v.Name] = true
	}
	name := regexp.MustCompile(`"(KGEN_[A-Z_0-9]+)"`)
	read := 0
	err := filepath.WalkDir("../..", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range name.FindAllStringSubmatch(string(text), -1) {
			read++
			if !known[m[1]] && !strings.HasPrefix(m[1], "KGEN_TEST_") {
				t.Errorf("%s: %s is not in the table", path, m[1])
			}
		}
		return err
	})
	if err != nil || read < len(Vars) {
		t.Fatal(read, err)
	}
}

func TestCheck(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, v := range Vars {
		t.Setenv(v.Name, "")
	}
	for _, c := range []struct {
		name        string
		good, wrong []string
	}{
		{Device, []string{"host", "0", "none such"}, nil},
		{Validate, []string{"0", "1"}, []string{"true", "2", "yes"}},
		{PipelineCache, []string{"off", t.TempDir(), t.TempDir() + "/new", "./cache"}, []string{"of", "OFF", "on", file}},
		{Fused, []string{"never"}, []string{"always", "0"}},
		{ExactDivide, []string{"always", "never"}, []string{"allways", "1", "Never"}},
		{Small, []string{"never"}, []string{"nevr", "0", "off", "always"}},
		{NVLink, []string{"off"}, []string{"on", "0", "Off", "of"}},
		{Checked, []string{"0", "1", "18446744073709551615"}, []string{"-1", "x", "18446744073709551616", "1.5"}},
		{HostForm, []string{"on", "off"}, []string{"of", "1", "On"}},
		{HostSubGroup, []string{"1", "4", "32", "128"}, []string{"0", "-4", "3", "256", "4x"}},
		{Trace, []string{"trace.json", "t-%p"}, nil},
		{Stale, []string{"run"}, []string{"1", "ok"}},
		{RequireVulkan, []string{"0", "1"}, []string{"true"}},
		{RequireSwiftShader, []string{"0", "1"}, []string{"true"}},
	} {
		for _, s := range c.good {
			t.Setenv(c.name, s)
			if w := Check(); w != nil {
				t.Errorf("%s=%s: refused", c.name, s)
			}
		}
		for _, s := range c.wrong {
			t.Setenv(c.name, s)
			if w := Check(); w == nil || w.Var.Name != c.name || w.Value != s {
				t.Errorf("%s=%s: %v", c.name, s, w)
			}
		}
		t.Setenv(c.name, "")
	}
}
