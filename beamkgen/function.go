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

// Options say how a Function makes batches, and which kernels it launches.
type Options struct {
	// Size is the greatest number of elements of a batch, at least 1. There is no default.
	Size int
	// Wait is the age at which a batch is launched though it is not full. The age is looked at whenever an
	// element of the bundle comes. With 0, the default, a batch waits until it is full. The end of a
	// bundle launches all its batches in any case.
	Wait time.Duration
	// Kernels are the kernels that the launch function launches, such as gen.Kernels(). If the device
	// cannot run one of them, the DoFn's Setup fails, before anything is launched. For a
	// kernel that is not listed, the first launch fails.
	Kernels []*runtime.Kernel
}

// Function computes a result of type R for each element of type T, by kernels that run on batches of elements.
// Register returns it.
type Function[T, R any] struct {
	name    string
	launch  func(w *Worker, batch []T) ([]R, error)
	options Options
	err     error // error of Register
}

var (
	functions sync.Map // values of *Function[T, R] by their names
	dofns     sync.Map // types of the DoFns that Beam knows
)

// Register makes a Function. Programs call it to initialize a variable of a package. So each process
// does, and workers find the function by its name:
//
//	var halves = beamkgen.Register("example.com/app.halves", halve, beamkgen.Options{Size: 4096, Kernels: gen.Kernels()})
//
// T and R are any types that a PCollection may have, except KV. Register registers the DoFn, its
// emitters, and T and R if these have names. So programs need Beam's package register only for
// their own DoFns.
//
// The launch function gets between 1 and Size elements, and returns as many results, in the order of the
// elements. A result must depend on its element alone: batches hold the elements that came
// together, and a fault divides them. The function must neither change the elements nor keep the
// slice. Several bundles call it at the same time.
//
// Register never fails. If its arguments are wrong, the error is that of TryParDo.
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

// registerDoFn tells Beam the DoFn and its emitters. Package register of Beam would do that, too, but gc compiles
// its generic functions for many seconds for each DoFn: they try all signatures that a DoFn may have.
func registerDoFn[T, R any]() (err error) {
	defer func() {
		if p := recover(); p != nil { // Beam's functions panic
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

// processElement is the method ProcessElement of a DoFn. Beam would call it by package reflect, for each element.
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

// TryParDo adds the function to a pipeline. The input is a PCollection<T>, the results are a PCollection<R>. The
// failures are a PCollection<KV<Failure, T>>, with the elements on which a kernel panicked. Each output
// element has the windows, the timestamp and the pane of its input element.
//
// If the arguments of Register were wrong, or if in is no PCollection<T>, the error is of class
// runtime.ErrInvalid, and nothing is added.
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

// ParDo is TryParDo, but panics where TryParDo returns an error, as Beam's own ParDo does.
func (f *Function[T, R]) ParDo(s beam.Scope, in beam.PCollection) (results, failures beam.PCollection) {
	results, failures, err := f.TryParDo(s, in)
	if err != nil {
		panic(err)
	}
	return results, failures
}
