package call

import (
	"testing"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/runtime"
)

func open(t *testing.T) *runtime.Device {
	t.Helper()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

// fill is a kernel that a library could have.
type fill struct{ to runtime.View[byte] }

func (f fill) ParallelFor(q *runtime.Queue, _ runtime.NDRange1, _ ...runtime.LaunchOption) (runtime.Event, error) {
	return q.Enqueue(runtime.Fill(f.to, 1))
}

// run makes a call with scratch memory, and returns the memory.
func run(t *testing.T, q *runtime.Queue, bytes int) *buffer {
	t.Helper()
	c := New(q, "test", nil)
	if err := c.Begin(bytes); err != nil {
		t.Fatal(err)
	}
	memory := c.scratch
	c.Run(fill{Room[byte](c, bytes)}, 1, 1)
	if _, err := c.End(); err != nil {
		t.Fatal(err)
	}
	return memory
}

// TestPool: calls share memory, one after the other, but for those of a graph.
func TestPool(t *testing.T) {
	dev := open(t)
	q := dev.DefaultQueue()
	first := run(t, q, 1000)
	if run(t, q, 2000) != first || run(t, q, 16) != first {
		t.Error("a call does not use the memory of one before")
	}
	if run(t, q, 5000) == first {
		t.Error("a call has less memory than it needs")
	}
	if run(t, q, 16) != first {
		t.Error("a call does not use the smallest memory")
	}
	g := runtime.NewGraph(dev)
	if err := q.BeginRecording(g); err != nil {
		t.Fatal(err)
	}
	graphs := run(t, q, 16)
	if run(t, q, 16) == graphs {
		t.Error("two calls in a graph have the same memory")
	}
	if err := q.EndRecording(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if run(t, q, 16) == graphs {
			t.Error("a call uses the memory of a graph")
		}
	}
	p := poolOf(dev)
	for n := range 2 * mostBuffers { // as calls that begin at the same time
		b, err := runtime.NewBuffer[[2]uint64](dev, 256+n)
		if err != nil {
			t.Fatal(err)
		}
		p.giveBack(b)
	}
	if len(p.free) != mostBuffers {
		t.Errorf("the pool has %d buffers", len(p.free))
	}
	for _, b := range p.free {
		if b.Len() < 256+mostBuffers {
			t.Errorf("the pool keeps a buffer of %d elements, and not the largest", b.Len())
		}
	}
}

func TestKinds(t *testing.T) {
	type mine float32
	for _, c := range []struct {
		name      string
		got, want Kind
	}{
		{"int8", KindOf[int8](), Kind{Size: 1, Signed: true}},
		{"uint16", KindOf[uint16](), Kind{Size: 2}},
		{"bool", KindOf[bool](), Kind{Size: 1}},
		{"mine", KindOf[mine](), Kind{Size: 4, Float: true, Half: 0x7fffffff, Inf: 0x7f800000}},
		{"float64", KindOf[float64](), Kind{Size: 8, Float: true, Half: 1<<63 - 1, Inf: 0x7ff << 52}},
		{"Float16", KindOf[half.Float16](), Kind{Size: 2, Float: true, Half: 0x7fff, Inf: 0x7c00, Small: true}},
		{"Float8E4M3", KindOf[half.Float8E4M3](), Kind{Size: 1, Float: true, Half: 0x7f, Inf: 0x7e, Small: true}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, c.got, c.want)
		}
	}
}
