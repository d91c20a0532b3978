// Package testflag defines types of command-line flags for tests. Invalid values of flags are
// errors, so that tests never do less than requested.
package testflag

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// List defines a flag that is a list of names, separated by commas.
func List(name string, value, allowed []string, usage string) *[]string {
	l := &list{value, allowed}
	flag.Var(l, name, usage+": a comma-separated `list` of "+strings.Join(allowed, ", "))
	return &l.value
}

type list struct{ value, allowed []string }

func (l *list) String() string { return strings.Join(l.value, ",") }

func (l *list) Set(s string) error {
	names := strings.Split(s, ",")
	for _, name := range names {
		if !slices.Contains(l.allowed, name) {
			return fmt.Errorf("there is no %q, only %s", name, strings.Join(l.allowed, ", "))
		}
	}
	l.value = names
	return nil
}

// Int defines a flag that is a number from least to most.
func Int[T int | uint64](name string, value, least, most T, usage string) *T {
	what := fmt.Sprintf("a number from %d to %d", least, most)
	if most == math.MaxInt {
		what = fmt.Sprintf("a number from %d on", least)
	}
	return number(name, value, what, usage, func(n T) bool { return n >= least && n <= most })
}

// Multiple defines a flag that is a positive multiple of a number.
func Multiple(name string, value, of int, usage string) *int {
	return number(name, value, fmt.Sprintf("a positive multiple of %d", of), usage, func(n int) bool { return n > 0 && n%of == 0 })
}

// PowerOfTwo defines a flag that is a power of two of at least `least`.
func PowerOfTwo(name string, value, least int, usage string) *int {
	return number(name, value, fmt.Sprintf("a power of two from %d on", least), usage, func(n int) bool { return n >= least && n&(n-1) == 0 })
}

// Folder defines a flag that is the path of a folder for output, or "".
func Folder(name, usage string) *string {
	f := new(folder)
	flag.Var(f, name, usage+": a `folder` that is there")
	return (*string)(f)
}

type folder string

func (f *folder) String() string { return string(*f) }

func (f *folder) Set(s string) error {
	if info, err := os.Stat(s); err != nil {
		return err
	} else if !info.IsDir() {
		return errors.New("it is no folder")
	}
	*f = folder(s)
	return nil
}

func number[T int | uint64](name string, value T, what, usage string, valid func(n T) bool) *T {
	n := &integer[T]{value, what, valid}
	flag.Var(n, name, usage+": "+what)
	return &n.value
}

type integer[T int | uint64] struct {
	value T
	what  string
	valid func(n T) bool
}

func (n *integer[T]) String() string { return strconv.FormatUint(uint64(n.value), 10) }

func (n *integer[T]) Set(s string) error {
	v, err := strconv.ParseUint(s, 0, 63)
	if err != nil || uint64(T(v)) != v || !n.valid(T(v)) {
		return fmt.Errorf("it is %s", n.what)
	}
	n.value = T(v)
	return nil
}
