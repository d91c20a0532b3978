package watch

import (
	"testing"

	"github.com/kgen-go/kgen/abi"
)

var (
	small    = 5
	rowTable [1024]float32
	large    [1 << 20]float32
)

// row has a variable whose checksum is that of a value.
func row(at any, value string) abi.Variable {
	return abi.Variable{Name: "watch.v", Var: at, Sum: abi.Sum(value)}
}

func BenchmarkChanged(b *testing.B) {
	for _, c := range []struct {
		name string
		row  abi.Variable
	}{
		{"small", row(&small, "\x05\x00\x00\x00\x00\x00\x00\x00")},
		{"table", row(&rowTable, string(make([]byte, 4<<10)))},
		{"large", row(&large, string(make([]byte, 4<<20)))},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := New([]abi.Variable{c.row})
			for b.Loop() {
				if s.Changed() != nil {
					b.Fatal("changed")
				}
			}
		})
	}
}

// TestNothing has no variables that could change.
func TestNothing(t *testing.T) {
	if s := New([]abi.Variable{{Name: "watch.v", Sum: 1}}); s != nil || s.Changed() != nil {
		t.Error("a variable that is not there has changed")
	}
}
