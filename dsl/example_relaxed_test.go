package dsl_test

import (
	"fmt"

	"github.com/kgen-go/kgen/dsl"
)

// post writes a value, and then says that it is there.
func post(value *float32, there *uint32, v float32) {
	*value = v
	dsl.AtomicFence(dsl.MemoryScopeDevice)
	dsl.AtomicStoreRelaxed(there, 1)
}

// look returns a value that another work-item may have posted.
func look(value *float32, there *uint32) (v float32, ok bool) {
	if dsl.AtomicLoadRelaxed(there) == 0 {
		return 0, false
	}
	dsl.AtomicFence(dsl.MemoryScopeDevice)
	return *value, true
}

// Work-items pass a value on. Whoever finds none must not wait for ever: work-items that have begun may
// keep others from beginning.
func ExampleAtomicLoadRelaxed() {
	var value float32
	var there uint32
	fmt.Println(look(&value, &there))
	post(&value, &there, 2.5)
	fmt.Println(look(&value, &there))
	// Output:
	// 0 false
	// 2.5 true
}

func ExampleAtomicStoreRelaxed() {
	var flag uint32
	dsl.AtomicStoreRelaxed(&flag, 1)
	fmt.Println(dsl.AtomicLoadRelaxed(&flag))
	// Output: 1
}

// Work-groups take tickets in the order in which they begin.
func ExampleAtomicAddRelaxed() {
	var next uint32
	first := dsl.AtomicAddRelaxed(&next, 1) - 1
	second := dsl.AtomicAddRelaxed(&next, 1) - 1
	fmt.Println(first, second)
	// Output: 0 1
}

// ExampleAtomicInteger takes tickets of any type.
func ExampleAtomicInteger() {
	var next int64
	fmt.Println(ticket(&next), ticket(&next))
	// Output: 0 1
}

func ticket[T dsl.AtomicInteger](next *T) T { return dsl.AtomicAddRelaxed(next, 1) - 1 }
