// Package quirks rewrites code that drivers miscompile. Each bug is a row of one table, with the
// driver, its version, and a kernel that fails without the workaround.
//
//	a row      match     a value, or its use, that the driver compiles wrongly
//	           mend      its replacement: mostly the value combined with a word of the
//	                     launch block that is zero, which no driver can know
//	           where     or: the function elsewhere that avoids the bug as part of its work
//
//	x == 0     Apply ──▶  x | (zero & bits) == 0
//
// LoopValues and Outlive rewrite values that are live out of loops. All three passes run after
// structurize and the last simplification, which would fold the code that they write. Apply runs
// before the passes that expand divisions of float32s and of 64-bit integers (exactdiv and
// longdiv), whose code needs no hiding. Divisions by constants (constdiv) are expanded much
// earlier.
//
// All devices run the code that the rows write, not only those with the row's driver.
// docs/performance.md describes the cost in the chapter "What hiding costs". It also says why no
// specialization constant or separate module avoids the cost for other drivers.
//
// Package pass has a picture of the rooms and of their imports. This room may import rewrite and facts.
package quirks
