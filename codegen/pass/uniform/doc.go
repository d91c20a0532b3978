// Package uniform finds which values are the same for all work-items of a work-group, and which
// blocks all of them reach together.
//
//	work-items   0 1 2 3
//	             │ │ │ │    n := len(s)        uniform value
//	             │ │ │ │    if n > 9 {         uniform branch
//	             │ │ │ │        Barrier()      legal: all are here
//	             │ │ │ │    }
//	             │ │ │ │    if id == 2 {       divergent branch
//	             │ │ ↯ │        return         2 leaves the group and becomes a dead lane
//	             │ │ ┆ │    }
//	             │ │ ┆ │    Barrier()          legal: all remaining work-items are here
//
// Of analyses a function, and its result, Info, answers questions. A barrier in a block that is not
// uniform is an error of the kernel; Check returns the diagnostics. Loops are the hardest part:
// after every work-item has left, dead lanes must not stay in a loop for ever. So ends.go looks for
// an exit that dead lanes are known to take. loops.go decides which loops must ask in each round
// whether a live lane remains.
//
// Package pass has a picture of the rooms and of their imports. This room may import rewrite and
// facts. Package lanes transforms code according to this analysis. Packages checks, loops and
// simplify ask which branches must not move.
package uniform
