package facts

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

// place is a work-item of an nd-range, for which a random index is evaluated.
type place struct {
	global, local, group, size, items [3]int64
}

// indexExpr is an index at random: the code that computes it, and what it is.
type indexExpr struct {
	code []string // a line for each value that it needs, in order
	name string
	eval func(p *place) int64
}

// indexMaker makes random indices.
type indexMaker struct {
	*rand.Rand
	next int // the next value's number
	rank int
}

func constant(n int64) indexExpr {
	return indexExpr{nil, fmt.Sprintf("i64 %d", n), func(*place) int64 { return n }}
}

// The values along a dimension that footprintModule and groupHead define.
func globalOf(d int) indexExpr {
	return indexExpr{nil, fmt.Sprintf("%%%d", 10+d), func(p *place) int64 { return p.global[d] }}
}
func localOf(d int) indexExpr {
	return indexExpr{nil, fmt.Sprintf("%%%d", 40+d), func(p *place) int64 { return p.local[d] }}
}
func groupOf(d int) indexExpr {
	return indexExpr{nil, fmt.Sprintf("%%%d", 43+d), func(p *place) int64 { return p.group[d] }}
}
func sizeOf(d int) indexExpr {
	return indexExpr{nil, fmt.Sprintf("%%%d", 46+d), func(p *place) int64 { return p.size[d] }}
}

// leaf returns one of them.
func (m *indexMaker) leaf(d int) indexExpr {
	return []func(int) indexExpr{globalOf, localOf, groupOf, sizeOf}[m.IntN(4)](d)
}

// op makes x op y.
func (m *indexMaker) op(op string, x, y indexExpr) indexExpr {
	f := map[string]func(a, b int64) int64{
		"IAdd": func(a, b int64) int64 { return a + b }, "ISub": func(a, b int64) int64 { return a - b }, "IMul": func(a, b int64) int64 { return a * b },
		"Xor": func(a, b int64) int64 { return a ^ b }, "Or": func(a, b int64) int64 { return a | b }, "And": func(a, b int64) int64 { return a & b },
		"SDiv": func(a, b int64) int64 { return a / b },
	}[op]
	code := slices.Clone(x.code)
	for _, line := range y.code {
		if !slices.Contains(code, line) {
			code = append(code, line)
		}
	}
	name := fmt.Sprintf("%%%d", m.next)
	m.next++
	code = append(code, fmt.Sprintf("\t%s = %s i64 %s, %s\n", name, op, x.name, y.name))
	return indexExpr{code, name, func(p *place) int64 { return f(x.eval(p), y.eval(p)) }}
}

// mod makes x % y, as kgen does.
func (m *indexMaker) mod(x, y indexExpr) indexExpr {
	return m.op("ISub", x, m.op("IMul", m.op("SDiv", x, y), y))
}

// base makes an id along d, or the first one of a work-group or block.
func (m *indexMaker) base(d int) indexExpr {
	id, local, group := globalOf(d), localOf(d), m.op("IMul", groupOf(d), sizeOf(d))
	if m.IntN(4) == 0 {
		id = m.op("IAdd", group, local)
	}
	n, low, or := int64(1+m.IntN(6)), constant(int64(m.IntN(5))), []string{"Or", "Xor"}[m.IntN(2)]
	switch m.IntN(10) {
	case 0:
		return m.op("IMul", m.op("SDiv", id, constant(n)), constant(n+int64(m.IntN(12)/11)))
	case 1:
		return m.op("And", id, constant(-(1 << m.IntN(4))))
	case 2:
		return m.op(or, id, low)
	case 3:
		return m.op("IAdd", group, m.op(or, local, low))
	case 4:
		return m.op("IAdd", group, m.op("IMul", m.op("SDiv", local, constant(n)), constant(n)))
	case 5, 6:
		return id
	default:
		return group
	}
}

// rest makes a number along d that stays in its work-group, or nearly so.
func (m *indexMaker) rest(d int) indexExpr {
	size, local := sizeOf(d), localOf(d)
	if m.rank > 1 && m.IntN(4) == 0 {
		local = localOf(1 - d)
	}
	n, k := int64(m.IntN(4)), constant(1+int64(m.IntN(6)))
	switch m.IntN(9) {
	case 0:
		return local
	case 1:
		return m.op("ISub", m.op("IAdd", size, constant(n-2)), local)
	case 2:
		return m.mod(m.op("IAdd", local, constant(n)), size)
	case 3:
		return m.mod(m.op("IAdd", local, constant(n)), k)
	case 4:
		return m.op("IAdd", local, constant(n-1))
	case 5:
		return m.op("ISub", size, constant(n))
	case 6:
		return m.op([]string{"IAdd", "ISub", "IMul"}[m.IntN(3)], m.leaf(d), m.leaf(d))
	case 7:
		return m.mod(globalOf(d), k)
	default:
		return constant(n)
	}
}

// line makes an index along d, of c elements for each work-item.
func (m *indexMaker) line(d int, c int64) indexExpr {
	x := m.base(d)
	if m.IntN(3) > 0 {
		x = m.op("IAdd", x, m.rest(d))
	}
	if c > 1 {
		x = m.op("IMul", x, constant(c))
		if m.IntN(2) == 0 {
			x = m.op("IAdd", x, m.op("IMul", sizeOf(d), constant(int64(m.IntN(3)-1))))
		}
		if m.IntN(2) == 0 {
			x = m.op("IAdd", x, constant(int64(m.IntN(4)-1)))
		}
	}
	return x
}

// groupHead defines the local ids, the numbers of the work-group and its sizes in 64 bits.
func groupHead() string {
	var b strings.Builder
	for d, c := range "xyz" {
		fmt.Fprintf(&b, "\t%%%d = BuiltIn i32 LocalInvocationId.%c\n\t%%%d = UConvert i64 %%%d\n", 50+d, c, 40+d, 50+d)
		fmt.Fprintf(&b, "\t%%%d = BuiltIn i32 WorkgroupId.%c\n\t%%%d = UConvert i64 %%%d\n", 53+d, c, 43+d, 53+d)
		fmt.Fprintf(&b, "\t%%%d = UConvert i64 $LocalSize%c\n", 46+d, c-'x'+'X')
	}
	return b.String()
}

// TestFootprintRandom makes indices at random and evaluates them for all work-items of launches: each
// that is said to be of the work-item, or of its work-group, has to be.
func TestFootprintRandom(t *testing.T) {
	tries := sample.Of(8000, 2000)
	r := rand.New(rand.NewPCG(1, 2))
	var claims [abi.ReachAny + 1]int
	for range tries {
		m := &indexMaker{r, 100, 1 + r.IntN(3)/2}
		c := 1 + int64(r.IntN(3)/2*(1+r.IntN(3)))
		x := m.line(0, c)
		if m.rank == 2 {
			y := m.line(1, 1)
			if c > 1 {
				y = m.op("IMul", y, constant(c))
			}
			width := indexExpr{nil, "%28", func(p *place) int64 { return p.items[0] }}
			x = m.op("IAdd", m.op("IMul", y, width), x)
		}
		mod := footprintModule(t, "NDRange", m.rank, groupHead()+strings.Join(x.code, "")+fmt.Sprintf("\tStore [%%21 i32, %s], i32 7", x.name))
		if r.IntN(4) == 0 {
			mod.WorkGroup = [3]int{1 + r.IntN(8), 1 + r.IntN(6)}
		}
		f := Footprints(mod)[4]
		if claims[f.Reach]++; f.Reach == abi.ReachAny || len(f.Strides) > 0 {
			continue
		}
		for size := range 24 {
			p := place{size: [3]int64{int64(1 + size), 1, 1}}
			if m.rank == 2 {
				p.size = [3]int64{int64(1 + size%5), int64(1 + r.IntN(6)), 1}
			}
			if w := mod.WorkGroup; w[0] > 0 {
				p.size = [3]int64{int64(w[0]), int64(w[1]), 1}
			}
			if wrong := wrongIndex(m.rank, x, &f, p); wrong != "" {
				t.Fatalf("%s\n%s\n%+v", wrong, mod, f)
			}
		}
	}
	t.Log(claims)
	if claims[abi.ReachOwn] < tries/20 || claims[abi.ReachGroup] < tries/10 || claims[abi.ReachAny] < tries/10 {
		t.Errorf("too little was looked at: %v", claims)
	}
}

// wrongIndex returns for which work-item of a launch in work-groups of p's size an index is not where
// a footprint has it, or "".
func wrongIndex(rank int, x indexExpr, f *Footprint, p place) string {
	if f.Reach == abi.ReachGroup && p.size[0]%max(f.Multiple, 1) != 0 {
		return ""
	}
	p.items = [3]int64{3 * p.size[0], 1, 1}
	if rank == 2 {
		p.items[1] = 2 * p.size[1]
	} else {
		p.size[1] = 1
	}
	for p.global[1] = range p.items[1] {
		for p.global[0] = range p.items[0] {
			for d := range 2 {
				p.local[d], p.group[d] = p.global[d]%p.size[d], p.global[d]/p.size[d]
			}
			e := x.eval(&p)
			owner := [2]int64{e / f.PerItem, 0}
			if rank == 2 {
				owner = [2]int64{owner[0] % p.items[0], owner[0] / p.items[0]}
			}
			own := owner == [2]int64(p.global[:2])
			group := owner[0]/p.size[0] == p.group[0] && owner[1]/p.size[1] == p.group[1]
			if e < 0 || f.Reach == abi.ReachOwn && !own || !group {
				return fmt.Sprintf("work-item %v of %v in groups of %v: element %d", p.global, p.items, p.size, e)
			}
		}
	}
	return ""
}

// TestFootprintGroups has accesses that stay in their work-group, and some that only nearly do so.
func TestFootprintGroups(t *testing.T) {
	const put = "\tStore [%21 i32, %99], i32 7\n"
	to := func(v string) string { return strings.Replace(put, "%99", v, 1) }
	const first = "\t%80 = IMul i64 %43, %46\n"
	const firstRow = "\t%81 = IMul i64 %44, %47\n"
	// if a < b { Out[first + i] = 7 }
	branch := func(a, b, i string) string {
		return first + fmt.Sprintf("\t%%82 = SLt bool %s, %s\n\tBranch %%82, b10, b11\nb10:\n\t%%83 = IAdd i64 %%80, %s\n%s\tJump b11\nb11:\n", a, b, i, to("%83"))
	}
	// for j := from; ; { Out[first + j] = 7; if j += step; j >= size { break } }
	loop := func(from, step, size string) string {
		return first + fmt.Sprintf("\tJump b10\nb10:\n\t%%82 = Phi i64 [%s b0, %%84 b11]\n\t%%83 = IAdd i64 %%80, %%82\n%s\t%%84 = IAdd i64 %%82, %s\n\t%%85 = SLt bool %%84, %s\n\tBranch %%85, b11, b12\nb11:\n\tJump b10\nb12:\n",
			from, to("%83"), step, size)
	}
	xor := func(n int, to int) string { return fmt.Sprintf("\t%%%d = Xor i64 %%10, i64 %d\n", to, n) }
	// idSum, plus and minus an argument, so often that no steps are left for what comes next.
	const often = maxIndexSteps / 5 * 3 / 2 * 2
	long := "\t%6000 = IAdd i32 %50, %24\n"
	for i := range often {
		long += fmt.Sprintf("\t%%%d = %s i32 %%%d, %%24\n", 6001+i, []string{"ISub", "IAdd"}[i%2], 6000+i)
	}
	long += fmt.Sprintf("\t%%7000 = ISub i32 %%%d, %%24\n", 6000+often)
	for _, c := range []struct {
		name string
		rank int
		body string
		want string // of Out
	}{
		{"own", 1, first + "\t%90 = IAdd i64 %80, %40\n" + to("%90"), "Write 1"},
		{"first", 1, first + to("%80"), "Write 1 in groups"},
		{"neighbour", 1, xor(1, 90) + to("%90"), "Write 1 in groups of 2"},
		{"neighbour by local id", 1, first + "\t%90 = Xor i64 %40, i64 1\n\t%91 = IAdd i64 %80, %90\n" + to("%91"), "Write 1 in groups of 2"},
		{"three of four", 1, xor(3, 90) + to("%90"), "Write 1 in groups of 4"},
		{"two and four", 1, xor(1, 90) + xor(3, 91) + to("%90") + to("%91"), "Write 1 in groups of 4"},
		{"two and three", 1, xor(1, 90) + "\t%91 = SDiv i64 %10, i64 3\n\t%92 = IMul i64 %91, i64 3\n" + to("%90") + to("%92"), "Write 1 in groups of 6"},
		{"own and neighbour", 1, to("%10") + xor(1, 90) + to("%90"), "Write 1 in groups of 2"},
		{"neighbour and own", 1, xor(1, 90) + to("%90") + to("%10"), "Write 1 in groups of 2"},
		{"two of a block of three", 1, "\t%91 = SDiv i64 %10, i64 3\n\t%92 = IMul i64 %91, i64 3\n\t%93 = Xor i64 %10, i64 1\n\t%94 = IAdd i64 %92, %93\n\t%95 = ISub i64 %94, %10\n" + to("%95"), "Write Any index"},
		{"block of six of thirds", 1, "\t%91 = SDiv i64 %10, i64 3\n\t%92 = IMul i64 %91, i64 3\n\t%93 = SDiv i64 %10, i64 6\n\t%94 = IMul i64 %93, i64 6\n\t%95 = IAdd i64 %92, %94\n\t%96 = ISub i64 %95, %10\n" + to("%96"), "Write Any index"},
		{"thirds, as if they were sixths", 1, "\t%91 = SDiv i64 %10, i64 3\n\t%92 = IMul i64 %91, i64 6\n\t%93 = SDiv i64 %10, i64 6\n\t%94 = IMul i64 %93, i64 6\n\t%95 = IAdd i64 %92, %94\n\t%96 = ISub i64 %95, %94\n" + to("%96"), "Write Any index"},
		{"neighbour in blocks of three", 1, "\t%93 = SDiv i64 %10, i64 3\n\t%94 = IMul i64 %93, i64 3\n" + xor(1, 90) + "\t%95 = IAdd i64 %90, %94\n\t%96 = ISub i64 %95, %94\n" + to("%96"), "Write Any index"},
		{"neighbour in blocks of six", 1, "\t%93 = SDiv i64 %10, i64 6\n\t%94 = IMul i64 %93, i64 6\n" + xor(1, 90) + to("%90") + to("%94"), "Write 1 in groups of 6"},
		{"two multiples that are too large together", 1, "\t%91 = SDiv i64 %10, i64 65521\n\t%92 = IMul i64 %91, i64 65521\n\t%93 = SDiv i64 %10, i64 65519\n\t%94 = IMul i64 %93, i64 65519\n" + to("%92") + to("%94"), "Write Any differ"},
		{"own, of a size cut to 8 bits", 1, "\t%90 = UConvert i8 %46\n\t%91 = UConvert i64 %90\n\t%92 = IMul i64 %43, %91\n\t%93 = IAdd i64 %92, %40\n" + to("%93"), "Write Any index"},
		{"longer than what is looked at", 1, long + "\t%8000 = IAdd i32 %7000, %0\n\t%8001 = SConvert i64 %8000\n" + to("%8001"), "Write Any index"},
		{"no work-group is that large", 1, xor(1<<16, 90) + to("%90"), "Write Any index"},
		{"below the size", 1, branch("%22", "%46", "%22"), "Write Any index"}, // may be below 0
		{"from 0 to below the size", 1, "\t%89 = And i64 %22, i64 255\n" + branch("%89", "%46", "%89"), "Write 1 in groups"},
		{"below the other size", 1, "\t%89 = And i64 %22, i64 255\n" + branch("%89", "%47", "%89"), "Write Any index"},
		{"all of the group", 1, loop("i64 0", "i64 1", "%46"), "Write 1 in groups"},
		{"all, by steps", 1, loop("i64 0", "i64 2", "%46"), "Write 1 in groups"},
		{"all from the second on", 1, loop("i64 1", "i64 1", "%46"), "Write Any index"}, // a group of 1 has no second
		{"all of a longer one", 1, loop("i64 0", "i64 1", "%26"), "Write Any index"},
		{"behind the first one", 1, "\t%89 = SLt bool i64 0, %10\n\tBranch %89, b10, b11\nb10:\n\t%90 = Xor i64 %10, i64 1\n\t%91 = IAdd i64 %90, i64 -1\n" + to("%91") + "\tJump b11\nb11:\n", "Write Any index"},
		{"32 bits below 0 for the first group", 1, to("%10") + "\t%89 = SLt bool i32 0, %0\n\tBranch %89, b10, b11\nb10:\n\t%90 = IMul i32 %53, $LocalSizeX\n\t%91 = IAdd i32 %90, i32 -1\n\t%92 = UConvert i64 %91\n\t%94 = IAdd i64 %92, i64 1\n" + to("%94") + "\tJump b11\nb11:\n", "Write Any index"},
		{"tile, turned", 2, first + firstRow + "\t%90 = IAdd i64 %81, %47\n\t%91 = IAdd i64 %90, i64 -1\n\t%92 = ISub i64 %91, %41\n\t%93 = IMul i64 %92, %22\n\t%94 = IAdd i64 %93, %80\n\t%95 = IAdd i64 %94, %40\n" + to("%95"), "Write 1 in groups range.x = arg64@24"},
		{"tile, transposed, of any size", 2, first + firstRow + "\t%92 = IAdd i64 %81, %40\n\t%93 = IMul i64 %92, %22\n\t%94 = IAdd i64 %93, %80\n\t%95 = IAdd i64 %94, %41\n" + to("%95"), "Write Any index"},
		{"turned by the other size", 2, first + firstRow + "\t%92 = IMul i64 %81, %22\n\t%93 = IAdd i64 %92, %80\n\t%94 = IAdd i64 %93, %47\n\t%95 = IAdd i64 %94, i64 -1\n\t%96 = ISub i64 %95, %40\n" + to("%96"), "Write Any index"},
		{"first of the group, by the other size", 2, "\t%90 = IMul i64 %43, %47\n\t%92 = IMul i64 %11, %22\n\t%93 = IAdd i64 %92, %90\n" + to("%93"), "Write Any index"},
		{"rows of 640, the one before", 2, first + "\t%92 = IMul i64 %11, i64 640\n\t%94 = IAdd i64 %92, %80\n\t%95 = IAdd i64 %94, i64 -1\n" + to("%95"), "Write Any index"},
		{"rows of 640", 2, first + "\t%92 = IMul i64 %11, i64 640\n\t%94 = IAdd i64 %92, %80\n" + to("%94"), "Write 1 in groups range.x = 640"},
		{"neighbours in a plane", 2, "\t%92 = IMul i64 %11, %22\n\t%93 = Xor i64 %10, i64 1\n\t%94 = IAdd i64 %92, %93\n" + to("%94"), "Write Any index"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := footprintText(Footprints(footprintModule(t, "NDRange", c.rank, groupHead()+c.body))[4]); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	// A kernel over a range has blocks, whatever groups the launch makes of it.
	if got, want := footprintText(Footprints(footprintModule(t, "Range", 1, xor(1, 60)+to("%60")))[4]), "Write 1 in groups of 2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
