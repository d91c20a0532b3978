package half

// In kernels, the functions below compute package dsl's reductions and scans over numbers of
// package half. kgen compiles them instead of package dsl's code, because devices have no group
// operations for these numbers. The order of operations is documented in package dsl.
//
// Numbers are passed as their bits. The group has n work-items, and the caller is work-item number
// id. The group uses the elements base to base+n-1 of work-group memory. Work-items that have
// returned do not call the functions. Among the work-items that have not returned, the caller has
// index rank. The argument `size` is at least n, and is equal in all groups of a work-group.

// The bit `here` marks the numbers of work-items that have not returned.
const here = 1 << 16

// share() stores the numbers of a group, and 0 for work-items that have returned.
func share(x, base, id, n, rank, live uint32, meet func()) {
	for i := rank; i < n; i += live {
		put(base+i, 0, 0)
	}
	meet()
	put(base+id, 0, x|here)
	meet()
}

// reduced() combines the group's numbers.
func reduced(x, base, id, n, size, rank, live uint32, meet func(), op func(x, y uint32) uint32) uint32 {
	share(x, base, id, n, rank, live, meet)
	for d := uint32(1); d < size; d *= 2 {
		for i := rank * 2 * d; i+d < n; i += live * 2 * d {
			put(base+i, 0, joined(get(base+i, 0), get(base+i+d, 0), op))
		}
		meet()
	}
	x = get(base, 0)
	meet()
	return x &^ here
}

// scanned() combines the numbers of the work-items 0 to id. If the argument `before` is set,
// scanned() instead combines e and the numbers of the work-items before id.
func scanned(x, base, id, n, size, rank, live, e uint32, before bool, meet func(), op func(x, y uint32) uint32) uint32 {
	share(x, base, id, n, rank, live, meet)
	from := uint32(0)
	for d := uint32(1); d < size; d *= 2 {
		for i := rank; i < n; i += live {
			x := get(base+i, from)
			if i >= d {
				x = joined(get(base+i-d, from), x, op)
			}
			put(base+i, 1-from, x)
		}
		from = 1 - from
		meet()
	}
	if !before {
		x = get(base+id, from)
	} else if id == 0 {
		x = e
	} else {
		x = joined(e|here, get(base+id-1, from), op)
	}
	meet()
	return x &^ here
}

// joined() combines two numbers. If one number does not exist, joined() returns the other number.
func joined(x, y uint32, op func(x, y uint32) uint32) uint32 {
	if x&here == 0 {
		return y
	}
	if y&here == 0 {
		return x
	}
	return op(x&^here, y&^here) | here
}

// get() and put() access the work-group's memory, which has two words for each work-item. The
// argument `meet` is a function in which the work-items of a group or sub-group wait for one
// another. In kernels, kgen replaces all functions below.

func get(i, which uint32) uint32 { panic(onDevice) }
func put(i, which, x uint32)     { panic(onDevice) }
func meetInGroup()               { panic(onDevice) }
func meetInSubGroup()            { panic(onDevice) }

const onDevice = "BUG: half: called on the host"
