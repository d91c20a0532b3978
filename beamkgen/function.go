package beamkgen

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/reflectx"

	"github.com/kgen-go/kgen/runtime"
)

// Options contains the limits of a Function's batches, and the kernels that the Function launches.
type Options struct {
	// Size is the largest number of elements of a batch. Size has no default and must be at least 1.
	Size int
	// Wait is the age at which a batch is launched even if the batch is not full. The age of a
	// batch is checked when an element of the bundle arrives. If Wait is 0, which is the default,
	// only full batches are launched before the end of a bundle. At the end of a bundle, all
	// batches of the bundle are launched.
	Wait time.Duration
	// Kernels lists the kernels that the launch function launches, for example gen.Kernels(). If
	// the device cannot run a listed kernel, the DoFn's Setup fails before the first launch. If the
	// device cannot run a kernel that is not listed, the first launch of the kernel fails.
	Kernels []*runtime.Kernel
}

// Function computes a result of type R for each element of type T. The kernels of a Function run on
// batches of elements. Functions are made by Register.
type Function[T, R any] struct {
	name    string
	launch  func(w *Worker, batch []T) ([]R, error)
	options Options
	err     error // error in the arguments of Register
}

var (
	functions sync.Map // maps a name to its *Function[T, R]
	dofns     sync.Map // set of the DoFn types that are registered with Beam
)

// Register makes a Function. Programs should call Register to initialize a package-level variable,
// so that each process registers the Function, and workers find the Function by its name:
//
//	var halves = beamkgen.Register("example.com/app.halves", halve, beamkgen.Options{Size: 4096, Kernels: gen.Kernels()})
//
// T and R may be any element types of a PCollection, except KV. Register registers the DoFn and its
// emitters with Beam. If T or R is a named type, Register also registers this type with Beam.
// Programs need Beam's package register only for their own DoFns.
//
// The launch function receives between 1 and Size elements, and must return one result for each
// element, in the same order. The result for an element must depend only on this element, because
// the division into batches is arbitrary and changes after a fault. The launch function must not
// change the slice of elements, and must not use the slice after the launch function has returned.
// Several bundles may call the launch function at the same time.
//
// Register never fails. If the arguments of Register are wrong, TryParDo returns the error.
func Register[T, R any](name string, launch func(w *Worker, batch []T) ([]R, error), options Options) *Function[T, R] {
	f := &Function[T, R]{name: name, launch: launch, options: options}
	f.err = f.register()
	return f
}

func (f *Function[T, R]) register() error {
	switch {
	case f.name == "":
		return f.invalid("a Function without a name", "give it one that no other Function of the program has")
	case f.launch == nil:
		return f.invalid("the launch function is nil", "")
	case f.options.Size < 1:
		return f.invalid(fmt.Sprintf("batches of %d elements", f.options.Size), "set Options.Size to 1 or more")
	case f.options.Wait < 0:
		return f.invalid(fmt.Sprintf("elements that wait for %v", f.options.Wait), "set Options.Wait to 0 or more")
	case beam.Initialized():
		return f.invalid("it was registered after beam.Init", "call Register where a package's variable is initialized")
	}
	for i, k := range f.options.Kernels {
		if k == nil {
			return f.invalid(fmt.Sprintf("Options.Kernels[%d] is nil", i), "")
		}
	}
	if err := registerDoFn[T, R](); err != nil {
		return f.invalid(err.Error(), "")
	}
	if _, taken := functions.LoadOrStore(f.name, f); taken {
		return f.invalid("another Function has this name", "give each a name of its own, such as that of its package and variable")
	}
	return nil
}

// registerDoFn registers the DoFn and its emitters with Beam. Beam's package register can also
// register the DoFn. But the generic functions of package register try all signatures that a DoFn
// may have. For each DoFn, gc needs many seconds to compile the generic functions of package
// register.
func registerDoFn[T, R any]() (err error) {
	defer func() {
		if p := recover(); p != nil { // Beam's functions panic on errors
			err = fmt.Errorf("Beam does not take elements of type %v and results of type %v: %v", reflect.TypeFor[T](), reflect.TypeFor[R](), p)
		}
	}()
	if _, err := graph.NewDoFn(&batchFn[T, R]{}, graph.NumMainInputs(graph.MainSingle)); err != nil {
		panic(err)
	}
	dofn := reflect.TypeFor[batchFn[T, R]]()
	if _, again := dofns.LoadOrStore(dofn, true); again {
		return nil
	}
	for _, t := range []reflect.Type{dofn, reflect.TypeFor[T](), reflect.TypeFor[R](), reflect.TypeFor[Failure]()} {
		if t.PkgPath() != "" {
			beam.RegisterType(t)
		}
	}
	reflectx.RegisterStructWrapper(dofn, func(fn any) map[string]reflectx.Func {
		return map[string]reflectx.Func{"ProcessElement": processElement[T, R]{fn.(*batchFn[T, R])}}
	})
	exec.RegisterEmitter(reflect.TypeFor[emitResult[R]](), func(to exec.ElementProcessor) exec.ReusableEmitter {
		return &resultEmitter[R]{emitter{to: to}}
	})
	exec.RegisterEmitter(reflect.TypeFor[emitFailure[T]](), func(to exec.ElementProcessor) exec.ReusableEmitter {
		return &failureEmitter[T]{emitter{to: to}}
	})
	return nil
}

// processElement calls method ProcessElement of a DoFn. Without processElement, Beam would use package reflect to call
// the method for each element.
type processElement[T, R any] struct{ fn *batchFn[T, R] }

func (p processElement[T, R]) Name() string { return "ProcessElement" }

func (p processElement[T, R]) Type() reflect.Type { return reflect.TypeOf(p.fn.ProcessElement) }

func (p processElement[T, R]) Call(args []any) []any {
	return []any{p.Call4x1(args[0], args[1], args[2], args[3])}
}

func (p processElement[T, R]) Call4x1(ctx, element, result, failure any) any {
	if err := p.fn.ProcessElement(ctx.(context.Context), element.(T), result.(emitResult[R]), failure.(emitFailure[T])); err != nil {
		return err
	}
	return nil
}

func (f *Function[T, R]) invalid(problem, remedy string) error {
	return &runtime.Error{Class: runtime.ErrInvalid, Problem: fmt.Sprintf("beamkgen function %q: %s", f.name, problem), Remedy: remedy}
}

// TryParDo adds the Function to a pipeline. The input must be a PCollection<T>, and the output `results` is a
// PCollection<R>. The output `failures` is a PCollection<KV<Failure, T>>, and contains the elements that made a kernel
// panic. Each output element has the windows, the timestamp and the pane of its input element.
//
// If the arguments of Register were wrong, or if parameter `in` is not a PCollection<T>, TryParDo
// returns an error of class runtime.ErrInvalid. If TryParDo returns an error, it does not change
// the pipeline.
func (f *Function[T, R]) TryParDo(s beam.Scope, in beam.PCollection) (results, failures beam.PCollection, err error) {
	none := beam.PCollection{}
	switch {
	case f == nil:
		return none, none, &runtime.Error{Class: runtime.ErrInvalid, Problem: "a nil beamkgen.Function", Remedy: "make it by beamkgen.Register"}
	case f.err != nil:
		return none, none, f.err
	case f.launch == nil:
		return none, none, f.invalid("a Function that is not registered", "make it by beamkgen.Register")
	case !s.IsValid() || !in.IsValid():
		return none, none, f.invalid("the scope or the input is of no pipeline", "")
	case typex.IsKV(in.Type()) || typex.IsCoGBK(in.Type()) || in.Type().Type() != reflect.TypeFor[T]():
		return none, none, f.invalid(fmt.Sprintf("the input is a PCollection<%v>, not a PCollection<%v>", in.Type(), reflect.TypeFor[T]()), "convert its elements by a ParDo")
	}
	out, err := beam.TryParDo(s.Scope(f.name), &batchFn[T, R]{Function: f.name}, in)
	if err != nil {
		return none, none, f.invalid(err.Error(), "")
	}
	return out[0], out[1], nil
}

// ParDo calls TryParDo. Like Beam's own ParDo, ParDo panics if there is an error.
func (f *Function[T, R]) ParDo(s beam.Scope, in beam.PCollection) (results, failures beam.PCollection) {
	results, failures, err := f.TryParDo(s, in)
	if err != nil {
		panic(err)
	}
	return results, failures
}
