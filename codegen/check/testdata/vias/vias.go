// Package vias has calls that lead to one place in several ways.
package vias

import "github.com/kgen-go/kgen/dsl"

type K struct{ X []int }

func bad(n int) int { return len(make(map[int]int, n)) }

func one(n int) int { return bad(n) + two(n-1) }

func two(n int) int { return bad(n) }

func (k K) Kernel(it dsl.Item1) {
	k.X[0] = one(1) // wrong
	k.X[1] = two(2) // wrong
	k.X[2] = bad(3) // wrong
	k.help()
}

func (k K) help() { k.X[3] = one(4) } // wrong
