package host

import (
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

func TestSite(t *testing.T) {
	k := &abi.Kernel{Sites: []abi.Site{
		{Kind: abi.FaultIndex, Pos: "a/kernel.go:7:2"},
		{Kind: abi.FaultDivide, Pos: "a/kernel.go:7:9"},
		{Kind: abi.FaultIndex, Pos: "b/kernel.go:7:5"},
		{Kind: abi.FaultIndex, Pos: "example.com/dep/x.go:3:1"},
	}}
	for _, c := range []struct {
		kind abi.FaultKind
		file string
		line int
		want string
	}{
		{abi.FaultIndex, "/src/m/a/kernel.go", 7, "a/kernel.go:7:2"},
		{abi.FaultDivide, "/src/m/a/kernel.go", 7, "a/kernel.go:7:9"},
		{abi.FaultIndex, "example.com/m/b/kernel.go", 7, "b/kernel.go:7:5"},
		{abi.FaultShift, "/src/m/b/kernel.go", 7, "b/kernel.go:7:5"},
		{abi.FaultIndex, "/pkg/mod/example.com/dep@v1.2.3/x.go", 3, "example.com/dep/x.go:3:1"},
		{abi.FaultIndex, "/src/m/a/kernel.go", 8, "kernel.go:8"},
	} {
		if got := site(k, nil, &hal.Fault{Kind: c.kind}, c.file, c.line); got != c.want {
			t.Errorf("%v at %s:%d: got %s, want %s", c.kind, c.file, c.line, got, c.want)
		}
	}
}

// TestSiteLimit tells sites of one line apart by their limits.
func TestSiteLimit(t *testing.T) {
	k := &abi.Kernel{Sites: []abi.Site{
		{Kind: abi.FaultIndex, Pos: "a/kernel.go:7:2"},
		{Kind: abi.FaultIndex, Pos: "a/kernel.go:7:9", Limit: -1},
		{Kind: abi.FaultIndex, Pos: "a/kernel.go:7:15", Limit: -3},
		{Kind: abi.FaultIndex, Pos: "a/kernel.go:7:20", Limit: 16},
		{Kind: abi.FaultIndex, Pos: "a/kernel.go:7:25", Limit: -2},
		{Kind: abi.FaultSliceLen, Pos: "a/kernel.go:7:30", Limit: -1},
	}}
	args := []hal.SliceArg{{Param: 0, Len: 5}, {Param: 2, Len: 8}} // 1 is a zero slice
	for _, c := range []struct {
		a, b int64
		want string
	}{
		{9, 5, "9"}, {9, 8, "15"}, {16, 16, "20"}, {0, 0, "25"}, {7, 7, "2"}, {-1, 0, "2"},
	} {
		f := &hal.Fault{Kind: abi.FaultIndex, A: c.a, B: c.b}
		if got := site(k, args, f, "/src/a/kernel.go", 7); got != "a/kernel.go:7:"+c.want {
			t.Errorf("%d of %d: got %s, want column %s", c.a, c.b, got, c.want)
		}
	}
}

// TestClassify has what cannot be provoked in a kernel; the rest is
// tested with kernels.
func TestClassify(t *testing.T) {
	var m map[string]int
	panics := func(f func()) (v any) {
		defer func() { v = recover() }()
		f()
		return nil
	}
	f := classify(panics(func() { m["x"] = 1 }))
	if f.Kind != abi.FaultPanic || f.Message == "" {
		t.Errorf("%+v", f)
	}
	i := uint64(1) << 63
	f = classify(panics(func() { _ = []int{1}[i] }))
	if f.Kind != abi.FaultIndex || uint64(f.A) != i || f.B != 1 || !f.Unsigned {
		t.Errorf("%+v", f)
	}
	if f = classify(42); f.Kind != abi.FaultPanic || f.Message != "42" {
		t.Errorf("%+v", f)
	}
}
