package matrix

// Known lists devices with their native matrix products, as drivers report them. kgen generates
// modules for the listed devices. For other devices, the runtime makes modules with native matrix
// products when it loads a kernel.
var Known = []Device{
	{"llvmpipe, Mesa 26.1", 8, []Tuple{
		{8, 8, 8, Float16, Float16}, {8, 8, 8, Float16, Float32}, {8, 8, 8, Uint8, Uint32}, {8, 8, 8, Int8, Int32},
	}},
	{"NVIDIA H100, driver 580", 32, []Tuple{
		{16, 16, 16, Float16, Float16}, {16, 8, 16, Float16, Float16}, {16, 8, 8, Float16, Float16},
		{16, 16, 16, Float16, Float32}, {16, 8, 16, Float16, Float32}, {16, 8, 8, Float16, Float32},
		{16, 16, 32, Uint8, Uint32}, {16, 8, 32, Uint8, Uint32}, {16, 16, 32, Int8, Int32}, {16, 8, 32, Int8, Int32},
		{16, 16, 16, BFloat16, Float32},
	}},
	{"a device with products of 16x16x16 alone", 32, []Tuple{
		{16, 16, 16, Float16, Float16}, {16, 16, 16, Float16, Float32}, {16, 16, 16, Uint8, Uint32}, {16, 16, 16, Int8, Int32},
	}},
}

// Device is a device that supports matrices natively.
type Device struct {
	Device   string
	SubGroup int
	Tuples   []Tuple
}
