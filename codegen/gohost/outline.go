package gohost

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// This file makes functions of inner loops: gc keeps few of the many variables of a method in
// registers, and those of a small function all, counters of loops among them.

var (
	identifier = regexp.MustCompile(`\b[a-z]+[0-9]*(r[0-9]+)?\b`)
	ofForm     = regexp.MustCompile(`\bg\.`) // what belongs to the form
	definition = regexp.MustCompile(`\b[a-z]+[0-9]*(r[0-9]+)? :=|\bvar [a-z0-9, ]+ `)
)

// outline makes a function of statements, and returns a call of it. They change no variables
// from outside, and do nothing with the form.
func (w *writer) outline(text string) string {
	var own []string
	for _, d := range definition.FindAllString(text, -1) {
		own = append(own, identifier.FindAllString(strings.TrimPrefix(d, "var "), -1)...)
	}
	var names, params []string
	for _, name := range identifier.FindAllString(text, -1) {
		// x is the block's first work-item's ahead of the loop.
		if t := w.variableType(name); t != "" && (name == "x" || !slices.Contains(own, name)) && !slices.Contains(names, name) {
			names, params = append(names, name), append(params, name+" "+t)
		}
	}
	f := fmt.Sprintf("%sLoop%d", w.name, w.outlines)
	w.outlines++
	fmt.Fprintf(&w.outlined, "//go:noinline\nfunc %s(%s) {\n%s}\n\n", f, strings.Join(params, ", "), text)
	return fmt.Sprintf("%s(%s)\n", f, strings.Join(names, ", "))
}

// variableType returns the type of a form's variable, "" of other names.
func (w *writer) variableType(name string) string {
	switch name {
	case "x", "y", "z", "basex", "basey", "basez", "n", "count", "active", "end":
		return "int"
	case dataRoot:
		return "unsafe.Pointer"
	}
	if i := strings.LastIndexByte(name, 'r'); i > 0 {
		name = name[:i] // of one of several rounds
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
