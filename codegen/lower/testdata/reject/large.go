package reject

import "github.com/kgen-go/kgen/dsl"

// TooMuch calls what calls what calls: the code is as much as all of it together.
type TooMuch struct{ Out []int32 }

func (k TooMuch) Kernel(it dsl.Item1) {
	x := k.Out[0]
	x = muchOf(x)
	x = muchOf(x)
	x = muchOf(x)
	x = muchOf(x)
	x = muchOf(x)
	x = muchOf(x)
	x = muchOf(x)
	x = muchOf(x)
	x = muchOf(x)
	x = muchOf(x)
	x = muchOf(x)
	x = muchOf(x)
	x = muchOf(x)
	x = muchOf(x)
	x = muchOf(x)
	x = muchOf(x)
	k.Out[0] = x
}

func muchOf(x int32) int32 {
	x = moreOf(x)
	x = moreOf(x)
	x = moreOf(x)
	x = moreOf(x)
	x = moreOf(x)
	x = moreOf(x)
	x = moreOf(x)
	x = moreOf(x)
	x = moreOf(x)
	x = moreOf(x)
	x = moreOf(x)
	x = moreOf(x)
	x = moreOf(x)
	x = moreOf(x)
	x = moreOf(x)
	x = moreOf(x)
	return x
}

func moreOf(x int32) int32 {
	x = mostOf(x)
	x = mostOf(x)
	x = mostOf(x)
	x = mostOf(x)
	x = mostOf(x)
	x = mostOf(x)
	x = mostOf(x)
	x = mostOf(x)
	x = mostOf(x)
	x = mostOf(x)
	x = mostOf(x)
	x = mostOf(x)
	x = mostOf(x)
	x = mostOf(x)
	x = mostOf(x)
	x = mostOf(x)
	return x
}

func mostOf(x int32) int32 {
	x = least(x)
	x = least(x)
	x = least(x)
	x = least(x)
	x = least(x)
	x = least(x)
	x = least(x)
	x = least(x)
	x = least(x)
	x = least(x)
	x = least(x)
	x = least(x)
	x = least(x)
	x = least(x)
	x = least(x)
	x = least(x)
	return x
}

func least(x int32) int32 {
	return x*3 + x/7 + x%5 // want KG206 `the kernel has more than 250000 instructions here: .* of reject.least, the most of it`
}
