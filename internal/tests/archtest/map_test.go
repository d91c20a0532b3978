package archtest

import (
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"
)

// TestMap: the table of packages in ARCHITECTURE.md has each package, or a folder above it that holds
// one thing, and each folder that the table has is there.
func TestMap(t *testing.T) {
	text, err := os.ReadFile("../../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n## Packages\n")
	table, _, _ = strings.Cut(table, "\n## ")
	rows := map[string]bool{"examples": true} // of which README.md has a table
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		first, _, _ := strings.Cut(line[1:], "|")
		for _, m := range regexp.MustCompile("`([^`]+)/`").FindAllStringSubmatch(first, -1) {
			rows[m[1]] = true
			if _, err := os.Stat(path.Join("../../..", m[1])); err != nil {
				t.Errorf("the table has %s, which is not there", m[1])
			}
		}
	}
	list := exec.Command("go", "list", "./...")
	list.Dir = "../../.."
	out, err := list.Output()
	if err != nil || len(rows) < 50 {
		t.Fatalf("%d folders, %v", len(rows), err)
	}
	for _, name := range strings.Fields(string(out)) {
		name = strings.TrimPrefix(name, module+"/")
		at := name
		// A row for codegen, pass or runtime is about that package alone: they hold many things.
		for !rows[at] && strings.Contains(at, "/") {
			at = path.Dir(at)
		}
		if group := at == "codegen" || at == "codegen/pass" || at == "runtime"; !rows[at] || group && at != name {
			t.Errorf("%s is not in ARCHITECTURE.md's table of packages", name)
		}
	}
}
