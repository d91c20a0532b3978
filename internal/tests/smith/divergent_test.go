package smith

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
)

var barrierLine = regexp.MustCompile(`^\t+(it(?:\.Group\(\)|\.SubGroup\(\))?\.Barrier\(\))$`)

// varying are conditions that differ within work-groups of four and more, each after
// what it takes; most look as if they did not.
var varying = []struct{ first, cond string }{
	{"", "lid%2 == 0"},
	{"", "id%3 == 1"},
	{"", "k.In[id*16]%2 == 0"},
	{"", "len(k.In[lid:])%2 == 0"},
	{"x := k.N; if lid == 1 { x++ }", "x == k.N"},
	{"x := 0; for x < lid { x++ }", "x%2 == 1"},
	{"x := 0; for i := 0; i < 4; i++ { if i == lid { break }; x++ }", "x%2 == 0"},
	{"x := 0; for { x++; if x > lid && x > 1 { break } }", "x == 2"},
	{"x := 0; switch lid { case 0: x = 7; fallthrough; case 2: x++ }", "x == 8"},
	{"x := gid; func() { x += lid }()", "x%2 == 0"},
	{"x := gid; p := &x; *p += lid", "x%2 == 0"},
	{"x, y := gid, lid; for i := 0; i < 1+int(k.N)*0; i++ { x, y = y, x }", "x == 0"},
	{"var a [4]int; a[uint(lid)%4] = 1", "a[0] == 1"},
	{"var a [3]int; for i := range a { a[i] = i * lid }", "a[2] == 0"},
	{"s := struct{ a, b int }{gid, lid}; t := s; t.a = s.b", "t.a == 0"},
	{"s := k.In[lid:]; s = s[:1]", "s[0]%2 == 0"},
	{"c := gid >= 0; c = c && lid == 0", "c"},
	{"f := func(x int) int { if x == 1 { return gid + 1 }; return gid }", "f(lid) == gid"},
}

// astray are statements by which the work-items of a group miss the barrier B of each
// other, where COND varies. The first is the plainest.
var astray = []string{
	"if COND { B }",
	"if COND { h++ } else { B }",
	"if COND { B } else { B }",
	"if gid >= 0 && COND { B }",
	"for z := 0; z < 3; z++ { if z > 0 && COND { break }; B }",
	"for z := 0; z < 3 && (z < 1 || COND); z++ { B }",
	"for z := 0; ; z++ { if COND || z > 3 { break }; B }",
	"for z := 0; ; z++ { if z > 3 || COND { break }; B }",
	"for z := 0; z < 2; z++ { if COND { continue }; B }",
	"Z: for z := 0; z < 2; z++ { for y := 0; y < 2; y++ { if COND { continue Z }; B } }",
	"Z: for z := 0; z < 2; z++ { for y := 0; y < 2; y++ { if COND { break Z }; B } }",
	"func() { if COND { return }; B }()",
	"func() { if COND { if k.N == 77 { panic(`no`) }; return }; B }()",
	"func() { for z := 0; z < 3; z++ { if z == 1 && COND { return }; B } }()",
	"switch { case COND: B; default: h++ }",
	"for z := 0; z < 2; z++ { switch { case COND: continue }; B }",
	"for z := 0; z < 2; z++ { if COND { for y := 0; y < 1+int(k.N)&1; y++ { B } } }",
	"w := 0; for z := 0; z < 4; z++ { if COND { w++ }; if w > 1 { break }; B }",
	"w := 0; for z := 0; z < 4; z++ { if COND { w++ } }; for range w { B }",
}

// goAstray returns the program with its line at, a barrier, as a statement says.
func (p *Program) goAstray(prefix string, at int, statement, first, cond string) *Program {
	lines := strings.Split(p.Source, "\n")
	s := strings.NewReplacer("COND", "("+cond+")", "B", strings.TrimSpace(lines[at])).Replace(statement)
	lines[at] = "{ " + first + "\n" + s + "\n}"
	q := *p
	q.Prefix = prefix
	q.Source = regexp.MustCompile(`\b`+p.Prefix+`([KSTf])`).ReplaceAllString(strings.Join(lines, "\n"), prefix+"$1")
	return &q
}

// TestDivergentGroups has conditions that vary within a group decide on barriers of random
// programs: kgen refuses all of these, but where the plainest one shows that it knows the
// barrier is never reached.
func TestDivergentGroups(t *testing.T) {
	b := newGroupBench(t)
	b.points = []string{checkedPoint}
	begin, seed := time.Now(), *first
	refused, dead := 0, 0
	for n := 0; n < count() && time.Since(begin) < *budget/2; {
		type mutant struct {
			base            *Program
			at              int
			statement, cond string
		}
		var ms []mutant
		var ps []*Program
		for ; n < count() && len(ps) < batch; n++ {
			base := NewGroup(seed, "P0", max(1, *upTo-3))
			seed++
			r := rand.New(rand.NewPCG(base.Seed, 9))
			items := 1
			for _, k := range base.Local {
				items *= k
			}
			var sites []int
			declared := false // the names that conditions have; calm regions stand before them
			for i, line := range strings.Split(base.Source, "\n") {
				declared = declared || strings.Contains(line, "lid := ")
				if declared && barrierLine.MatchString(line) {
					sites = append(sites, i)
				}
			}
			if items < 4 || len(sites) == 0 {
				continue
			}
			for range 4 {
				at, c, s := pickOf(r, sites), pickOf(r, varying), pickOf(r, astray)
				ps = append(ps, base.goAstray(fmt.Sprintf("P%d", len(ps)), at, s, c.first, c.cond))
				ms = append(ms, mutant{base, at, s, c.first + "; " + c.cond})
			}
		}
		kernels, errs := b.compile(ps)
		for i, m := range ms {
			what := fmt.Sprintf("seed %d, line %d: %s (%s)", m.base.Seed, m.at+1, m.statement, m.cond)
			switch {
			case errors.Is(errs[i], errRefused) && strings.Contains(errs[i].Error(), "KG401"):
				refused++
				continue
			case errs[i] != nil:
				t.Fatalf("%s: %v\n%s", what, errs[i], ps[i].Source)
			}
			dead++
			if err := b.runChecked(ps[i], kernels[i]); err != nil {
				t.Errorf("%s: %v\n%s", what, err, ps[i].Source)
			}
			plain := m.base.goAstray("P0", m.at, m.statement, varying[0].first, varying[0].cond)
			if _, errs := b.compile([]*Program{plain}); errs[0] != nil {
				t.Errorf("%s: taken, but not so the plainest: %v\n%s", what, errs[0], ps[i].Source)
			}
		}
	}
	t.Logf("up to seed %d: %d refused, %d never reached", seed-1, refused, dead)
	if refused == 0 || refused < 5*dead {
		t.Error("too few of them may be reached")
	}
}

func pickOf[T any](r *rand.Rand, s []T) T { return s[r.IntN(len(s))] }
