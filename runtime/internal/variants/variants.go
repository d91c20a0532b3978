// Package variants makes modules of kernel variants, if the stubs do not contain these modules. The
// modules are made from the kernels' IR.
//
// If a package has the directive //kgen:variants load, the descriptions of such variants in its
// stubs refer to [Make]. A program without such stubs does not contain the compiler.
package variants

import (
	"encoding/binary"
	"fmt"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/back"
)

// Make returns the words of the variant's module, which are the words that kgen would have written.
// Make returns an error if the checksum of the words differs from the checksum that kgen has
// written.
func Make(k *abi.Kernel, v *abi.Variant) (words []uint32, err error) {
	defer func() {
		if bug := recover(); bug != nil { // damaged IR must not end the program
			words, err = nil, fmt.Errorf("BUG: %v", bug)
		}
	}()
	if words, err = back.CompileVariant(k, v.Name); err != nil {
		return nil, err
	}
	b := make([]byte, 0, 4*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	if sum := abi.Sum(string(b)); v.Sum != 0 && v.Sum != sum {
		return nil, fmt.Errorf("it has the checksum %#x, and the one that kgen made %#x: this program has another version of the compiler", sum, v.Sum)
	}
	return words, nil
}
