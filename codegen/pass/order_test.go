package pass

import (
	"slices"
	"strings"
	"testing"
)

// TestOrderIsChecked: a list that breaks a constraint is reported with the reason, as are
// names that are unknown or used twice.
func TestOrderIsChecked(t *testing.T) {
	if err := checkOrder(allPasses, passOrder); err != nil {
		t.Fatal(err)
	}
	at := func(list []Pass, name string) int {
		return slices.IndexFunc(list, func(p Pass) bool { return p.Name == name })
	}
	for _, c := range passOrder {
		// Each constraint is broken alone, by moving the later pass right before the earlier one.
		list := slices.Clone(allPasses)
		late := list[at(list, c.after)]
		list = slices.DeleteFunc(list, func(p Pass) bool { return p.Name == c.after })
		list = slices.Insert(list, at(list, c.before), late)
		if err := checkOrder(list, passOrder); err == nil || !strings.Contains(err.Error(), c.before+" must run before "+c.after+": "+c.because) {
			t.Errorf("with %s before %s: %v", c.after, c.before, err)
		}
	}
	without := slices.DeleteFunc(slices.Clone(allPasses), func(p Pass) bool { return p.Name == "sroa" })
	if err := checkOrder(without, passOrder); err == nil || !strings.Contains(err.Error(), "there is no pass sroa, which is to run before mem2reg") ||
		!strings.Contains(err.Error(), "there is no pass sroa, which is to run after soa") {
		t.Errorf("without sroa: %v", err)
	}
	twice := append(slices.Clone(allPasses), allPasses[0])
	if err := checkOrder(twice, passOrder); err == nil || !strings.Contains(err.Error(), "two passes are called soa") {
		t.Errorf("with soa twice: %v", err)
	}
}

// TestOrderIsExplained: every pass has a reason for its place, and every reason says something.
func TestOrderIsExplained(t *testing.T) {
	named := map[string]bool{}
	for i, c := range passOrder {
		named[c.before], named[c.after] = true, true
		if c.because == "" || strings.HasSuffix(c.because, ".") || strings.Contains(c.because, "\n") {
			t.Errorf("%s before %s: the reason %q is no single clause", c.before, c.after, c.because)
		}
		if slices.ContainsFunc(passOrder[:i], func(d constraint) bool { return d.before == c.before && d.after == c.after }) {
			t.Errorf("two rows say that %s runs before %s", c.before, c.after)
		}
	}
	for i := range allPasses {
		if !named[allPasses[i].Name] {
			t.Errorf("nothing says why %s stands where it does", allPasses[i].Name)
		}
	}
}
