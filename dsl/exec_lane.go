//go:build !race

package dsl

import "iter"

const raceEnabled = false

func newLane(g *group) *lane {
	ln := &lane{}
	ln.resume, ln.stop = iter.Pull(func(yield func(bool) bool) {
		ln.yield = yield
		g.runLane(ln)
	})
	return ln
}

// The type `clocks` tells the race detector the order of accesses. Without the race detector, the methods of
// clocks do nothing.
type clocks struct{}

func (*clocks) reset(int)                       {}
func (*clocks) start()                          {}
func (*clocks) begin()                          {}
func (*clocks) end()                            {}
func (*clocks) join()                           {}
func (*clocks) open(bool, int)                  {}
func (*clocks) arrive(*workItem, itemState) int { return 0 }
func (*clocks) fault(tell func())               { tell() }
func (*clocks) leave(int)                       {}
