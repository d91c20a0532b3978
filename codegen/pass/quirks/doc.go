// Package quirks rewrites code that drivers miscompile. A table lists the bugs of drivers. Each
// bug, called a quirk, has one row with the driver, its version, and a kernel that fails without
// the workaround.
//
// Most rows have a function that recognizes values, or uses of values, that the driver compiles
// wrongly. Apply replaces the values that the functions of the rows recognize. In most cases, Apply
// combines a value with a 32-bit word that is always zero. This word is in the launch block (the
// kernel's push constants), so no driver can know that the word is zero. For example, the
// comparison x == 0 becomes (x | zero) == 0, where zero consists of bits of the launch block that
// are always zero. Some rows instead name a function in another package that avoids the bug.
//
// LoopValues and Outlive rewrite live-out values of loops. LoopValues, Apply and Outlive run after
// structurize and after the last simplification, because simplification would undo the workarounds.
// Apply runs before exactdiv and longdiv, which expand divisions of float32s and of 64-bit
// integers, because the expanded code needs no hiding. The pass constdiv expands divisions by
// constants long before Apply runs.
//
// All devices execute the workarounds, including devices whose drivers do not have the bug. The
// chapter "What hiding costs" of docs/performance.md describes the cost of the workarounds. The
// chapter also explains why neither specialization constants nor separate modules avoid the cost
// for other drivers.
//
// The doc of package pass shows the order in which the packages below codegen/pass may import each
// other. Package quirks imports rewrite and facts.
package quirks
