package archtest

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxPrims is the most bytes that the generated packages of the families of prim may have together, without those of
// the numeric families. maxNumeric is the limit of these: their kernels for matrices of sub-groups take a seventh. A program embeds
// the modules of the families that it imports.
const maxPrims, maxNumeric = 6_000_000, 6_500_000

var numeric = []string{"blas", "fft", "rand", "sparse"}

// TestPrims prints the bytes of each family of prim.
func TestPrims(t *testing.T) {
	const root = "../../../generated/prim"
	families := map[string]int64{}
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		family, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
		families[family] += info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var total [2]int64 // of the numeric families, and of the others
	for _, f := range slices.Sorted(maps.Keys(families)) {
		t.Logf("%9d bytes: %s", families[f], f)
		if _, err := os.Stat("../../../prim/" + f); err != nil {
			t.Errorf("generated/prim has a family that prim has not: %v", err)
		}
		if slices.Contains(numeric, f) {
			total[0] += families[f]
		} else {
			total[1] += families[f]
		}
	}
	t.Logf("%9d bytes: %v; %d bytes: the others", total[0], numeric, total[1])
	if total[0] > maxNumeric || total[1] > maxPrims {
		t.Errorf("the generated packages of prim have %d and %d bytes, more than %d or %d", total[0], total[1], maxNumeric, maxPrims)
	}
}

// TestPrimVariants: the kernels of each family ship their first modules and those in words alone.
func TestPrimVariants(t *testing.T) {
	for _, family := range families(t) {
		files, err := filepath.Glob("../../../prim/" + family + "/kernels/*.go")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(files, func(name string) bool {
			text, err := os.ReadFile(name)
			return err == nil && strings.Contains(string(text), "\n//kgen:variants load\n")
		}) {
			t.Errorf("prim/%s/kernels has no //kgen:variants load in its package's doc comment", family)
		}
	}
}

// TestPrimExamples: each function of prim, and of its families, has an example.
func TestPrimExamples(t *testing.T) {
	for _, family := range append(families(t), ".") {
		dir := "../../../prim/" + family
		a, err := readAPI(dir)
		if err != nil {
			t.Fatal(err)
		}
		x, err := readExamples(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range x.faults {
			t.Errorf("package %s: %s", family, fault)
		}
		for _, f := range slices.Sorted(maps.Keys(a.funcs)) {
			if !x.names[f] {
				t.Errorf("package %s: the function %s has no example: write Example%[2]s", family, f)
			}
		}
	}
}

// TestPrimRules: each family has a rule of its own, and its kernels have theirs.
func TestPrimRules(t *testing.T) {
	for _, family := range families(t) {
		for _, name := range []string{"./prim/" + family, "./prim/" + family + "/kernels"} {
			if !slices.ContainsFunc(rules, func(r rule) bool { return slices.Contains(strings.Fields(r.packages), name) }) {
				t.Errorf("%s has no rule that says which packages it may import", name)
			}
		}
	}
}

// families returns the names of prim's families: the folders that have kernels.
func families(t *testing.T) []string {
	folders, err := os.ReadDir("../../../prim")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range folders {
		if _, err := os.Stat("../../../prim/" + f.Name() + "/kernels"); err == nil {
			names = append(names, f.Name())
		}
	}
	if len(names) == 0 {
		t.Fatal("prim has no families")
	}
	return names
}
