package archtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWorkflow runs the step of docs/github-actions.yml that puts the base's generated files in
// place: kgen sees these and no others, and behind it all is as it was checked out, also where
// packages come and go.
func TestWorkflow(t *testing.T) {
	for _, tool := range []string{"git", "bash"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	text, err := os.ReadFile("../../../docs/github-actions.yml")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^ +BASE: .*\n +run: \|\n((?: {10}.*\n)+)`).FindSubmatch(text)
	if m == nil {
		t.Fatal("the workflow has no step with BASE")
	}
	const kgen = "go() { test \"$*\" = 'tool kgen -check -diff ./...' && find generated -type f | sort; }\n"
	for _, c := range []struct {
		name       string
		base, head []string
		seen       string
	}{
		{"removed", []string{"kept/k", "gone/k"}, []string{"kept/k"}, "generated/gone/k\ngenerated/kept/k\n"},
		{"added", []string{"kept/k"}, []string{"kept/k", "new/k"}, "generated/kept/k\n"},
		{"both", []string{"kept/k", "gone/k"}, []string{"kept/k", "new/k"}, "generated/gone/k\ngenerated/kept/k\n"},
		{"the first", nil, []string{"new/k"}, "\n"},
	} {
		dir := t.TempDir()
		run := func(name string, args ...string) string {
			t.Helper()
			cmd := exec.CommandContext(t.Context(), name, args...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "BASE=base", "GITHUB_STEP_SUMMARY="+dir+"/.git/summary",
				"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %s %v: %v\n%s", c.name, name, args, err, out)
			}
			return string(out)
		}
		commit := func(branch string, files []string) {
			t.Helper()
			run("git", "checkout", "-q", "-b", branch)
			if err := os.RemoveAll(filepath.Join(dir, "generated")); err != nil {
				t.Fatal(err)
			}
			for _, f := range append([]string{"../go.mod"}, files...) {
				f = filepath.Join(dir, "generated", f)
				if err := os.MkdirAll(filepath.Dir(f), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(f, []byte(branch), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			run("git", "add", "-A")
			run("git", "-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", branch)
		}
		run("git", "init", "-q")
		commit("base", c.base)
		commit("head", c.head)
		run("bash", "-e", "-o", "pipefail", "-c", kgen+string(m[1])) // as GitHub runs it
		if out := run("git", "status", "--porcelain"); out != "" {
			t.Errorf("%s: left behind:\n%s", c.name, out)
		}
		summary, err := os.ReadFile(dir + "/.git/summary")
		if err != nil || strings.Trim(string(summary), "`\n")+"\n" != c.seen {
			t.Errorf("%s: kgen sees %s, %v, want\n%s", c.name, summary, err, c.seen)
		}
	}
}
