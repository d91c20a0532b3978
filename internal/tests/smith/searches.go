package smith

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// NewSearches returns the program for a seed. The program's loops are searches, rejection sampling
// and walks, which work-items leave in different iterations. A work-item that has left a loop keeps
// the values of its last iteration while other work-items continue the loop.
func NewSearches(seed uint64, prefix string) *Program {
	s := &searchGen{progGen: &progGen{r: rand.New(rand.NewPCG(seed, 45)), prefix: prefix}}
	s.writeHeader()
	for range 1 + s.n(3) {
		s.writeSearchHelper()
	}
	s.theKernel()
	return &Program{Seed: seed, Prefix: prefix, Source: s.out.String()}
}

// searchGen generates programs with loops that work-items leave in different iterations.
type searchGen struct {
	*progGen
	nums    []intVar // variables in scope that expressions use
	results []*typ   // types of the results of the function being written; nil for none
	group   string   // struct type that contains the results; "" if there is none
	helpers []searchFunc
	times   int // largest number of times that the current statement runs
}

// intVar is a variable of any integer type. Statements may assign to the variable if field `set` is true.
type intVar struct {
	name string
	typ  *typ
	set  bool
}

// searchFunc is a helper function of the program that runs a search.
type searchFunc struct {
	name    string
	results []*typ
	group   string
}

// searchWords is the number of words that a work-item writes at the start of its part of Out.
// searchPer is the number of loops per word of Out.
const searchWords, searchPer = 4, 2

// maxRounds is the largest number of times that the body of the innermost loop runs.
const maxRounds = 600

func (s *searchGen) theKernel() {
	s.beginKernel()
	s.indent++
	s.results, s.nums, s.times = nil, nil, 1
	s.line("in, out := k.In[id*16:][:16], k.Out[id*16:][:16]")
	s.line("h := uint64(id)")
	for i := range searchWords {
		for range searchPer {
			s.line("{")
			s.indent++
			s.declareState(fmt.Sprintf("uint32(in[%d]>>%d) + uint32(h)*747796405", s.n(16), pick(s.progGen, []int{0, 7, 13, 32})))
			if len(s.helpers) > 0 && s.oneIn(2) {
				s.writeHelperCall()
			} else {
				s.writeSearchNest()
			}
			s.writeHashMix()
			s.indent--
			s.line("}")
			s.nums = nil
		}
		s.line("out[%d] = h", i)
	}
	s.indent--
	s.line("}")
}

// declareState declares the variables for a search's state, which are s and up to two others.
func (s *searchGen) declareState(first string) {
	s.line("s := %s", first)
	s.nums = append(s.nums, intVar{"s", uint32T, true})
	for range s.n(3) {
		name, t := s.newName("c"), s.intType()
		s.line("%s := %s", name, s.convertedTo(t, s.searchExpr(1)))
		s.line("_ = %s", name)
		s.nums = append(s.nums, intVar{name, t, true})
	}
}

// writeHashMix writes statements that mix the numbers in scope into hash h.
func (s *searchGen) writeHashMix() {
	for _, v := range s.nums {
		s.line("h = shape.Mix(h, uint64(%s))", v.name)
	}
}

// writeSearchHelper writes a function whose parameters are two numbers and the inputs.
func (s *searchGen) writeSearchHelper() {
	f := searchFunc{name: fmt.Sprintf("%sf%d", s.prefix, len(s.helpers))}
	for range 1 + s.n(4)*s.n(2) {
		f.results = append(f.results, s.intType())
	}
	results := make([]string, len(f.results))
	for i, t := range f.results {
		results[i] = t.String()
	}
	result := "(" + strings.Join(results, ", ") + ")"
	if s.oneIn(3) {
		f.group = fmt.Sprintf("%sT%d", s.prefix, len(s.helpers))
		result = f.group
		s.line("")
		s.line("type %s struct {", f.group)
		for i, t := range f.results {
			s.line("\tF%d %s", i, t)
		}
		s.line("}")
	}
	s.line("")
	s.line("func %s(s uint32, y uint32, in []uint64) %s {", f.name, result)
	s.indent++
	s.results, s.group, s.times = f.results, f.group, 1
	s.nums = []intVar{{"s", uint32T, true}, {"y", uint32T, s.oneIn(2)}}
	s.line("_ = y")
	s.writeSearchNest()
	if s.oneIn(4) {
		s.writeSearchNest()
	}
	s.line("%s", s.writeReturn())
	s.indent--
	s.line("}")
	s.helpers, s.nums, s.group = append(s.helpers, f), nil, ""
}

// writeHelperCall writes a call of a helper, and declares variables for its results.
func (s *searchGen) writeHelperCall() {
	f := pick(s.progGen, s.helpers)
	args := fmt.Sprintf("%s, %s, in", s.searchExpr(1), s.searchExpr(1))
	var names []string
	for _, t := range f.results {
		names = append(names, s.newName("r"))
		s.nums = append(s.nums, intVar{names[len(names)-1], t, true})
	}
	list := strings.Join(names, ", ")
	if f.group == "" {
		s.line("%s := %s(%s)", list, f.name, args)
	} else {
		g := s.newName("g")
		s.line("%s := %s(%s)", g, f.name, args)
		for i, name := range names {
			s.line("%s := %s.F%d", name, g, i)
		}
	}
	for _, name := range names {
		s.line("_ = %s", name)
	}
}

// writeSearchNest declares variables for the results of a loop, and then writes the loop.
func (s *searchGen) writeSearchNest() {
	for range s.n(3) {
		name, t := s.newName("o"), s.intType()
		s.line("var %s %s", name, t)
		s.line("_ = %s", name)
		s.nums = append(s.nums, intVar{name, t, true})
	}
	s.writeSearchLoop(s.n(3))
}

// writeSearchLoop writes a loop. Parameter depth is the number of loops that are nested in this loop.
func (s *searchGen) writeSearchLoop(depth int) {
	rounds := 3 + s.n(38)
	if s.times > 1 {
		rounds = min(rounds, 2+s.n(max(1, maxRounds/s.times)))
	}
	n, t := s.newName("n"), s.intType()
	rounds = min(rounds, 100)
	head, fuel := "", ""
	counts := true
	switch s.n(8) {
	case 0:
		head = fmt.Sprintf("for %s := %s(0); %s < %d; %s++", n, t, n, rounds, n)
	case 1:
		head = fmt.Sprintf("for %s := range %s(%d)", n, t, rounds)
	case 2:
		head, t = fmt.Sprintf("for _, %s := range shape.Upto(%d)", n, min(rounds, 12)), int32T
	case 3:
		head = fmt.Sprintf("for %s := %s(%d); %s && %s > 0; %s--", n, t, rounds, s.stateCond(), n, n)
	case 4:
		head, counts = fmt.Sprintf("for range %d", rounds), false
	default:
		s.line("%s := %s(0)", n, t)
		s.nums = append(s.nums, intVar{n, t, false})
		head, counts, fuel = "for", false, fmt.Sprintf("if %s++; %s > %d", n, n, rounds)
		if s.oneIn(3) {
			head = "for " + s.stateCond()
		}
	}
	s.flowLoop(head, 1, false, func() {
		nums, times := s.nums, s.times
		s.times *= rounds
		s.indent++
		if counts {
			s.line("_ = %s", n)
			s.nums = append(s.nums[:len(s.nums):len(s.nums)], intVar{n, t, false})
		}
		if fuel != "" {
			s.line("%s {", fuel)
			s.line("\tbreak")
			s.line("}")
		}
		s.writeLoopBody(depth)
		s.indent--
		s.nums, s.times = nums, times
	})
}

// writeLoopBody writes the body of a loop. The body computes a value from the state, advances the
// state, and lets some work-items leave the loop.
func (s *searchGen) writeLoopBody(depth int) {
	inner := depth > 0 && s.times <= maxRounds/3
	at := s.n(3)
	for i := range 2 + s.n(3) {
		if i == 0 || s.oneIn(3) {
			s.writeNumber()
		}
		if inner && i == at {
			s.writeSearchLoop(depth - 1)
		}
		if i == 0 || s.oneIn(3) {
			s.writeAdvance()
		}
		if i == 0 || s.oneIn(2) {
			s.writeExit()
		}
	}
	if s.oneIn(3) {
		s.writeAdvance()
	}
}

// writeNumber writes a declaration of a number, or an assignment to one.
func (s *searchGen) writeNumber() {
	var vars []intVar
	for _, v := range s.nums {
		if v.set && v.name != "s" {
			vars = append(vars, v)
		}
	}
	if len(vars) > 0 && s.oneIn(2) {
		v := pick(s.progGen, vars)
		s.line("%s = %s", v.name, s.convertedTo(v.typ, s.searchExpr(1)))
		return
	}
	name, t := s.newName("x"), s.intType()
	s.line("%s := %s", name, s.convertedTo(t, s.searchExpr(1)))
	s.line("_ = %s", name)
	s.nums = append(s.nums[:len(s.nums):len(s.nums)], intVar{name, t, false})
}

// writeAdvance writes statements that advance the state.
func (s *searchGen) writeAdvance() {
	switch s.n(6) {
	case 0:
		s.line("s ^= s << 13")
		s.line("s ^= s >> 17")
	case 1:
		s.line("s = s>>1 ^ -(s&1)&0xd0000001")
	case 2:
		s.line("s = s*%d + uint32(in[s&15])", 1+4*s.n(1000))
	case 3:
		s.line("s += %s | 1", s.searchExpr(1))
	default:
		s.line("s = s*1664525 + 1013904223")
	}
}

// writeExit writes a conditional exit from the loop.
func (s *searchGen) writeExit() {
	s.line("if %s {", s.stateCond())
	s.indent++
	nums := s.nums
	defer func() { s.nums = nums }()
	if s.oneIn(4) {
		s.writeAdvance()
	}
	if s.oneIn(3) {
		s.writeNumber()
	}
	loops := s.loops
	switch c := s.n(8); {
	case c < 4 && s.results != nil:
		s.line("%s", s.writeReturn())
	case c < 2 && len(loops) > 1:
		l := pick(s.progGen, loops[:len(loops)-1])
		*l.used = true
		s.line("%s %s", s.one("break", "break", "continue"), l.label)
	case c == 7:
		s.line("continue")
	default:
		s.line("break")
	}
	s.indent--
	s.line("}")
}

// writeReturn writes a return statement with the search's results.
func (s *searchGen) writeReturn() string {
	var list []string
	for _, t := range s.results {
		list = append(list, s.convertedTo(t, s.searchExpr(1)))
	}
	values := strings.Join(list, ", ")
	if s.group != "" {
		values = s.group + "{" + values + "}"
	}
	return "return " + values
}

// stateCond returns a condition that is true for some states.
func (s *searchGen) stateCond() string {
	x := s.searchExpr(0)
	switch s.n(6) {
	case 0:
		return fmt.Sprintf("%s%%%d == %d", x, 3+s.n(9), s.n(3))
	case 1:
		return fmt.Sprintf("%s < %s", x, s.searchExpr(0))
	case 2:
		return fmt.Sprintf("%s>>%d == 0", x, 27+s.n(4))
	case 3:
		return fmt.Sprintf("in[%s&15]&%d == 0", x, pick(s.progGen, []int{1, 3, 7}))
	default:
		return fmt.Sprintf("%s>>%d&%d == %d", x, s.n(25), pick(s.progGen, []int{1, 3, 7, 15}), s.n(2))
	}
}

// convertedTo returns an expression converted to a type.
func (s *searchGen) convertedTo(t *typ, e string) string { return fmt.Sprintf("%s(%s)", t, e) }

// searchExpr returns a uint32 expression of the variables in scope, mostly of the state.
func (s *searchGen) searchExpr(depth int) string {
	x := "s"
	switch s.n(4) {
	case 0:
		x = s.convertedTo(uint32T, pick(s.progGen, s.nums).name)
	case 1:
		x = s.convertedTo(uint32T, s.nums[len(s.nums)-1].name)
	}
	if depth == 0 {
		return x
	}
	switch s.n(7) {
	case 0:
		return x
	case 1:
		return fmt.Sprintf("%s>>%d", x, 1+s.n(24))
	case 2:
		return fmt.Sprintf("(%s*%d)", x, 2*s.n(500)+3)
	case 3:
		return fmt.Sprintf("(%s + %s)", x, s.searchExpr(depth-1))
	case 4:
		return fmt.Sprintf("(%s ^ %s)", x, s.searchExpr(depth-1))
	case 5:
		return fmt.Sprintf("uint32(in[%s&15]>>%d)", x, s.n(33))
	default:
		return fmt.Sprintf("(%s & %d)", x, 1<<s.n(32)-1)
	}
}
