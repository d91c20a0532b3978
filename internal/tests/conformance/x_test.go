package conformance

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/examples/options/montecarlo"
	montecarlogen "github.com/kgen-go/kgen/generated/examples/options/montecarlo"
	saxpygen "github.com/kgen-go/kgen/generated/examples/quickstart/saxpy"
	"github.com/kgen-go/kgen/internal/tests/conformance/consts"
	"github.com/kgen-go/kgen/internal/tests/conformance/consts/constsgen"
	"github.com/kgen-go/kgen/internal/tests/conformance/privates"
	"github.com/kgen-go/kgen/internal/tests/conformance/privates/privatesgen"
	"github.com/kgen-go/kgen/runtime"
)

// TestX5_Drift has a module that is not the one that its stubs were written with. That
// edited kernels are found is tested in cmd/kgenvet.
func TestX5_Drift(t *testing.T) {
	stub, err := os.ReadFile("args/argsgen/args_kgen.go")
	check(t, err)
	if !strings.Contains(string(stub), "internal/tests/conformance/args/kernels.go\", Package: \"args\", Sum: 0x") {
		t.Error("the stubs do not say what the kernels were compiled from")
	}
	k := *kernel(t, montecarlogen.Kernels(), "Price").ABI()
	equal(t, "damage", k.Damaged(), "")
	k.SPIRV = kernel(t, saxpygen.Kernels(), "SAXPY").ABI().SPIRV
	equal(t, "damage of another module", k.Damaged(), "Price.spv")
}

// TestX5_Launch launches a kernel of which one file is another one than its stubs were written with:
// no device runs it but the host device, which needs none of the files.
func TestX5_Launch(t *testing.T) {
	price := kernel(t, montecarlogen.Kernels(), "Price")
	k := price.ABI()
	other := kernel(t, saxpygen.Kernels(), "SAXPY").ABI()
	type file struct {
		name string
		text *string
		of   string
	}
	files := []file{{"Price.spv", &k.SPIRV, other.SPIRV}, {"Price.spv", &k.IR, other.IR}, {"Price.spv", &k.Data, "x"}}
	for i := range k.Variants {
		v := &k.Variants[i]
		files = append(files, file{"Price." + v.Name + ".spv", &v.SPIRV, k.SPIRV})
	}
	if len(files) < 6 {
		t.Errorf("Price has only %d variants", len(k.Variants))
	}
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = montecarlo.Size
		host := dev.Info().Backend == "host"
		r := runtime.NDRange1{Global: n, Local: n}
		out := must(runtime.NewBuffer[montecarlo.Sums](dev, 1))(t)
		defer out.Close()
		node := montecarlogen.Price{Paths: n, Out: out.All()}.Node(r)
		launch := func() error {
			return montecarlogen.RunPrice(ctx, dev, montecarlo.Price{Paths: n, Out: make([]montecarlo.Sums, 1)}, r)
		}
		for _, f := range files {
			func() {
				saved := *f.text
				defer func() { *f.text = saved }()
				*f.text = f.of
				refuses := func(what string, err error) {
					t.Helper()
					if host {
						check(t, err)
					} else if !errors.Is(err, runtime.ErrBuild) || !strings.Contains(err.Error(), "the file "+f.name+" that was built in is not the one that its stubs were written with") {
						t.Errorf("%s with another %s: %v", what, f.name, err)
					}
				}
				refuses("a launch", launch())
				p := must(runtime.NewProgram(dev, price))(t)
				exe, err := p.Build()
				if err == nil { // what builds nothing ahead of launches says so then
					err = montecarlogen.RunPrice(ctx, dev, montecarlo.Price{Paths: n, Out: make([]montecarlo.Sums, 1)}, r, runtime.WithProgram(exe))
				}
				refuses("a program", err)
				ex, err := graphOf(t, dev, node, node).Finalize()
				if err == nil {
					var ev runtime.Event
					if ev, err = dev.DefaultQueue().Submit(ex); err == nil {
						err = ev.Wait(ctx)
					}
				}
				refuses("a graph", err)
			}()
		}
		check(t, launch()) // with its own files again
	})
}

// TestX7_Programs builds programs and launches with them on one device from many
// goroutines: programs of one's own, one that all share while it is set and built, and
// joined ones. make race runs it under the race detector.
func TestX7_Programs(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		shared := program(t, dev, "Sum", "Ids")
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				for round := range 3 {
					own := g*10 + round
					if err := programs(dev, shared, own); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		exe := must(shared.Build())(t)
		out := []int{0}
		check(t, constsgen.RunSum(ctx, dev, consts.Sum{Out: out}, 1, runtime.WithProgram(exe)))
		equal(t, "the last value set, or one before", out[0], must(runtime.GetSpec(exe, consts.Left))(t)+3)
	})
}

// programs makes programs with a number of their own, and checks what kernels read.
func programs(dev *runtime.Device, shared *runtime.Program, own int) error {
	// Which goroutine is first to build what all share is open: then setting fails.
	if _, err := runtime.SetSpec(shared, consts.Left, own); err == nil && own%10 == 2 {
		if _, err := shared.Build(); err != nil {
			return err
		}
	}
	p, err := runtime.NewProgram(dev, kernelsOf("Sum", "Ids", "Scale")...)
	if err != nil {
		return err
	}
	q, err := runtime.NewProgram(dev, privatesgen.Kernels()...)
	if err != nil {
		return err
	}
	if _, err := runtime.SetSpec(p, consts.Left, own); err != nil {
		return err
	}
	if _, err := runtime.SetSpec(p, consts.Gain, float32(own)); err != nil {
		return err
	}
	if err := p.SetSpecByID(0, own); err != nil {
		return err
	}
	if _, err := runtime.SetSpec(q, privates.Many, own%7+1); err != nil {
		return err
	}
	both, err := runtime.Join(p, q)
	if err != nil {
		return err
	}
	exe, err := both.Build(append(kernelsOf("Sum", "Ids", "Scale"), many())...)
	if err != nil {
		return err
	}
	sum, ids, gain, n := []int{0, 0}, []int32{0, 0, 0}, []float32{0}, []int32{0}
	with := runtime.WithProgram(exe)
	for _, err := range []error{
		constsgen.RunSum(ctx, dev, consts.Sum{Out: sum}, 2, with),
		constsgen.RunIds(ctx, dev, consts.Ids{Out: ids}, with),
		constsgen.RunScale(ctx, dev, consts.Scale{Out: gain}, with),
		privatesgen.RunSum(ctx, dev, privates.Sum{Out: n}, with),
	} {
		if err != nil {
			return err
		}
	}
	most := int32(own%7 + 1)
	if sum[1] != own+3 || ids[0] != int32(own) || gain[0] != float32(own) || n[0] != most*(most+1)/2 {
		return wrong{own, sum, ids, gain, n}
	}
	return nil
}

type wrong struct {
	own  int
	sum  []int
	ids  []int32
	gain []float32
	n    []int32
}

func (w wrong) Error() string {
	return sprintf("the program of %d gives %v, %v, %v, %v", w.own, w.sum, w.ids, w.gain, w.n)
}

// kernelsOf returns kernels of package consts.
func kernelsOf(names ...string) (list []*runtime.Kernel) {
	for _, name := range names {
		for _, k := range constsgen.Kernels() {
			if k.ABI().Name == name {
				list = append(list, k)
			}
		}
	}
	return list
}

// many is the kernel whose memory has the length Many.
func many() *runtime.Kernel {
	for _, k := range privatesgen.Kernels() {
		if k.ABI().Name == "Sum" {
			return k
		}
	}
	return nil
}
