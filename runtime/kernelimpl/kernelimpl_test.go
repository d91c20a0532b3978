package kernelimpl_test

import (
	"context"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
)

// every has a value of each scalar type, at gc's offsets.
type every struct {
	B    bool
	I8   int8
	U16  uint16
	F32  float32
	I    int
	C    complex64
	A    [3]int16
	Last uint8
}

func TestArguments(t *testing.T) {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	want := every{true, -128, 65535, 1.5, -1 << 62, 2i, [3]int16{-1, 0, 1}, 255}
	var got every
	var dead int32 = -1
	var slice []int64
	var lens [2]int
	k := kernelimpl.Register(&abi.Kernel{
		Name: "K", Package: "example.com/k", Form: abi.Task, ArgSize: 56, Items: 1,
		Params: []abi.Param{
			{Name: "E", Kind: abi.Value, Offset: 0, Size: 40},
			{Name: "Dead", Kind: abi.Value, Offset: -1},
			{Name: "L0", Kind: abi.LocalAccessor},
			{Name: "S", Kind: abi.Slice, Offset: 40, Size: 16, ElemSize: 8, ElemAlign: 8, Access: abi.Read},
			{Name: "L1", Kind: abi.LocalAccessor},
		},
	}, func(a *kernelimpl.HostArgs) any {
		got, dead = kernelimpl.HostValue[every](a, 0), kernelimpl.HostValue[int32](a, 1)
		slice = kernelimpl.HostSlice[int64](a, 3)
		lens = [2]int{kernelimpl.HostLen(a, 2), kernelimpl.HostLen(a, 4)}
		return func(dsl.Task) {}
	})
	backing := []int64{1, 2, 3, 4}
	for range 2 { // the second uses the first one's storage
		l := kernelimpl.NewLaunch(k)
		kernelimpl.Value(l, 0, want)
		kernelimpl.Value(l, 1, int32(7))
		kernelimpl.Accessor(l, 5)
		kernelimpl.Slice(l, 3, backing[1:3])
		kernelimpl.Accessor(l, 6)
		if err := l.RunTask(context.Background(), dev, nil); err != nil {
			t.Fatal(err)
		}
		if got != want || dead != 0 || len(slice) != 2 || cap(slice) != 2 || slice[0] != 2 || lens != [2]int{5, 6} {
			t.Errorf("%+v, %d, %v, %v", got, dead, slice, lens)
		}
	}
	if err := kernelimpl.NewLaunch(withoutAccessor(k)).RunTask(context.Background(), dev, nil); err != nil {
		t.Error(err)
	}
}

// withoutAccessor has the same arguments, and nobody gives them.
func withoutAccessor(k *runtime.Kernel) *runtime.Kernel {
	d := *k.ABI()
	d.Params = d.Params[:2]
	return kernelimpl.Register(&d, func(*kernelimpl.HostArgs) any { return func(dsl.Task) {} })
}

func TestMismatch(t *testing.T) {
	defer func() {
		if s, _ := recover().(string); !strings.HasPrefix(s, "BUG: k.K: parameter 0") {
			t.Error(s)
		}
	}()
	k := kernelimpl.Register(&abi.Kernel{Name: "K", Package: "example.com/k", ArgSize: 4, Params: []abi.Param{{Offset: 0, Size: 4}}}, nil)
	kernelimpl.Value(kernelimpl.NewLaunch(k), 0, int64(1))
}
