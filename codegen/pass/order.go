package pass

// This file has the reasons for the order of the passes, which Run holds against the list.

import (
	"errors"
	"fmt"
	"sync"
)

// constraint says that one pass must run before another, and why. A pass that stands in the
// wrong place often does no visible harm: the code is merely slower, or wrong for one driver
// only. So the reasons are data, which the first Run compares with the list.
type constraint struct {
	before, after string
	because       string
}

// passOrder holds the reasons for the order of passes. Whoever adds a pass adds a row for each
// pass that it needs the work of, and for each whose work it would undo or hide.
var passOrder = []constraint{
	// Memory becomes values.
	{"soa", "sroa", "soa leaves arrays whose elements are no structs, and sroa can split short ones of these into scalars"},
	{"sroa", "mem2reg", "mem2reg promotes scalar variables only; sroa makes them of structs and short arrays"},
	{"mem2reg", "params", "that an argument is never read shows only once the variables that it is copied to are values"},
	{"mem2reg", "simplify", "simplify folds values and does not look into memory"},
	{"mem2reg", "cse", "two loads of a variable are equal expressions only once they are the same value"},
	{"params", "bounds", "all modules of a kernel share one argument block, and bounds is the first pass that differs among them"},
	{"params", "polls", "all modules of a kernel share one argument block, and only those that can be cancelled have polls"},

	{"mem2reg", "exits", "exits follows conditions, which are values once the variables that hold them are"},
	{"exits", "params", "the checked mode interprets kernels as params leaves them, and is to see a work-item return that has returned from a part"},
	{"exits", "deadlanes", "deadlanes refuses kernels in which work-items meet again that have and have not met at a barrier"},

	// Values are simplified before anything is copied.
	{"simplify", "cse", "expressions that simplify brings into the same form are equal to cse"},
	{"simplify", "bounds", "a branch that a constant decides leads to no check"},
	{"cse", "dce", "cse leaves values that nothing uses"},
	{"dce", "fuse", "fuse takes a product into a sum only if nothing else uses it, so dead uses must be gone"},
	{"floats", "fuse", "where floats removes a conversion it leaves an FRounded, by which fuse knows not to fuse the product below"},
	{"fuse", "ahead", "fuse counts the uses of a product, and a copied loop doubles them"},
	{"fuse", "unroll", "fuse counts the uses of a product, and each unrolled round adds some"},
	{"fuse", "overlap", "fuse counts the uses of a product, and overlap copies the rounds of loops"},
	{"fuse", "gather", "fuse counts the uses of a product, and gather copies code for work-items whose checks fail"},

	// Memory that is internal to the kernel becomes values.
	{"cse", "internal", "internal knows a work-item's own elements by their indices, which cse makes the same ones"},
	{"fuse", "internal", "Go rounds a float where it is stored, so a product that internal takes past memory must go into no sum"},
	{"internal", "forward", "forward would take a store to internal memory for one to memory that others see"},
	{"internal", "bounds", "all modules of a kernel share one argument block, of which internal takes slices out; and it finds own elements by their checks"},

	// Matrices become loops.
	{"fuse", "matrices", "a matrix's products are rounded before they are added"},
	{"internal", "matrices", "internal would take the loops that load a matrix for loads of a work-item's own elements"},
	{"arrays", "matrices", "the text of a kernel, from which graphs and variants are made, is for devices with matrices of their own, too"},
	{"matrices", "once", "the loops that matrices adds load work-group memory ahead of others"},
	{"matrices", "narrow", "narrow computes the indices of the loops that matrices adds in 32 bits"},
	{"matrices", "deadlanes", "deadlanes sees to it that all work-items reach the barriers that matrices adds"},

	// Loads become the values that were stored.
	{"internal", "arrays", "several elements that are a work-item's own become an array"},
	{"sroa", "arrays", "arrays is for what sroa leaves whole, and looks at arrays alone"},
	{"cse", "arrays", "arrays knows elements by the values of their indexes, which cse makes the same ones"},
	{"fuse", "arrays", "Go rounds a float where it is stored, so a product that arrays takes past an array must go into no sum"},
	{"arrays", "forward", "an index that comes out of an array is one value for forward if it is one for the kernel"},
	{"arrays", "unroll", "unroll writes out small loops alone, and without the loads that arrays removes more are"},
	{"cse", "once", "an index that once is to find the same in all rounds is one value, and so are the addresses it compares"},
	{"fuse", "once", "fuse takes a product only into a sum of the same loop, and once moves values out of loops"},
	{"internal", "once", "once would take a store to internal memory for one to memory that others see, and leave loads in the loop"},
	{"arrays", "once", "an index that comes out of an array is the same in all rounds for once only if it is a value"},
	{"once", "forward", "a load that once has moved ahead of a loop may be one that forward finds made before"},
	{"once", "bounds", "a loop's bound that is the same in all rounds gives what it counts a range"},
	{"once", "ahead", "ahead hoists checks of loops whose bound is the same in all rounds"},
	{"cse", "forward", "forward knows places of memory by the values of address and index, which cse makes the same ones"},
	{"fuse", "forward", "Go rounds a float where it is stored, so a product that forward takes past memory must go into no sum"},
	{"forward", "bounds", "an index that was stored has the range of what was stored, and equal ones need one check"},
	{"forward", "ahead", "ahead copies loops, in which each load that forward removes would stand twice"},
	{"forward", "unroll", "unroll writes out small loops alone, and without the loads that forward removes more are"},
	{"forward", "gather", "gather moves loads across checks, and each that forward has removed is one less"},

	// Checks are decided, then hoisted; what is left of them bounds integers.
	{"bounds", "ahead", "ahead versions only loops that still have checks, which bounds decides"},
	{"bounds", "shortdiv", "the ranges that prove a division short follow from the checks that bounds leaves"},
	{"bounds", "deadlanes", "each check that bounds decides is one branch less by which a lane may die"},
	{"ahead", "unroll", "unroll is for the small loops whose checks ahead cannot hoist"},
	{"ahead", "overlap", "ahead would version both of overlap's loops, and checks that it hoists are none of their rounds"},
	{"ahead", "narrow", "the tests that ahead hoists bound the integers of the loop behind them"},
	{"unroll", "gather", "gather merges the checks of the rounds that unroll writes out one after the other"},
	{"unroll", "overlap", "overlap would have several rounds at a time of small loops that unroll writes out whole"},
	{"bounds", "writeout", "what bounds proves of a loop it would have to prove of each round"},
	{"ahead", "writeout", "ahead makes the checks of a loop at once that would stand in each round"},
	{"narrow", "writeout", "the host's form is made behind narrow, and its compiler has no registers for arrays"},
	{"writeout", "elements", "elements makes values of arrays whose indexes writeout has made constants"},
	{"elements", "overlap", "overlap takes stores to an array for stores to memory, and leaves loops that have them"},
	{"elements", "gather", "gather moves no load past a store to an array"},
	{"narrow", "overlap", "overlap computes indices of rounds that do not come, of which the conditions that narrow reads ranges from do not hold"},
	{"overlap", "gather", "gather leaves checks that several faults are behind, which are ways out of a loop that overlap does not know"},
	{"overlap", "coarsen", "coarsen repeats only small kernels and must count what overlap adds"},
	{"overlap", "polls", "polls adds ways out of loops that depend on memory that the host writes"},
	{"shortdiv", "narrow", "narrow keeps in 32 bits what is computed from 32-bit values, such as shortdiv's quotients"},
	{"narrow", "gather", "gather moves values ahead of the checks from which narrow reads their ranges"},
	{"ahead", "coarsen", "ahead would take coarsen's loop over work-items for one of the kernel and version it"},
	{"unroll", "coarsen", "unroll would write out coarsen's loop over work-items, and coarsen repeats kernels whose only loops unroll removed"},
	{"gather", "coarsen", "coarsen repeats only small kernels and must count what gather adds"},
	{"narrow", "coarsen", "coarsen's vectors are for elements whose index is the work-item's id, of which narrow leaves less to see through"},
	{"coarsen", "dce2", "the code with vectors still computes the checks that it does not make"},

	// Work-items that leave early become dead lanes, and group operations become code.
	{"coarsen", "polls", "coarsen turns each way out of a work-item into a jump to the next one, which must not happen to a cancelled one"},
	{"gather", "polls", "gather would take the look at the cancel word, which ends in a fault, for a check to merge"},
	{"polls", "deadlanes", "deadlanes must see every place where a work-item may leave, cancellation included"},
	{"polls", "groups", "polls asks by a group reduction whether the whole group stays, which groups writes out"},
	{"deadlanes", "tiles", "deadlanes gives all lanes of a sub-group the arguments of loads and stores, and branches of tiles are no work-group's"},
	{"tiles", "groups", "tiles asks whether a sub-group has no live lane, for which it looks at what deadlanes has written"},
	{"tiles", "dropbarriers", "dropbarriers asks what lies between barriers, and tiles adds some, and uses of memory"},
	{"tiles", "structurize", "tiles adds branches and loops"},
	{"tiles", "superwords", "superwords makes vectors of work-group memory only if tiles loads all matrices there as they are"},
	{"elements", "superwords", "superwords packs values, and elements of arrays are values only after elements"},
	{"superwords", "zerolocal", "zerolocal zeroes work-group memory by its type, which superwords changes"},
	{"superwords", "dce2", "dce2 removes the elements that superwords has packed"},
	{"deadlanes", "groups", "dead lanes contribute a neutral operand to a group operation while it is still one operation"},
	{"deadlanes", "atomics", "the retry loops that atomics adds need no dead lanes: they have no barriers"},
	{"deadlanes", "zerolocal", "all lanes take part in zeroing work-group memory, dead ones too, and meet at its barrier"},
	{"deadlanes", "mem2reg2", "deadlanes keeps its flags in variables, which mem2reg2 promotes"},
	{"deadlanes", "dropbarriers", "deadlanes reports barriers that not all work-items come to, also those that order nothing"},
	{"groups", "dropbarriers", "dropbarriers asks what lies between barriers, and groups adds some, and uses of memory"},
	{"atomics", "dropbarriers", "dropbarriers asks what lies between barriers, and atomics adds uses of memory"},
	{"zerolocal", "dropbarriers", "dropbarriers asks what lies between barriers, and zerolocal adds some, and stores"},
	{"dce2", "zerolocal", "whether a store is made by all work-items, dead ones too, shows once branches on flags that are constant are gone"},
	{"groups", "relax", "relax asks what lies between barriers, and groups adds barriers"},
	{"atomics", "relax", "what atomics writes out as a loop reads the memory that it adds to"},
	{"zerolocal", "relax", "relax asks what lies between barriers, and zerolocal adds barriers and stores"},
	{"groups", "lighten", "lighten asks what lies between barriers, and groups adds barriers"},
	{"atomics", "lighten", "lighten asks what a value that was loaded decides, and atomics adds loops that end as loads say"},
	{"zerolocal", "lighten", "lighten asks what lies between barriers, and zerolocal adds barriers"},
	{"dce2", "lighten", "a branch on what was loaded, and a value that is kept in a variable, are in lighten's way"},
	{"dce2", "askunroll", "askunroll counts instructions, of which dce2 removes some"},
	{"askunroll", "structurize", "structurize turns rounds into breaks and flags"},
	{"lighten", "partial", "partial adds a way to the kernel's end"},
	{"deadlanes", "partial", "partial's branch depends on the work-item, so all barriers behind it would look divergent"},

	// Loops and branches are all there; they get SPIR-V's structure.
	{"narrow", "constdiv", "constdiv expands the 64-bit divisions that narrow could not do in 32 bits"},
	{"shortdiv", "constdiv", "constdiv expands the 64-bit divisions that shortdiv could not do in 32 bits"},
	{"constdiv", "simplify2", "simplify2 folds the shifts and masks of constdiv's multiplications"},
	{"mem2reg2", "simplify2", "simplify2 folds the flags that mem2reg2 found to be constant"},
	{"simplify2", "dce2", "simplify2 leaves values that nothing uses"},
	{"groups", "structurize", "groups adds loops"},
	{"atomics", "structurize", "atomics adds loops"},
	{"zerolocal", "structurize", "zerolocal adds loops"},
	{"partial", "structurize", "partial adds a branch"},
	{"simplify2", "structurize", "a branch that simplify2 folds needs no structure; behind structurize simplify leaves branches alone"},
	{"structurize", "simplify3", "structurize adds flags, many of which are constant"},
	{"simplify3", "dce3", "simplify3 leaves values that nothing uses"},
	{"structurize", "loopvalues", "loopvalues routes breaks through loop headers, which structurize declares"},

	// Nothing is folded any more; the code is written as drivers and SPIR-V need it.
	{"dce3", "access", "a load that dce3 removes does not count as a read of its slice"},
	{"simplify3", "loopvalues", "simplify would fold the phis that loopvalues adds for drivers"},
	{"simplify3", "quirks", "simplify would fold what quirks writes in a roundabout way"},
	{"loopvalues", "quirks", "where work-items meet quirks hides all phis of bools, also the flags by which loopvalues leaves a loop"},
	{"structurize", "exactdiv", "exactdiv adds branches that have their structure already, and would have each division cut a block for structurize"},
	{"loopvalues", "exactdiv", "exactdiv leaves whole the blocks in which a loop begins and goes on, and loopvalues makes some into these"},
	{"quirks", "exactdiv", "quirks would hide the integers of exactdiv's corrections, which need no hiding"},
	{"exactdiv", "longdiv", "longdiv divides float32s whose rounding does not matter, which exactdiv must not correct"},
	{"exactdiv", "unsigned", "unsigned rewrites conversions to float32, also those that exactdiv adds"},
	{"longdiv", "unsigned", "unsigned rewrites conversions to float32, also those that longdiv adds"},
	{"quirks", "outlive", "quirks puts other values in the place of the header phis that outlive routes values through"},
	{"exactdiv", "outlive", "outlive computes short expressions again behind a loop, and exactdiv makes a division a long one"},
	{"longdiv", "outlive", "outlive computes short expressions again behind a loop, and longdiv makes a division a long one"},
	{"unsigned", "outlive", "outlive computes expressions again behind a loop in their final form"},
	{"access", "expand", "expand makes loads of the arguments of a spilled launch, behind which access cannot see the slices"},
	{"outlive", "expand", "outlive computes arguments again behind a loop, which is free only while they are no loads"},
	{"structurize", "expand", "the helper that expand adds for faults has its structure already"},
}

// listInOrder panics if the list breaks a constraint. It is asked when the first module is
// compiled, and not by init: programs that link this package and compile nothing would have
// all passes in them, which only the list refers to.
func listInOrder() {
	listed.Do(func() {
		if err := checkOrder(passes, passOrder); err != nil {
			panic("BUG: the list of passes: " + err.Error())
		}
	})
}

var listed sync.Once

// checkOrder returns an error for each constraint that the list breaks, for each pass that a
// constraint names and the list lacks, and for each name that the list has twice.
func checkOrder(list []Pass, order []constraint) error {
	var errs []error
	at := map[string]int{}
	for i := range list {
		if _, ok := at[list[i].Name]; ok {
			errs = append(errs, fmt.Errorf("two passes are called %s", list[i].Name))
		}
		at[list[i].Name] = i
	}
	for _, c := range order {
		before, ok1 := at[c.before]
		after, ok2 := at[c.after]
		switch {
		case !ok1:
			errs = append(errs, fmt.Errorf("there is no pass %s, which is to run before %s", c.before, c.after))
		case !ok2:
			errs = append(errs, fmt.Errorf("there is no pass %s, which is to run after %s", c.after, c.before))
		case before >= after:
			errs = append(errs, fmt.Errorf("%s must run before %s: %s", c.before, c.after, c.because))
		}
	}
	return errors.Join(errs...)
}
