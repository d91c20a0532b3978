package golang

import (
	"image"
	"image/color"
	"strconv"

	"github.com/kgen-go/kgen/dsl"
)

// Wares calls functions of the standard library that are not meant for kernels.
type Wares struct{ Out []int }

// Kernel writes a number and draws points.
func (k Wares) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	out := k.Out[i*2 : i*2+2]
	var store [96]byte
	out[0] = weighBytes(strconv.AppendInt(store[:0], int64(i)*-12345, 10))
	gray := image.Gray{Pix: store[:64], Stride: 8, Rect: image.Rect(0, 0, 8, 8)}
	for _, p := range [...]image.Point{image.Pt(i%9, 1), image.Pt(2, i%8), {7, 7}} {
		gray.SetGray(p.X, p.Y, color.GrayModel.Convert(color.RGBA{byte(i * 9), 50, 3, 255}).(color.Gray))
	}
	out[1] = weighBytes(gray.Pix) + gray.Bounds().Inset(i%4).Intersect(image.Rect(1, 2, 5, 9)).Size().Y
}

func weighBytes(b []byte) (n int) {
	for _, c := range b {
		n = n*31 + int(c)
	}
	return n
}

// Rings has private nodes that point to each other, and finally to themselves.
type Rings struct{ Out []int }

type ringed struct {
	next, prev *ringed
	of         *rings
	n          int
}

type rings struct {
	root ringed
	all  int
}

func (r *rings) add(e *ringed, after *ringed) {
	if r.root.next == nil {
		r.root.next, r.root.prev = &r.root, &r.root
	}
	if after == nil {
		after = r.root.prev
	}
	e.prev, e.next, e.of = after, after.next, r
	e.prev.next, e.next.prev = e, e
	r.all++
}

func (e *ringed) following() *ringed {
	if p := e.next; e.of != nil && p != &e.of.root {
		return p
	}
	return nil
}

// Kernel follows the pointers.
func (k Rings) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	var r rings
	a, b, c := ringed{n: i}, ringed{n: 5}, ringed{n: 7}
	r.add(&a, nil)
	r.add(&b, nil)
	r.add(&c, &a)
	for e := r.root.next; e != nil; e = e.following() {
		k.Out[i] = k.Out[i]*10 + e.n
	}
	if i != 9 { // otherwise the kernel dereferences nil
		r.root.of = &r
	}
	e := &r.root
	if i%2 == 0 {
		e = &b
	}
	k.Out[i] += e.of.all
}
