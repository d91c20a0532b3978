package dsl

import (
	"fmt"

	"github.com/kgen-go/kgen/internal/dslhook"
)

func init() {
	dslhook.RunItems = runItems
	dslhook.RunGroup = runGroup
}

// runItems implements dslhook.RunItems. A span is a loop that runs work-items until one panics. After a
// panic, the next span starts at the following work-item. Because of spans, a work-item costs only one call.
func runItems(kernel any, l *dslhook.Launch, lo, hi int) {
	switch k := kernel.(type) {
	case func(Task):
		if lo < hi {
			spanTask(k, l)
		}
	case func(Item1):
		for lo < hi {
			lo = span1(k, l, lo, hi)
		}
	case func(Item2):
		for lo < hi {
			lo = span2(k, l, lo, hi)
		}
	case func(Item3):
		for lo < hi {
			lo = span3(k, l, lo, hi)
		}
	default:
		panic(fmt.Sprintf("BUG: dsl: %T is no range kernel", kernel))
	}
}

func spanTask(k func(Task), l *dslhook.Launch) {
	defer func() {
		if v := recover(); v != nil {
			l.Panicked([3]int{}, v)
		}
	}()
	k(Task{l})
}

func span1(k func(Item1), l *dslhook.Launch, lo, hi int) (next int) {
	it := Item1{l: l}
	defer func() {
		if v := recover(); v != nil {
			next = it.x + 1
			l.Panicked([3]int{it.x}, v)
		}
	}()
	for i := lo; i < hi && !l.Stopping(); i++ {
		it.x = i
		k(it)
	}
	return hi
}

func span2(k func(Item2), l *dslhook.Launch, lo, hi int) (next int) {
	nx := l.Global[1]
	it := Item2{l: l, y: lo / nx, x: lo % nx}
	i := lo
	defer func() {
		if v := recover(); v != nil {
			next = i + 1
			l.Panicked([3]int{it.y, it.x}, v)
		}
	}()
	for ; i < hi && !l.Stopping(); i++ {
		k(it)
		if it.x++; it.x == nx {
			it.x = 0
			it.y++
		}
	}
	return hi
}

func span3(k func(Item3), l *dslhook.Launch, lo, hi int) (next int) {
	ny, nx := l.Global[1], l.Global[2]
	it := Item3{l: l, z: lo / nx / ny, y: lo / nx % ny, x: lo % nx}
	i := lo
	defer func() {
		if v := recover(); v != nil {
			next = i + 1
			l.Panicked([3]int{it.z, it.y, it.x}, v)
		}
	}()
	for ; i < hi && !l.Stopping(); i++ {
		k(it)
		if it.x++; it.x == nx {
			it.x = 0
			if it.y++; it.y == ny {
				it.y = 0
				it.z++
			}
		}
	}
	return hi
}
