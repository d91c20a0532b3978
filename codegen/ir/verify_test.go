package ir

import (
	"regexp"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
)

// edit breaks the text of a good module.
type edit struct{ old, new, want string }

func checkEdits(t *testing.T, file string, edits []edit) {
	text := testFile(t, file)
	if file == "loop.ir" {
		text = regexp.MustCompile(`: preds [b0-9, ]*`).ReplaceAllString(text, ": ")
		text = strings.ReplaceAll(text, ": \n", ":\n")
	}
	if err := Verify(mustParse(t, text)); err != nil {
		t.Fatalf("the good module: %v", err)
	}
	for _, e := range edits {
		if !strings.Contains(text, e.old) {
			t.Errorf("no %q in the text", e.old)
			continue
		}
		broken := strings.Replace(text, e.old, e.new, 1)
		m, err := Parse(broken)
		if err != nil {
			t.Errorf("%q: %v", e.new, err)
			continue
		}
		if err := Verify(m); err == nil || !strings.Contains(err.Error(), e.want) {
			t.Errorf("%q for %q:\ngot  %v\nwant %s", e.new, e.old, err, e.want)
		}
	}
}

// TestVerifyRules breaks each rule of level Built that a text can break.
func TestVerifyRules(t *testing.T) {
	checkEdits(t, "all.ir", []edit{
		{"form NDRange 2", "form NDRange 4", "form NDRange has rank 4"},
		{"form NDRange 2", "form Task 1", "form Task has rank 1"},
		{"items 1", "items 0", "0 items per invocation"},
		{"items 1", "items 4", "4 items per invocation"},
		{"group\n", "", "does not say that it uses the group"},
		{"$Tile#2 id 2", "$Tile#2 id 1", "have the id 1"},
		{"i32 -2, f32", "f32 -2, f32", "initial value 2 is not a constant of the leaf's type"},
		{", i32 -2", "", "3 initial values for 4 leaves"},
		{"table Private", "table Workgroup", "storage Workgroup has no initializer"},
		{"accessor Workgroup [$Tile]f32 accessor 0", "accessor Private [$Tile]f32 accessor 0", "an accessor with storage Private"},
		{"accessor Workgroup [$Tile]f32 accessor 0", "accessor Private [$Tile]f32", "a table's size is constant"},
		{"IAdd i32 (SConvert i32 ($Tile#2), i32 3)", "IAdd i32 (SConvert i32 ($Tile#2), i64 3)", "argument 1 has the type i64"},

		// Group ops.
		{"GroupExclusiveScan f32 WorkGroup, FMin", "GroupExclusiveScan f32 WorkGroup, SMin", "the combiner SMin does not fit the type f32"},
		{"GroupReduce i32 SubGroup, UMax, %6, i32 0", "GroupReduce i32 SubGroup, UMax, i32 0, %6", "the identity is not constant"},
		{"GroupAny bool SubGroup, %5", "GroupAny bool SubGroup, %7", "argument 0 has the type f32"},
		{"GroupAny bool SubGroup, %5", "GroupBallot i32 SubGroup, %5, i32 4", "argument 1 is not the number of one of four words"},
		{"GroupAny bool SubGroup, %5", "GroupBallot i32 SubGroup, %5, %6", "argument 1 is not the number of one of four words"},
		{"GroupAny bool SubGroup, %5", "GroupBallot i32 WorkGroup, %5, i32 0", "the op exists for sub-groups only"},

		// Signatures.
		{"FAdd f32 %7, %3", "FAdd f32 %7", "1 arguments where FAdd has the signature"},
		{"FAdd f32 %7, %3", "FAdd f32 %7, %3, %3", "3 arguments where FAdd has the signature"},
		{"FAdd f32 %7, %3", "FAdd f32 %7, f64 1", "argument 1 has the type f64"},
		{"FAdd f32 %7, %3", "FAdd f64 %7, %3", "the result has the type f64"},
		{"FAdd f32 %7, %3", "IAdd f32 %7, %3", "argument 0 has the type f32"},
		{"IAdd i32 %6, i32 1", "IAdd i8 i8 1, i8 1", "argument 0 has the type i8"},
		{"ULt bool %6, $Tile", "ULt i32 %6, $Tile", "the result has the type i32"},
		{"SConvert i32 ($Tile#2)", "SConvert i32 (bool true)", "argument 0 has the type bool"},
		{"%4 = UConvert i64 %2", "%4 = UConvert i64 f32 1", "argument 0 has the type f32"},
		{"Select addr $\"a b\", %12, addr", "Select addr $\"a b\", %12, i64 -1, addr", "4 arguments"},
		{"Select addr $\"a b\", %12, addr 0xff00000000", "Select addr $\"a b\", %12, i64 1", "argument 2 has the type i64"},
		{"%15 = FConvert f16 %14", "%15 = Bitcast f16 %14", "a bitcast from f32 to f16"},
		{"%15 = FConvert f16 %14", "%15 = FSin f16 f16 1", "the op exists for f32 only"},
		{"\tBarrier WorkGroup", "\t%40 = Barrier i32 WorkGroup", "the result has the type i32"},
		{"Fault site 0, %1, %4, %2,", "Fault site 0, %1, %2, %2,", "argument 1 has the type i32"},
		{"%10 = IAdd i32 %6, i32 1", "%10 = IAdd i32 %6, i32 1\n\tIAdd %6, i32 1", "the result has the type void"},
		{"Branch %9, b2, b5", "Branch %6, b2, b5", "the condition has the type i32"},
		{"VecExtract f32 3", "VecExtract f32 4", "no element of the vector"},
		{"VecExtract f32 3", "VecExtract i32 3", "no element of the vector"},
		{"VecExtract f32 3, %21", "VecExtract f32 3, %3", "argument 0 has the type f32"},
		{"VecMake i32x4 %2,", "VecMake i32x4 %3,", "an element of type f32"},
		{"VecMake i32x4 %2,", "VecMake i32x4", "3 elements"},
		{"VecMake i32x4 %2,", "VecMake i32 %2,", "the result has the type i32"},
		{"Store [%0 i32x4, %1], %23", "%25 = Select i32x4 bool true, %23, %23", "where Select has the signature"},
		{"Phi i32 [i32 0 b0", "Phi i32 [i64 0 b0", "a phi of type i32 has an argument of type i64"},

		// Calls.
		{"Call record, %0, %2", "Call record, %0", "1 arguments of a helper with 2 parameters"},
		{"Call record, %0, %2", "Call record, %0, %1", "argument 1 has the type i64, the parameter i32"},
		{"Store [%0 i32, i32 0], %1", "Call record, %0, %1", "a recursive call"},
		{"record(%0 addr, %1 i32)", "record(%0 addr, %1 i16)", "a parameter has the type i16"},

		// Memory.
		{"Load f32 [%0 f32, %2]", "Load f32 [%0 i32, %2]", "the path leads to i32, the value has the type f32"},
		{"Load f32 [%0 f32, %2]", "AtomicCompareAndSwap bool [%0 i16, %2], i16 1, i32 0", "the new value has the type i16, the comparator i32"},
		{"Load f32 [%0 f32, %2]", "Load f32 [%0 f32]", "without an address and an index"},
		{"Load f32 [%0 f32, %2]", "Load f32 [%1 f32, %2]", "without an address and an index"},
		{"Load f32 [%0 f32, %2]", "Load f32 [%0 f32, f32 1]", "an element index of type f32"},
		{"Load f32 [%0 f32, %2]", "Load f32 [%0 f32, i8 1]", "an element index of type i8"},
		{"Load f32 [%0 f32, %2]", "Load f32 [%0 f32, %2, %2]", "the path does not fit"},
		{"Load f32 [%0 f32, %2]", "Load f32 [%0 [2]f32, %2]", "the path leads to [2]f32"},
		{"Load f32 [%0 f32, %2]", "Load f32 [%0 [$Tile]f32, %2, %2]", "is no type for device memory"},
		{"[var tile, i32 1, i32 1, %6]", "[var tile, i32 1, %6, %6]", "the path does not fit"},
		{"[var tile, i32 1, i32 1, %6]", "[var tile, i32 1, i32 2, %6]", "the path does not fit"},
		{"[var tile, i32 1, i32 1, %6]", "[var tile, i32 1, i32 1, bool true]", "an index of type bool"},
		{"[var tile, i32 1, i32 1, %6]", "[var tile, i32 1, i32 1]", "the path leads to [3]i8"},
		{"[var tile, i32 1, i32 1, %6], i8 -3", "[var tile, i32 1, i32 1, %6], i32 -3", "the path leads to i8"},
		{"Store [var i], i32 5", "Store [var table, i32 0, i32 0], i32 5", "not for a variable with storage Private"},
		{"Load f32x4 [%0 f32x4, %2]", "Load i32x4 [%0 f32x4, %2]", "the path leads to f32x4, the value has the type i32x4"},
		{"Load f32x4 [%0 f32x4, %2]", "Load f32x4 [%0 [2]f32x4, %2, %2]", "is no type for device memory"},
		{"Load f32x4 [%0 f32x4, %2]", "Load f32x4 [%0 {0: f32x4; 16/16}, %2, i32 0]", "is no type for device memory"},
		{"var i i32", "var i f32x4", "variable i: the type is not the module's"},
		{"Zero [var i#2]", "Zero [var tile]", "not for a variable with storage Workgroup"},
		{"ZeroLocal [var tile]", "ZeroLocal [var i]", "not for a variable with storage Function"},
		{"Zero [var i#2]", "Zero [var i#2, i32 1]", "1 arguments"},
		{"CopyVar [var i#3], [var i#2]", "CopyVar [var i], [var i#2]", "not two Function variables of one type"},
		{"CopyVar [var i#3], [var i#2]", "CopyVar [var tile], [var tile]", "not two Function variables of one type"},
		{"i32 [%0 i32, %1], i32 1, i32 0", "i32 [var i], i32 1, i32 0", "not for a variable with storage Function"},
		{"i32 [%0 i32, %1], i32 1, i32 0", "f32 [%0 f32, %1], f32 1, f32 0", "where AtomicCompareExchange has the signature"},
		{"AddrOf addr [%0 [4]f32, %11, i32 2]", "AddrOf addr [var tile]", "not for a variable with storage Workgroup"},

		// Edges and dominance.
		{"b2: preds b1", "b2: preds b1, b5", "has it as a predecessor without an edge"},
		{"b3: preds b2", "b3: preds b1", "is not among its predecessors"},
		{"\tJump b3", "\tJump b0", "the entry has predecessors"},
		{"%8 = FAdd f32 %7, %3", "%8 = FAdd f32 %8, %3", "used before %8"},
		{"Barrier WorkGroup", "%40 = IAdd i32 %10, i32 1", "used before %11 = IAdd"},
		{"%6 = Phi i32 [i32 0 b0, %10 b3]", "%6 = Phi i32 [%10 b0, %10 b3]", "does not dominate the end of b0"},
		{"Branch %5, b1, b4", "Branch %9, b1, b4", "the condition does not dominate the branch"},
	})
}

// TestVerifyStructure breaks the rules of structured control flow.
func TestVerifyStructure(t *testing.T) {
	checkEdits(t, "loop.ir", []edit{
		{"b0: merge b9", "b0:", "without a merge block that neither leaves nor continues"},
		{"b3: merge b5", "b3: merge b7", "is the merge block of another header too"},
		{"b3: merge b5", "b3: continue b5", "a continue target without a merge block"},
		{"b3: merge b5", "b3: merge b3", "the merge block is the header"},
		{"b3: merge b5", "b3: merge b1", "does not dominate its merge block"},
		{"b5:", "b5: merge none", "a header ends in Jump"},
		{"merge b7 continue b6", "merge b7 continue b7", "the merge block is the header or the continue target"},
		{"merge b7 continue b6", "merge b7 continue b1", "does not dominate its continue target"},
		{"merge b7 continue b6", "merge b7", "which is no loop header"},
		{"merge b7 continue b6", "merge b7 continue b4", "does not dominate the back edge"},
		{"merge b7 continue b6", "merge b9 continue b6", "is the merge block of another header too"},
		{"b5:\n", "b5:\n\tReturn\nb10:\n", "can neither be reached nor"},
		// The loop is left past its merge block.
		{"b4:\n\tJump b7\nb5", "b4:\n\tJump b9\nb5", "a branch to b8, out of the loop construct of b2"},
		// Order.
		{"Jump b9\nb9:\n\tReturn\n", "Jump b11\nb9:\n\tReturn\nb12:\n\tJump b9\nb11:\n\tJump b12\n", "before its dominator"},
	})
	m := mustParse(t, strings.Replace(testFile(t, "all.ir"), "module All built", "module All legal", 1))
	err := Verify(m)
	for _, want := range []string{"ZeroLocal [var tile]: the op is not legal", "Fault site 0, %1, %4, %2, i32 0, i32 0: the op is not legal",
		"neither leaves nor continues"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	m = mustParse(t, strings.Replace(testFile(t, "loop.ir"), "Arg i32 8", "Arg i32 56", 1))
	if err := Verify(m); err == nil || !strings.Contains(err.Error(), "not in the launch block") {
		t.Error(err)
	}
}

// TestStructures is of control flow that is or is not structured, as blocks of
// a Structured module without values.
func TestStructures(t *testing.T) {
	for _, c := range []struct{ name, blocks, want string }{
		{"single block loop", "b0:\n Jump b1\nb1: merge b2 continue b1\n Branch $c, b1, b2\nb2:\n Return\n", ""},
		{"loop without a way out", "b0:\n Jump b1\nb1: merge none continue b2\n Jump b2\nb2:\n Jump b1\n", ""},
		{"loop that never goes round", "b0:\n Jump b1\nb1: merge b2 continue none\n Jump b2\nb2:\n Return\n", ""},
		{"its own continue block", "b0:\n Jump b1\nb1: merge b2 continue b3\n Jump b2\nb3:\n Jump b1\nb2:\n Return\n", ""},
		{"arms that return", "b0: merge none\n Branch $c, b1, b2\nb1:\n Return\nb2:\n Return\n", ""},
		{"unreachable merge", "b0: merge b3\n Branch $c, b1, b2\nb1:\n Return\nb2:\n Return\nb3:\n Unreachable\n", ""},
		{"continue from within", "b0:\n Jump b1\nb1: merge b5 continue b4\n Jump b2\nb2: merge b3\n Branch $c, b4, b3\nb3:\n Branch $c, b4, b5\nb4:\n Jump b1\nb5:\n Return\n", ""},
		{"break at the end", "b0:\n Jump b1\nb1: merge b3 continue b2\n Jump b2\nb2:\n Branch $c, b1, b3\nb3:\n Return\n", ""},
		{"return in a loop", "b0:\n Jump b1\nb1: merge b5 continue b4\n Jump b2\nb2: merge b3\n Branch $c, b6, b3\nb6:\n Return\nb3:\n Branch $c, b4, b5\nb4:\n Jump b1\nb5:\n Return\n", ""},
		{"merge block as a header", "b0: merge b1\n Branch $c, b2, b1\nb2:\n Jump b1\nb1: merge b3\n Branch $c, b4, b3\nb4:\n Jump b3\nb3:\n Return\n", ""},

		{"return in a continue construct", "b0:\n Jump b1\nb1: merge b5 continue b2\n Branch $c, b2, b5\nb2: merge b3\n Branch $c, b4, b3\nb4:\n Return\nb3:\n Jump b1\nb5:\n Return\n",
			"Return in the continue construct"},
		{"two back edges", "b0:\n Jump b1\nb1: merge b3 continue b2\n Jump b2\nb2: merge b4\n Branch $c, b1, b4\nb4:\n Branch $c, b1, b3\nb3:\n Return\n", "a second back edge"},
		{"break of two loops", "b0:\n Jump b1\nb1: merge b7 continue b6\n Jump b2\nb2: merge b5 continue b4\n Branch $c, b3, b5\nb3: merge b8\n Branch $c, b7, b8\nb8:\n Jump b4\nb4:\n Jump b2\nb5:\n Jump b6\nb6:\n Jump b1\nb7:\n Return\n",
			"out of the loop construct"},
		{"into an arm", "b0: merge b3\n Branch $c, b1, b2\nb1:\n Jump b2\nb2:\n Jump b3\nb3:\n Return\n", ""},
		{"into a loop", "b0: merge b5\n Branch $c, b1, b3\nb1: merge b4 continue b3\n Branch $c, b3, b4\nb3:\n Jump b1\nb4:\n Jump b5\nb5:\n Return\n", "no loop header"},
		{"out of a continue construct", "b0:\n Jump b1\nb1: merge b5 continue b2\n Branch $c, b2, b5\nb2:\n Branch $c, b3, b5\nb3:\n Jump b1\nb5:\n Return\n", "out of the continue construct of b2"},
		{"equal arms", "b0: merge b1\n Branch $c, b1, b1\nb1:\n Return\n", "both arms"},
		{"branch without a merge block", "b0:\n Branch $c, b1, b2\nb1:\n Return\nb2:\n Return\n", "without a merge block"},
		{"out of a selection", "b0: merge b6\n Branch $c, b1, b6\nb1: merge b4\n Branch $c, b2, b4\nb2:\n Jump b6\nb4:\n Jump b6\nb6:\n Return\n", "out of the selection construct"},
		{"irreducible", "b0: merge b3\n Branch $c, b1, b2\nb1:\n Jump b2\nb2: merge none\n Branch $c, b1, b3\nb3:\n Return\n", "no loop header"},
		{"no back edge", "b0:\n Jump b1\nb1: merge b2 continue b3\n Branch $c, b3, b2\nb3:\n Jump b2\nb2:\n Return\n", "a loop header without a back edge"},
	} {
		m := mustParse(t, "module S structured\nspec $c id 1 = bool true\nkernel main {\n"+c.blocks+"}\n")
		err := Verify(m)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
		if s := m.String(); mustParse(t, s).String() != s {
			t.Errorf("%s: does not read back:\n%s", c.name, s)
		}
	}
}

// TestVerifyCode breaks what no text can break.
func TestVerifyCode(t *testing.T) {
	for _, c := range []struct {
		name, want string
		do         func(m *Module, b []*Block)
	}{
		{"no kernel", "no kernel", func(m *Module, b []*Block) { m.Kernel = nil }},
		{"kernel parameter", "the kernel has parameters", func(m *Module, b []*Block) { m.Kernel.NewParam(TypeI32) }},
		{"no blocks", "no blocks", func(m *Module, b []*Block) { m.Kernel.Blocks = nil }},
		{"site index", "site 1 has the index 5", func(m *Module, b []*Block) { m.Sites[1].Index = 5 }},
		{"spec type", "specialization constant Tile has the type", func(m *Module, b []*Block) { m.Specs[1].Type = &Type{Kind: I32, Size: 4} }},
		{"own scalar type", "the result has the type i64", func(m *Module, b []*Block) { b[0].Insts[1].Type = &Type{Kind: I64, Size: 8} }},
		{"own array type", "the type is not the module's", func(m *Module, b []*Block) { c := *m.Vars[0].Type; m.Vars[0].Type = &c }},
		{"own struct type", "the type is not the module's", func(m *Module, b []*Block) {
			s := *m.Vars[0].Type.Elem
			m.Vars[0].Type = m.ArrayOf(&s, m.Int(TypeI32, 4))
		}},
		{"own constant", "is not the module's", func(m *Module, b []*Block) {
			c := *m.Int(TypeI32, 1)
			b[3].Insts[0].Args[1] = &c
		}},
		{"constant in a block", "constants stand outside of blocks", func(m *Module, b []*Block) { b[0].Append(OpConst, TypeI32) }},
		{"value in no block", "stands in no block", func(m *Module, b []*Block) {
			b[3].Insts[0].Args[1] = m.Kernel.NewValue(OpIAdd, TypeI32, m.Int(TypeI32, 1), m.Int(TypeI32, 2))
		}},
		{"value of another function", "does not stand in the function", func(m *Module, b []*Block) { b[3].Insts[0].Args[1] = m.Helpers[0].Params[1] }},
		{"value that was removed", "does not stand in the function", func(m *Module, b []*Block) { b[1].Insts = b[1].Insts[1:] }},
		{"missing argument", "a missing argument", func(m *Module, b []*Block) { b[3].Insts[0].Args[1] = nil }},
		{"value twice", "stands in two places", func(m *Module, b []*Block) { b[3].Insts = append(b[3].Insts, b[3].Insts[0]) }},
		{"id twice", "another value has the id", func(m *Module, b []*Block) { b[3].Insts[0].ID = b[0].Insts[0].ID }},
		{"wrong block", "the value's Block is another", func(m *Module, b []*Block) { b[3].Insts[0].Block = b[0] }},
		{"late phi", "a phi stands after other values", func(m *Module, b []*Block) { b[1].Insts = append(b[1].Insts, b[1].Phis[1]); b[1].Phis = b[1].Phis[:1] }},
		{"no phi", "not a phi", func(m *Module, b []*Block) { b[3].Phis, b[3].Insts = b[3].Insts, nil }},
		{"phi arity", "1 arguments in a block with 2 predecessors", func(m *Module, b []*Block) { b[1].Phis[0].Args = b[1].Phis[0].Args[:1] }},
		{"no terminator", "no terminator", func(m *Module, b []*Block) { b[3].ClearTerm() }},
		{"successors", "the terminator Return has 1 successors", func(m *Module, b []*Block) { b[3].Term.Kind = Return }},
		{"condition", "the terminator Jump has a condition", func(m *Module, b []*Block) { b[3].Term.Cond = m.Bool(true) }},
		{"block twice", "stands twice", func(m *Module, b []*Block) { m.Kernel.Blocks = append(b, b[3]) }},
		{"foreign block", "the block's Func is another", func(m *Module, b []*Block) { b[3].Func = m.Helpers[0] }},
		{"foreign successor", "a successor is not in the function", func(m *Module, b []*Block) { m.Kernel.Blocks = b[:5] }},
		{"foreign predecessor", "a predecessor is not in the function", func(m *Module, b []*Block) { b[3].Preds = append(b[3].Preds, m.Helpers[0].Blocks[0]) }},
		{"no operation", "no operation", func(m *Module, b []*Block) { b[3].Insts[0].Op = OpInvalid }},
		{"no auxiliary", "the auxiliary is missing", func(m *Module, b []*Block) { b[2].Insts[1].Aux = nil }},
		{"foreign site", "the auxiliary is missing or not the module's", func(m *Module, b []*Block) { b[4].Insts[0].Aux = &Site{} }},
		{"foreign helper", "the auxiliary is missing or not the module's", func(m *Module, b []*Block) { m.Helpers = nil }},
		{"foreign spec", "the auxiliary is missing or not the module's", func(m *Module, b []*Block) { m.Specs = m.Specs[1:2] }},
		{"built-in", "the auxiliary is missing", func(m *Module, b []*Block) { b[0].Insts[2].Aux = NumBuiltIns }},
		{"needless auxiliary", "has no such auxiliary", func(m *Module, b []*Block) { b[3].Insts[0].Aux = ScopeWorkGroup }},
		{"foreign variable", "belongs to another function", func(m *Module, b []*Block) { m.Kernel.Vars = m.Kernel.Vars[1:] }},
		{"storage", "storage Function does not belong here", func(m *Module, b []*Block) { m.Vars[0].Storage = Function }},
		{"items of a task", "form Task has 2 items", func(m *Module, b []*Block) { m.Form, m.Rank, m.Items = abi.Task, 0, 2 }},
	} {
		m := mustParse(t, testFile(t, "all.ir"))
		c.do(m, m.Kernel.Blocks)
		if err := Verify(m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
		_ = m.String() // must not panic
	}
}

// TestSharedArgs is of values that have one slice of arguments: what replaces one's
// replaces the other's, too.
func TestSharedArgs(t *testing.T) {
	m := mustParse(t, testFile(t, "all.ir"))
	firsts := map[Op]*Value{}
	for _, b := range m.Kernel.Blocks {
		for _, v := range b.Insts {
			first := firsts[v.Op]
			if first == nil || len(v.Args) == 0 || first.Type != v.Type {
				firsts[v.Op] = v
				continue
			}
			v.Args = first.Args
			if err := Verify(m); err == nil || !strings.Contains(err.Error(), "it has the same slice") {
				t.Error(err)
			}
			return
		}
	}
	t.Error("no two values of one op and type")
}

// TestFlags: the flags of an op fit one another and its signature.
func TestFlags(t *testing.T) {
	for _, o := range Ops() {
		args, result, _ := strings.Cut(o.Info().Sig, ":")
		for _, rule := range []struct {
			flag Flags
			ok   bool
			what string
		}{
			{FlagCompare, args == "II" && result == "b", "compares integers"},
			{FlagCheap, o.Has(FlagPure) && !o.Has(FlagCostly), "is cheap"},
			{FlagCostly, o.Has(FlagPure), "is costly, and has effects"},
			{FlagPartial, o.Has(FlagPure), "is undefined for some arguments, and has effects"},
			{FlagDivides, o.Has(FlagPartial | FlagCostly), "divides"},
			{FlagFloat32, strings.HasSuffix(result, "F"), "is of f32"},
			{FlagGroup, o.Has(FlagSync) && args != "" && result != "-", "is a group op"},
			{FlagSubGroup, o.Has(FlagGroup), "is of sub-groups"},
			{FlagSame, o.Has(FlagGroup), "has one result for the group"},
			{FlagGroup, (o.Info().Noun == "") == o.Has(FlagSame), "has a noun and one result for the group, or neither"},
			{FlagGroup, o.Info().Neutral != NeutralTrue || args == "b", "is neutral for true"},
			{FlagGroup, o.Info().Neutral != NeutralSecond || args == "SS", "is neutral for its second argument"},
			{FlagGroup, o.wordArg() < 0 || o.wordArg() == len(args)-1 && o.Has(FlagSubGroup), "has words"},
			{FlagCoded, o.Has(FlagFold | FlagPure), "is a constant expression"},
			{FlagAtomic, !o.Has(FlagPure), "is atomic"},
			{FlagNamed, o.Has(FlagPure) && strings.HasPrefix(args, result) && len(args) > 1, "names a result"},
		} {
			if o.Has(rule.flag) && !rule.ok {
				t.Errorf("%v %s, its signature is %q and its flags are %b", o, rule.what, o.Info().Sig, o.Info().Flags)
			}
		}
		if !o.Has(FlagGroup) && (o.Info().Neutral != NeutralZero || o.Info().Noun != "") {
			t.Errorf("%v is no group op, and has a noun or something neutral", o)
		}
	}
}
