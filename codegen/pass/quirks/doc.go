// Package quirks rewrites code that drivers miscompile. A table lists the bugs of drivers. Each
// bug, called a quirk, has one row, with the driver, its version, and a kernel that fails without
// the workaround.
//
// Most rows have a function that recognizes the values, or their uses, that the driver compiles
// wrongly. The function Apply replaces such a value, mostly by its combination with a 32-bit word
// of the launch block. This word is zero, but no driver can know that. For example, x == 0 becomes
// x | (zero & bits) == 0. Other rows have the name of a function elsewhere that avoids the bug as
// part of its work.
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
