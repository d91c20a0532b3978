package gravity

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/math32"
)

// Unit is the amount of light of one body, in the units of Light.
const Unit = 64

// Camera looks at the origin from a distance.
type Camera struct {
	Width, Height int
	Zoom          float32 // pixels per unit of length at the origin
	Distance      float32
	Sin, Cos      float32 // sine and cosine of the tilt about the x axis
}

// project() returns the position of p in the image, and the scale at p in pixels per unit of
// length. If a point is not in front of the camera, its scale is zero.
func (c Camera) project(p Vec3) (x, y, size float32) {
	depth := c.Distance - (p.Z*c.Cos + p.Y*c.Sin)
	if depth <= 0.05*c.Distance {
		return 0, 0, 0
	}
	size = c.Zoom * c.Distance / depth
	x = 0.5*float32(c.Width) + size*p.X
	y = 0.5*float32(c.Height) - size*(p.Y*c.Cos-p.Z*c.Sin)
	return x, y, size
}

// Paint adds the light of the bodies to an image. Bodies before index Split add light to the
// first plane of Light, and the others to the second plane. Each plane has Height rows of Width
// pixels.
type Paint struct {
	Camera Camera
	Split  int
	Bodies []Body
	Light  []uint32
}

// Kernel divides the light of one body among the four nearest pixels.
func (k Paint) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, y, size := k.Camera.project(k.Bodies[i].Pos)
	if size == 0 {
		return
	}
	plane := 0
	if i >= k.Split {
		plane = k.Camera.Width * k.Camera.Height
	}
	left, top := math32.Floor(x-0.5), math32.Floor(y-0.5)
	fx, fy := x-0.5-left, y-0.5-top
	px, py := int(left), int(top)
	k.shed(plane, px, py, (1-fx)*(1-fy))
	k.shed(plane, px+1, py, fx*(1-fy))
	k.shed(plane, px, py+1, (1-fx)*fy)
	k.shed(plane, px+1, py+1, fx*fy)
}

// shed() adds a part of a body's light to a pixel, if the pixel is in the image.
func (k Paint) shed(plane, x, y int, part float32) {
	c := k.Camera
	if x < 0 || x >= c.Width || y < 0 || y >= c.Height {
		return
	}
	atomic.AddUint32(&k.Light[plane+y*c.Width+x], uint32(Unit*part+0.5))
}
