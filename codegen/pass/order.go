package pass

// This file contains the constraints on the order of the passes, with their reasons. Run checks the
// list of passes against the constraints.

import (
	"errors"
	"fmt"
	"sync"
)

// A constraint requires that one pass runs before another, and contains the reason. A pass at the
// wrong position in the list often causes no visible harm. For example, the code may only be
// slower, or wrong for only one driver. Therefore the first call of Run checks the list of passes
// against the constraints.
type constraint struct {
	before, after string
	because       string
}

// passOrder contains the constraints on the order of the passes. A new pass needs constraints for
// the passes whose results it uses, and for passes whose results it would undo or hide.
var passOrder = []constraint{
	// Memory becomes values.
	{"soa", "sroa", "soa leaves arrays whose elements are not structs, and sroa can split the short ones into scalars"},
	{"sroa", "mem2reg", "mem2reg promotes scalar variables only; sroa makes them of structs and short arrays"},
	{"mem2reg", "params", "an argument that is only copied to variables is known to be unused once the variables are values"},
	{"mem2reg", "simplify", "simplify folds values and does not look into memory"},
	{"mem2reg", "cse", "two loads of a variable are equal expressions only once they are the same value"},
	{"params", "bounds", "all modules of a kernel share one argument block, and bounds is the first pass that differs among them"},
	{"params", "polls", "all modules of a kernel share one argument block, and only those that can be cancelled have polls"},

	{"mem2reg", "exits", "exits follows conditions, which are values once the variables that hold them are"},
	{"exits", "params", "the checked mode interprets kernels as params leaves them, and must see a return from a called kernel as a return of the work-item"},
	{"exits", "deadlanes", "deadlanes refuses a kernel if paths that have and have not passed a barrier meet again"},

	// Values are simplified before loops and functions are copied.
	{"simplify", "cse", "cse merges only expressions of the same form, into which simplify brings them"},
	{"simplify", "bounds", "a branch that a constant decides leads to no check"},
	{"cse", "dce", "cse leaves values that nothing uses"},
	{"dce", "fuse", "fuse takes a product into a sum only if nothing else uses the product, so dead uses must be gone"},
	{"floats", "fuse", "where floats removes a conversion it leaves an FRounded, which keeps fuse from fusing the product below it"},
	{"fuse", "ahead", "fuse counts the uses of a product, and a copied loop doubles them"},
	{"fuse", "unroll", "fuse counts the uses of a product, and each unrolled round adds some"},
	{"fuse", "overlap", "fuse counts the uses of a product, and overlap copies the rounds of loops"},
	{"fuse", "gather", "fuse counts the uses of a product, and gather copies code for work-items whose checks fail"},

	// Memory that is internal to the kernel becomes values.
	{"cse", "internal", "internal recognizes a work-item's own elements by their indices, and cse turns equal indices into one value"},
	{"fuse", "internal", "Go rounds a float where it is stored, so fuse must not fuse a product that internal takes past memory"},
	{"internal", "forward", "forward would treat a store to internal memory as a store to memory that others see"},
	{"internal", "bounds", "all modules of a kernel share one argument block, from which internal removes slices; and internal recognizes own elements by their checks"},

	// Matrices become loops.
	{"fuse", "matrices", "a matrix's products are rounded before they are added"},
	{"internal", "matrices", "internal would treat the loops that load a matrix as loads of a work-item's own elements"},
	{"arrays", "matrices", "graphs and variants are made from the kernel's text, which must also serve devices with matrices of their own"},
	{"matrices", "once", "the loops that matrices adds contain loads of work-group memory that once can hoist"},
	{"matrices", "narrow", "narrow computes the indices of the loops that matrices adds in 32 bits"},
	{"matrices", "deadlanes", "deadlanes makes all work-items reach the barriers that matrices adds"},

	// Loads become the values that were stored.
	{"internal", "arrays", "where a work-item has several own elements, internal makes an array of them"},
	{"sroa", "arrays", "arrays handles only arrays, those that sroa does not split"},
	{"cse", "arrays", "arrays identifies elements by the values of their indexes, and cse turns equal indexes into one value"},
	{"fuse", "arrays", "Go rounds a float where it is stored, so fuse must not fuse a product that arrays takes past an array"},
	{"arrays", "forward", "forward identifies places by index values, so an index that is read from an array must be a value first"},
	{"arrays", "unroll", "unroll writes out only small loops, and more loops are small without the loads that arrays removes"},
	{"cse", "once", "once finds an index or address unchanged in all rounds only if equal expressions are one value"},
	{"fuse", "once", "fuse takes a product only into a sum of the same loop, and once moves values out of loops"},
	{"internal", "once", "once would treat a store to internal memory as a store to memory that others see, and leave loads in the loop"},
	{"arrays", "once", "once finds an index unchanged in all rounds only if it is a value, not an element of an array"},
	{"once", "forward", "forward may find that a load which once has moved ahead of a loop was made before"},
	{"once", "bounds", "a loop bound that is the same in all rounds gives the loop's counter a range"},
	{"once", "ahead", "ahead hoists checks of loops whose bound is the same in all rounds"},
	{"cse", "forward", "forward identifies places of memory by the values of address and index, and cse turns equal ones into one value"},
	{"fuse", "forward", "Go rounds a float where it is stored, so fuse must not fuse a product that forward takes past memory"},
	{"forward", "bounds", "a loaded index gets the range of the stored value, and equal indexes need one check"},
	{"forward", "ahead", "ahead copies loops, and would copy each load that forward removes"},
	{"forward", "unroll", "unroll writes out only small loops, and more loops are small without the loads that forward removes"},
	{"forward", "gather", "gather moves loads across checks, and forward leaves fewer loads"},

	// Checks are proved or hoisted, and the remaining checks limit the ranges of integers.
	{"bounds", "ahead", "ahead versions only loops that still have checks, which bounds decides"},
	{"bounds", "shortdiv", "the ranges that prove a division short follow from the checks that bounds leaves"},
	{"bounds", "deadlanes", "each check that bounds decides is one branch less by which a lane may die"},
	{"ahead", "unroll", "unroll is for small loops whose checks ahead cannot hoist"},
	{"ahead", "overlap", "ahead would version both loops that overlap makes, and checks that ahead hoists are absent from their rounds"},
	{"ahead", "narrow", "the tests that ahead hoists bound the integers of the loop that follows"},
	{"unroll", "gather", "gather merges the checks of the rounds that unroll writes out one after the other"},
	{"unroll", "overlap", "overlap would process several rounds at a time of small loops that unroll writes out completely"},
	{"bounds", "writeout", "bounds proves a fact once for a loop, and would have to prove it for each round that writeout makes"},
	{"ahead", "writeout", "ahead hoists a loop's checks, which writeout would otherwise copy into each round"},
	{"narrow", "writeout", "the host form is made after narrow, and its compiler does not keep arrays in registers"},
	{"writeout", "elements", "elements turns arrays into values if writeout has made their indexes constant"},
	{"elements", "overlap", "overlap treats stores to an array as stores to memory, and skips loops that have them"},
	{"elements", "gather", "gather does not move a load past a store to an array"},
	{"narrow", "overlap", "overlap computes indices of rounds that may not run, for which the conditions that give narrow its ranges do not hold"},
	{"overlap", "gather", "gather leaves checks that several faults share, and overlap does not recognize such exits of a loop"},
	{"overlap", "coarsen", "coarsen repeats only small kernels and must count what overlap adds"},
	{"overlap", "polls", "polls adds ways out of loops that depend on memory that the host writes"},
	{"shortdiv", "narrow", "narrow keeps in 32 bits values that are computed from 32-bit values, such as shortdiv's quotients"},
	{"narrow", "gather", "gather moves values ahead of the checks from which narrow reads their ranges"},
	{"ahead", "coarsen", "ahead would treat coarsen's loop over work-items as a loop of the kernel and version it"},
	{"unroll", "coarsen", "unroll would write out coarsen's loop over work-items, and coarsen repeats kernels whose only loops unroll removed"},
	{"gather", "coarsen", "coarsen repeats only small kernels and must count what gather adds"},
	{"narrow", "coarsen", "coarsen makes vectors of elements whose index is the work-item's id, and narrow removes conversions around it"},
	{"coarsen", "dce2", "the code with vectors still computes the conditions of checks that it does not make"},

	// Work-items that return early become dead lanes, and operations on groups become loops and
	// memory accesses.
	{"coarsen", "polls", "coarsen turns each way out of a work-item into a jump to the next one, which must not happen to a cancelled one"},
	{"gather", "polls", "gather would treat the test of the cancel word, which ends in a fault, as a check to merge"},
	{"polls", "deadlanes", "deadlanes must see every place where a work-item may leave, cancellation included"},
	{"polls", "groups", "polls asks by a group reduction whether the whole group stays, and groups expands the reduction"},
	{"deadlanes", "tiles", "deadlanes gives all lanes of a sub-group the arguments of loads and stores, and the branches that tiles adds differ within a work-group"},
	{"tiles", "groups", "tiles asks whether a sub-group has no live lane, by the code that deadlanes has written"},
	{"tiles", "dropbarriers", "dropbarriers examines the code between barriers, and tiles adds barriers and uses of memory"},
	{"tiles", "structurize", "tiles adds branches and loops"},
	{"tiles", "superwords", "superwords makes vectors of work-group memory only if tiles loads all matrices there unconverted"},
	{"elements", "superwords", "superwords packs values, and elements of arrays become values only in elements"},
	{"elements", "adjacent", "adjacent combines values, and elements of arrays become values only in elements"},
	{"coarsen", "adjacent", "coarsen makes vectors of several items' elements, and repeats each op"},
	{"superwords", "adjacent", "superwords packs the small elements of the vectors that it loads, and must see their loads"},
	{"superwords", "zerolocal", "zerolocal zeroes work-group memory by its type, which superwords changes"},
	{"superwords", "dce2", "dce2 removes the elements that superwords has packed"},
	{"deadlanes", "groups", "dead lanes contribute a neutral operand to a group operation while it is still one operation"},
	{"deadlanes", "atomics", "the retry loops that atomics adds need no dead lanes: they have no barriers"},
	{"deadlanes", "zerolocal", "all lanes take part in zeroing work-group memory, dead ones too, and meet at its barrier"},
	{"deadlanes", "mem2reg2", "deadlanes keeps its flags in variables, which mem2reg2 promotes"},
	{"deadlanes", "dropbarriers", "deadlanes reports barriers that not all work-items reach, also barriers that order nothing"},
	{"groups", "dropbarriers", "dropbarriers examines the code between barriers, and groups adds barriers and uses of memory"},
	{"atomics", "dropbarriers", "dropbarriers examines the code between barriers, and atomics adds uses of memory"},
	{"zerolocal", "dropbarriers", "dropbarriers examines the code between barriers, and zerolocal adds barriers and stores"},
	{"dce2", "zerolocal", "zerolocal finds that all work-items make a store, dead ones too, once branches on constant flags are gone"},
	{"groups", "relax", "relax examines the code between barriers, and groups adds barriers"},
	{"atomics", "relax", "the loops into which atomics expands operations read the memory that they add to"},
	{"zerolocal", "relax", "relax examines the code between barriers, and zerolocal adds barriers and stores"},
	{"groups", "lighten", "lighten examines the code between barriers, and groups adds barriers"},
	{"atomics", "lighten", "lighten asks whether loaded values decide branches, and atomics adds loops that end depending on loads"},
	{"zerolocal", "lighten", "lighten examines the code between barriers, and zerolocal adds barriers"},
	{"dce2", "lighten", "a branch on a loaded value, or a value kept in a variable, prevents lighten from changing a barrier"},
	{"dce2", "askunroll", "askunroll counts instructions, and dce2 removes some"},
	{"askunroll", "structurize", "structurize turns the conditions of rounds into breaks and flags"},
	{"lighten", "partial", "partial adds a path to the kernel's end"},
	{"deadlanes", "partial", "partial's branch depends on the work-item, so all barriers after it would look divergent"},

	// The pass structurize gives loops and branches the structure that SPIR-V requires.
	{"narrow", "constdiv", "constdiv expands the 64-bit divisions that narrow could not do in 32 bits"},
	{"shortdiv", "constdiv", "constdiv expands the 64-bit divisions that shortdiv could not do in 32 bits"},
	{"constdiv", "simplify2", "simplify2 folds the shifts and masks of constdiv's multiplications"},
	{"mem2reg2", "simplify2", "simplify2 folds the flags that mem2reg2 found to be constant"},
	{"simplify2", "dce2", "simplify2 leaves values that nothing uses"},
	{"groups", "structurize", "groups adds loops"},
	{"atomics", "structurize", "atomics adds loops"},
	{"zerolocal", "structurize", "zerolocal adds loops"},
	{"partial", "structurize", "partial adds a branch"},
	{"simplify2", "structurize", "a branch that simplify2 folds needs no structure, and after structurize simplify leaves branches alone"},
	{"structurize", "simplify3", "structurize adds flags, many of which are constant"},
	{"simplify3", "dce3", "simplify3 leaves values that nothing uses"},
	{"structurize", "loopvalues", "loopvalues routes breaks through loop headers, which structurize declares"},

	// The passes after the last simplification write code in the form that drivers and SPIR-V need,
	// so this code must not be folded.
	{"dce3", "access", "a load that dce3 removes does not count as a read of its slice"},
	{"simplify3", "loopvalues", "simplify would fold the phis that loopvalues adds for drivers"},
	{"simplify3", "quirks", "simplify would undo the roundabout code that quirks writes"},
	{"loopvalues", "quirks", "quirks hides all phis of bools where work-items meet, also the flags by which loopvalues leaves a loop"},
	{"structurize", "exactdiv", "exactdiv adds branches that already have their structure; before structurize each division would only cut a block"},
	{"loopvalues", "exactdiv", "exactdiv does not split the headers and continue blocks of loops, and loopvalues makes some blocks into these"},
	{"quirks", "exactdiv", "quirks would hide the integers of exactdiv's corrections, which need no hiding"},
	{"exactdiv", "longdiv", "longdiv divides float32s whose rounding does not matter, which exactdiv must not correct"},
	{"exactdiv", "unsigned", "unsigned rewrites conversions to float32, also those that exactdiv adds"},
	{"longdiv", "unsigned", "unsigned rewrites conversions to float32, also those that longdiv adds"},
	{"quirks", "outlive", "quirks replaces the header phis that outlive routes values through"},
	{"exactdiv", "outlive", "outlive recomputes only short expressions after a loop, and exactdiv makes a division a long one"},
	{"longdiv", "outlive", "outlive recomputes only short expressions after a loop, and longdiv makes a division a long one"},
	{"unsigned", "outlive", "outlive recomputes expressions after a loop in their final form"},
	{"access", "expand", "expand loads the arguments of a spilled launch, and access does not find slices through these loads"},
	{"outlive", "expand", "outlive recomputes arguments after a loop, which is free only while they are not loads"},
	{"structurize", "expand", "the helper that expand adds for faults has its structure already"},
}

// listInOrder panics if the list of passes violates a constraint. Run calls listInOrder for the
// first module. A check in init would link all passes into programs that compile no kernels,
// because the list refers to all passes.
func listInOrder() {
	listed.Do(func() {
		if err := checkOrder(allPasses, passOrder); err != nil {
			panic("BUG: the list of passes: " + err.Error())
		}
	})
}

var listed sync.Once

// checkOrder returns an error for each constraint that the list violates. checkOrder also returns
// an error for each pass that a constraint names but the list does not contain. Another error
// reports each name that appears twice in the list.
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
