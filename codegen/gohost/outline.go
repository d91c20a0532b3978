package gohost

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// This file moves the inner loops of lockstep loops into separate Go functions. In a long method,
// gc keeps only few variables in registers. In a small function, gc keeps all variables in
// registers, including loop counters.

var (
	identifier = regexp.MustCompile(`\b[a-z]+[0-9]*(r[0-9]+)?\b`)
	ofForm     = regexp.MustCompile(`\bg\.`) // matches a use of a field or method of the host form
	definition = regexp.MustCompile(`\b[a-z]+[0-9]*(r[0-9]+)? :=|\bvar [a-z0-9, ]+ `)
)

// outlineLoop moves Go statements into a new function, and returns a call of that function. The moved statements must
// not assign outer variables, and must not use fields or methods of the host form.
func (w *formWriter) outlineLoop(text string) string {
	var own []string
	for _, d := range definition.FindAllString(text, -1) {
		own = append(own, identifier.FindAllString(strings.TrimPrefix(d, "var "), -1)...)
	}
	var names, params []string
	for _, name := range identifier.FindAllString(text, -1) {
		// The variable `x` is always an argument. Before the loop, `x` is the id of the block's
		// first work-item.
		if t := w.variableType(name); t != "" && (name == "x" || !slices.Contains(own, name)) && !slices.Contains(names, name) {
			names, params = append(names, name), append(params, name+" "+t)
		}
	}
	f := fmt.Sprintf("%sLoop%d", w.name, w.outlines)
	w.outlines++
	fmt.Fprintf(&w.outlined, "//go:noinline\nfunc %s(%s) {\n%s}\n\n", f, strings.Join(params, ", "), text)
	return fmt.Sprintf("%s(%s)\n", f, strings.Join(names, ", "))
}

// variableType returns the Go type of the variable with the given name in the host form, or "" if
// the host form has no variable with this name.
func (w *formWriter) variableType(name string) string {
	switch name {
	case "x", "y", "z", "basex", "basey", "basez", "n", "count", "active", "end":
		return "int"
	case dataRoot:
		return "unsafe.Pointer"
	}
	if i := strings.LastIndexByte(name, 'r'); i > 0 {
		name = name[:i] // variables in copies of an iteration have a suffix, which consists of r and a number
	}
	prefix := strings.TrimRight(name, "0123456789")
	i, err := strconv.Atoi(name[len(prefix):])
	if err != nil {
		return ""
	}
	switch prefix {
	case "v", "e", "u":
		return w.typeOf(w.all[i])
	case "h":
		return "[]" + w.typeOf(w.all[i])
	case "b":
		return "int64"
	case "c":
		return goType(w.exprs[i].Type)
	case "p", "m":
		return "unsafe.Pointer"
	}
	return ""
}
