// Package uniform tells what the work-items of a work-group have in common: which values are
// the same for all of them, and which blocks all of them reach together.
//
//	work-items   0 1 2 3
//	             │ │ │ │    n := len(s)        uniform value
//	             │ │ │ │    if n > 9 {         uniform branch
//	             │ │ │ │        Barrier()      legal: all are here
//	             │ │ │ │    }
//	             │ │ │ │    if id == 2 {       varying branch
//	             │ │ ↯ │        return         2 leaves the group: from here on a dead lane
//	             │ │ ┆ │    }
//	             │ │ ┆ │    Barrier()          legal: those that are left are here
//
// Of analyses a function; Info answers. A barrier in a block that is not uniform is an error
// of the kernel, which Check words. Loops need the most thought: when every work-item has
// left, no dead lane may go round for ever, so ends.go looks for a way out that is sure to be
// taken, and loops.go decides which loops must ask whether anybody is left.
//
// Package pass has a picture of the rooms and of their imports. This room may import rewrite and
// facts. Package lanes acts on what is found here; checks, loops and simplify ask it which
// branches must stay where they are.
package uniform
