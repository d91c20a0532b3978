// Blockmatmul multiplies two square matrices in blocks. The program tries some depths of
// blocks to find the best one for the device. The depth is a specialization constant of the
// kernel, so all depths use the same module. The program stores the best depth in the user's
// cache.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/kgen-go/kgen/examples/blockmatmul/blocks"
	"github.com/kgen-go/kgen/examples/internal/demo"
	blocksgen "github.com/kgen-go/kgen/generated/examples/blockmatmul/blocks"
	"github.com/kgen-go/kgen/runtime"
)

var (
	size = demo.Int("n", 512, 1, 1<<15, "rows and columns of the matrices")
	tune = flag.Bool("tune", false, "try all depths of block again")
)

func main() { demo.Main(run) }

func run(ctx context.Context, dev *runtime.Device) error {
	n := *size
	p, err := newProduct(dev, n)
	if err != nil {
		return err
	}
	defer p.close()
	demo.Line("matrices", "%d x %d", n, n)
	memory := loadMemory()
	depth, known := memory.depth(dev)
	if !known || *tune {
		if depth, err = p.best(ctx); err != nil {
			return err
		}
		if err := memory.keep(dev, depth); err != nil {
			demo.Line("memory", "the best block is not remembered: %v", err)
		}
	} else {
		demo.Line("memory", "blocks %d deep were best before; -tune tries again", depth)
	}

	multiply, err := p.with(depth)
	if err != nil {
		return err
	}
	var d time.Duration
	if d, err = demo.Best(3, func() error { return multiply(ctx) }); err != nil {
		return err
	}
	demo.Rate(fmt.Sprintf("depth %d", depth), d, p.flops, "flop")
	p.plain()
	return p.check(ctx)
}

// plain() measures how fast the usual loop for processors computes some rows of the product.
func (p *product) plain() {
	n := p.n
	rows := min(n, max(1, int(4e8/float64(n)/float64(n))))
	c := make([]float32, rows*n)
	d, _ := demo.Time(func() error {
		for i := range rows {
			row := c[i*n : (i+1)*n]
			for l, v := range p.a[i*n : (i+1)*n] {
				for j, w := range p.b[l*n : (l+1)*n] {
					row[j] += v * w
				}
			}
		}
		return nil
	})
	demo.Rate("plain Go", d, p.flops*float64(rows)/float64(n), "flop")
}

// The type `product` is a product of matrices on a device.
type product struct {
	dev     *runtime.Device
	n       int
	a, b    []float32
	buffers [3]*runtime.Buffer[float32]
	flops   float64
}

func newProduct(dev *runtime.Device, n int) (*product, error) {
	r := rand.New(rand.NewPCG(1, 2))
	p := &product{dev: dev, n: n, a: demo.Random(r, n*n), b: demo.Random(r, n*n), flops: 2 * float64(n) * float64(n) * float64(n)}
	var err error
	for i, data := range [][]float32{p.a, p.b, make([]float32, n*n)} {
		if p.buffers[i], err = runtime.BufferOf(dev, data); err != nil {
			p.close()
			return nil, err
		}
	}
	return p, nil
}

func (p *product) close() {
	for _, b := range p.buffers {
		if b != nil {
			b.Close()
		}
	}
}

// The variable `depths` contains the depths of blocks that best() tries.
var depths = []int{4, 8, 16}

// best() tries several depths of blocks, and returns the fastest depth.
func (p *product) best(ctx context.Context) (depth int, err error) {
	var shortest time.Duration
	for _, t := range depths {
		multiply, err := p.with(t)
		if err != nil {
			return 0, err
		}
		ready, err := demo.Time(func() error { return multiply(ctx) })
		if err != nil {
			return 0, err
		}
		d, err := demo.Best(2, func() error { return multiply(ctx) })
		if err != nil {
			return 0, err
		}
		demo.Line(fmt.Sprintf("try %d", t), "%10v  %s  (first launch %v)", d.Round(d/1000+1), demo.PerSecond(p.flops, d, "flop"), ready.Round(ready/1000+1))
		if depth == 0 || d < shortest {
			depth, shortest = t, d
		}
	}
	return depth, nil
}

// with() builds the kernel for blocks of the given depth.
func (p *product) with(depth int) (func(context.Context) error, error) {
	program, err := runtime.NewProgram(p.dev, blocksgen.Kernels()...)
	if err != nil {
		return nil, err
	}
	if _, err := runtime.SetSpec(program, blocks.Depth, depth); err != nil {
		return nil, err
	}
	exe, err := program.Build()
	if err != nil {
		return nil, err
	}
	k := blocksgen.MatMul{M: p.n, K: p.n, N: p.n, A: p.buffers[0].All(), B: p.buffers[1].All(), C: p.buffers[2].All()}
	side := blocks.Groups(p.n) * blocks.Across // complete work-groups; the kernel ignores elements past the edges
	r := runtime.NDRange2{Global: runtime.Range2{side, side}, Local: runtime.Range2{blocks.Across, blocks.Across}}
	return func(ctx context.Context) error {
		return k.Run(ctx, p.dev.DefaultQueue(), r, runtime.WithProgram(exe))
	}, nil
}

// check() compares elements from all parts of the product with float64 sums.
func (p *product) check(ctx context.Context) error {
	n := p.n
	c := make([]float32, n*n)
	if err := p.buffers[2].CopyTo(ctx, p.dev.DefaultQueue(), c); err != nil {
		return err
	}
	return demo.CheckProduct(rand.New(rand.NewPCG(3, 4)), n, p.a, p.b, c)
}
