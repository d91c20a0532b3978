// Package quirks rewrites code that drivers miscompile. A table lists the bugs of drivers. Each
// bug, called a quirk, has one row, with the driver, its version, and a kernel that fails without
// the workaround.
//
//	a row      match     a value, or its use, that the driver compiles wrongly
//	           mend      its replacement, mostly the value combined with a word of the
//	                     launch block that is zero, which no driver can know
//	           where     otherwise, the function elsewhere that avoids the bug as part of its work
//
//	x == 0     Apply ──▶  x | (zero & bits) == 0
//
// LoopValues and Outlive rewrite live-out values of loops. LoopValues, Apply and Outlive run after
// structurize and after the last simplification, which would fold the code that they write. Apply
// runs before exactdiv and longdiv, which expand divisions of float32s and of 64-bit integers,
// because the expanded code needs no hiding. Divisions by constants (constdiv) are expanded much
// earlier.
//
// All devices execute the workarounds, not only those with the driver that has the bug. The chapter
// "What hiding costs" of docs/performance.md describes the cost. It also explains why no
// specialization constant or separate module avoids the cost for other drivers.
//
// The doc of package pass shows the order in which the packages below codegen/pass may import each
// other. Package quirks imports rewrite and facts.
package quirks
