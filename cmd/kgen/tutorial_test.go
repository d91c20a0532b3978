package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/need"
)

var tutorial = flag.Bool("tutorial", false, "TestTutorial runs the commands of docs/tutorial.md, which takes a minute")

// TestTutorial does what docs/tutorial.md says, in its order, in a fresh module: it writes the files,
// makes the edits, and compares what the commands print with the page, but for numbers.
func TestTutorial(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	blocks := blocksOf(t, filepath.Join(root, "docs/tutorial.md"))
	first := ""
	for _, b := range blocks {
		if strings.HasPrefix(b.text, "mkdir ") {
			first = b.text
		}
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if first == "" || !strings.Contains(string(readme), "```\n"+strings.Replace(first, "init smooth", "init saxpy", 1)+"```\n") {
		t.Errorf("README.md does not begin a module as the tutorial does:\n%s", first)
	}
	if !*tutorial {
		t.Skip("without -tutorial nothing is run")
	}
	t.Setenv("KGEN_DEVICE", "host")
	l := &learner{t: t, root: root, dir: filepath.Join(need.Dir(t), "hello")}
	for _, b := range blocks {
		if b.language == "go" {
			l.write(b)
		} else {
			l.run(b.text)
		}
	}
	if l.commands < 30 || l.edits != len(tutorialEdits) {
		t.Errorf("%d commands and %d of %d edits: are they found?", l.commands, l.edits, len(tutorialEdits))
	}
}

// block is a block of code in a page, with the text ahead of it, and the line that it begins at.
type block struct {
	language, text, before string
	line                   int
}

// goFile finds the name of a Go file in a text.
var goFile = regexp.MustCompile("`([\\w/]+\\.go)`")

func blocksOf(t *testing.T, name string) (blocks []block) {
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, m := range regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$").FindAllSubmatchIndex(page, -1) {
		line := bytes.Count(page[:m[0]], []byte("\n")) + 1
		blocks = append(blocks, block{string(page[m[2]:m[3]]), string(page[m[4]:m[5]]), string(page[at:m[0]]), line})
		at = m[1]
	}
	return blocks
}

// edit is a change of smooth/kernel.go that the tutorial describes. It is made when the block with
// the text at is reached, from which new may take the text: BLOCK stands for it.
type edit struct{ at, old, new string }

var tutorialEdits = []edit{
	{"\t\tj := min(max(", "\t\tsum += k.In[i+d]\n", "BLOCK"},
	{"\n$ go test ./smooth\n--- FAIL", "k.Out[i] =", "k.Out[0] ="},
	{"\n$ go tool kgenvet ./...\n$ go test ./smooth\nok", "k.Out[0] =", "k.Out[i] ="},
	{"import (\n\t\"fmt\"\n\n\t\"github.com/kgen-go/kgen/dsl\"\n)\n", "import \"github.com/kgen-go/kgen/dsl\"\n", "BLOCK"},
	{"\tif i < 2 {", "\tk.Out[i] =", "BLOCK\tk.Out[i] ="},
	{"$ go generate ./...\n", "", ""}, // the block that is this alone: print is taken out again
	{"\tif i >= len(k.Out) {", "\ti := it.GlobalID()\n", "\ti := it.GlobalID()\nBLOCK"},
}

// learner does what the tutorial says.
type learner struct {
	t               *testing.T
	root, dir       string
	printless       string // smooth/kernel.go before it prints
	edits, commands int
}

// write writes a file, or makes an edit. The loop that the tutorial begins with is neither.
func (l *learner) write(b block) {
	if !strings.HasPrefix(b.text, "package ") && !strings.Contains(b.text, "\npackage ") {
		l.edit(b.text)
		return
	}
	names := goFile.FindAllStringSubmatch(b.before, -1)
	if names == nil {
		l.t.Fatalf("no name of a file stands before\n%s", b.text)
	}
	write(l.t, l.dir, names[len(names)-1][1], b.text)
}

// edit makes the next edit, if it is this block's.
func (l *learner) edit(text string) {
	if l.edits == len(tutorialEdits) {
		return
	}
	e := tutorialEdits[l.edits]
	if e.old == "" && text != e.at || !strings.Contains(text, e.at) {
		return
	}
	l.edits++
	kernel, err := os.ReadFile(filepath.Join(l.dir, "smooth/kernel.go"))
	if err != nil {
		l.t.Fatal(err)
	}
	changed := l.printless
	if e.old != "" {
		if !strings.Contains(string(kernel), e.old) {
			l.t.Fatalf("no %q in\n%s", e.old, kernel)
		}
		changed = strings.Replace(string(kernel), e.old, strings.Replace(e.new, "BLOCK", text, 1), 1)
	}
	if strings.HasPrefix(text, "import (") {
		l.printless = string(kernel)
	}
	write(l.t, l.dir, "smooth/kernel.go", changed)
}

// run runs the commands of a block, behind "$ " or, in the first one, on every line.
func (l *learner) run(text string) {
	if rest, ok := strings.CutPrefix(text, "mkdir ../hello && cd ../hello\n"); ok {
		if err := os.MkdirAll(l.dir, 0o777); err != nil {
			l.t.Fatal(err)
		}
		text = "$ " + strings.ReplaceAll(strings.TrimSpace(strings.ReplaceAll(rest, "=../kgen", "="+l.root)), "\n", "\n$ ") + "\n"
	}
	if !strings.HasPrefix(text, "$ ") {
		return
	}
	l.edit(text)
	for _, part := range strings.Split(strings.TrimPrefix(text, "$ "), "\n$ ") {
		command, shown, _ := strings.Cut(part, "\n")
		if strings.Contains(command, "llvmpipe") {
			continue
		}
		l.commands++
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = l.dir
		out, err := cmd.CombinedOutput()
		fails := regexp.MustCompile(`(?m)^exit status|^--- FAIL|_RunGoGenerate$|: KG\d|out of date`).MatchString(shown)
		if (err != nil) != fails {
			l.t.Fatalf("$ %s\n%s%v", command, out, err)
		}
		got := plain(string(out))
		for line := range strings.Lines(shown) {
			measured := strings.Contains(command, "-bench") || strings.Contains(command, "pprof") || strings.Contains(command, "devices") && !strings.HasPrefix(line, "0 ")
			if line = plain(strings.TrimSuffix(line, "\n")); !measured && !strings.HasPrefix(strings.TrimSpace(line), "…") && !strings.Contains(got, line) {
				l.t.Errorf("$ %s\n%s\ndoes not print\n%s", command, out, line)
			}
		}
	}
}

// plain leaves out what differs between machines, as times and the host's name do, and what each
// version of the compiler changes: the sizes of modules. Lines and columns of positions stay.
func plain(s string) string {
	s = regexp.MustCompile(`host \([^)]*\)`).ReplaceAllString(s, "host")
	s = regexp.MustCompile(`work-item \[\d+\]`).ReplaceAllString(s, "work-item [N]")
	s = regexp.MustCompile(`\d{4}/\d\d/\d\d \d\d:\d\d:\d\d`).ReplaceAllString(s, "TIME")
	s = regexp.MustCompile(`(instructions|size): .*`).ReplaceAllString(s, "$1: N")
	return regexp.MustCompile(`\d+(\.\d+)?(ms|µs|ns|s)\b`).ReplaceAllString(s, "N")
}
