package runtime_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
)

// Types of kernels whose Properties methods return lists of each kind.
type (
	noMethod     struct{}
	exactMode    struct{}
	sizeAndMode  struct{}
	aspectList   struct{}
	twice        struct{}
	panicking    struct{}
	byPointer    struct{ _ int32 }
	fromEmbedded struct{ *exactMode } // which is nil
)

var statedMode = properties.FloatExact

func (exactMode) Properties() properties.List {
	return properties.List{properties.Float(statedMode)}
}
func (sizeAndMode) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(8), properties.Float(properties.FloatExact)}
}
func (aspectList) Properties() properties.List {
	return properties.List{properties.DeviceHas(properties.Int8, properties.FP64)}
}
func (twice) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(8), properties.WorkGroupSize(8)}
}
func (panicking) Properties() properties.List  { panic("no list today") }
func (*byPointer) Properties() properties.List { return properties.List{properties.WorkGroupSize(8)} }

// registered registers a kernel of type K that kgen has compiled with a list.
func registered[K any](directed bool, compiled ...properties.Property) *runtime.Kernel {
	k := kernel(abi.Range, 1, func(k *abi.Kernel) { k.Properties, k.Directed = compiled, directed })
	kernelimpl.Properties[K](k)
	return k
}

// TestStated: a kernel whose Properties method returns another list than kgen has compiled is
// ErrBuild, wherever it is used first, and one that returns the same set is not.
func TestStated(t *testing.T) {
	size, mode := properties.WorkGroupSize(8), properties.Float(properties.FloatExact)
	both := properties.DeviceHas(properties.FP64, properties.Int8)
	for _, c := range []struct {
		name   string
		kernel func() *runtime.Kernel
		want   []string // texts of the error; none where there is no error
	}{
		{"no method, no list", func() *runtime.Kernel { return registered[noMethod](false) }, nil},
		{"the list", func() *runtime.Kernel { return registered[exactMode](false, mode) }, nil},
		{"another order", func() *runtime.Kernel { return registered[sizeAndMode](false, mode, size) }, nil},
		{"another order of aspects", func() *runtime.Kernel { return registered[aspectList](false, both) }, nil},
		{"a pointer receiver", func() *runtime.Kernel { return registered[byPointer](false, size) }, nil},
		{"aspects of a directive", func() *runtime.Kernel { return registered[exactMode](true, mode, both) }, nil},
		{"aspects that a directive does not state", func() *runtime.Kernel { return registered[exactMode](false, mode, both) },
			[]string{"returns [Float(FloatExact)]", "compiled it with [Float(FloatExact) DeviceHas(fp64, int8)]"}},
		{"a dropped list", func() *runtime.Kernel { return registered[exactMode](false) }, []string{"returns [Float(FloatExact)]", "compiled it with []"}},
		{"a lost method", func() *runtime.Kernel { return registered[noMethod](false, mode) }, []string{"returns []", "compiled it with [Float(FloatExact)]"}},
		{"another value", func() *runtime.Kernel { return registered[byPointer](false, properties.WorkGroupSize(16)) }, []string{"WorkGroupSize(8)", "WorkGroupSize(16)"}},
		{"a part", func() *runtime.Kernel { return registered[sizeAndMode](false, size) }, []string{"Float(FloatExact)", "with [WorkGroupSize(8)]"}},
		{"twice", func() *runtime.Kernel { return registered[twice](false, size, mode) }, []string{"returns [WorkGroupSize(8) WorkGroupSize(8)]"}},
		{"a panic", func() *runtime.Kernel { return registered[panicking](false, size) }, []string{"panics in this program: no list today", "with [WorkGroupSize(8)]"}},
		{"a panic, and no list", func() *runtime.Kernel { return registered[panicking](false) }, []string{"no list today"}},
		{"a nil pointer", func() *runtime.Kernel { return registered[fromEmbedded](false, mode) }, []string{"panics in this program: "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dev, err := runtime.Open(runtime.Select("host"))
			if err != nil {
				t.Fatal(err)
			}
			defer dev.Close()
			check := func(use string, err error) {
				t.Helper()
				if len(c.want) == 0 {
					if err != nil {
						t.Errorf("%s: %v", use, err)
					}
					return
				}
				if !errors.Is(err, runtime.ErrBuild) || !strings.Contains(err.Error(), "k.K") {
					t.Errorf("%s: %v", use, err)
					return
				}
				for _, w := range c.want {
					if !strings.Contains(err.Error(), w) {
						t.Errorf("%s: no %q in %v", use, w, err)
					}
				}
			}
			for range 2 { // the second one is told the same
				k := c.kernel()
				for range 2 {
					_, err = launchOf(dev.DefaultQueue(), k, runtime.Range1(8), nil)
					check("launch", err)
				}
			}
			_, err = runtime.NewProgram(dev, c.kernel())
			check("program", err)
			g := runtime.NewGraph(dev)
			_, err = g.Add(kernelimpl.NewLaunch(c.kernel()).Node1(8, nil))
			check("node", err)
			check("run", kernelimpl.NewLaunch(c.kernel()).Run1(t.Context(), dev, 8, nil))
		})
	}
}

// TestStatedChanges: a variable that changes before the first launch is noticed.
func TestStatedChanges(t *testing.T) {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	k := registered[exactMode](false, properties.Float(properties.FloatExact))
	statedMode = properties.FloatFast
	defer func() { statedMode = properties.FloatExact }()
	if _, err := launchOf(dev.DefaultQueue(), k, runtime.Range1(8), nil); !errors.Is(err, runtime.ErrBuild) {
		t.Errorf("%v", err)
	}
}
