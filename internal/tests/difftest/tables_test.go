package difftest

import (
	"github.com/kgen-go/kgen/internal/tests/difftest/tables"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/tables/tablesgen"
)

func init() {
	add1("CRC", gen.RunCRC, 300, func() tables.CRC {
		in := make([]uint64, 300)
		for i := range in {
			in[i] = uint64(i) * 0x9e3779b97f4a7c15 >> (i % 50)
		}
		return tables.CRC{In: in, Out: make([]uint32, 600)}
	})
	numbers := ints32(200, func(i int) int32 { return []int32{40, -3, 17, 99, 30000, -30000, 8}[i%7] + int32(i/7*(i%2)) })
	add1("Waves", gen.RunWaves, 200, func() tables.Waves { return tables.Waves{In: numbers, Out: make([]float64, 1000)} })
	add1("Filled", gen.RunTables, 200, func() tables.Tables { return tables.Tables{In: numbers, Out: make([]uint64, 1200)} })
	add1("Written", gen.RunWritten, 4, func() tables.Written { return tables.Written{Out: out32(80)} })
}
