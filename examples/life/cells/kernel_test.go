package cells_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/examples/internal/hostrun"
	"github.com/kgen-go/kgen/examples/life/cells"
)

func TestLife(t *testing.T) {
	for _, s := range [][2]int{{3, 3}, {16, 16}, {17, 40}, {5, 31}} {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			h, w := s[0], s[1]
			a, b := make([]uint32, h*w), make([]uint32, h*w)
			for i := range a {
				a[i] = uint32(i*i*7919) >> 4 & 1
			}
			for range 5 {
				want := make([]uint32, h*w)
				for i := range want {
					n := uint32(0)
					for j := range 9 {
						n += a[(i/w+j/3-1+h)%h*w+(i%w+j%3-1+w)%w]
					}
					if n == 3 || n == 4 && a[i] == 1 {
						want[i] = 1
					}
				}
				hostrun.NDRange(t, cells.Life{H: h, W: w, In: a, Out: b}.Kernel, h, w, cells.Tile, cells.Tile)
				if !slices.Equal(b, want) {
					t.Fatalf("got %v, want %v", b, want)
				}
				a, b = b, a
			}
		})
	}
}
