package properties_test

import (
	"fmt"

	"github.com/kgen-go/kgen/properties"
)

// A kernel's own list and the list of a launch count as one. A key in both must
// have the same value.
func ExampleList_Merge() {
	kernel := properties.List{properties.WorkGroupSize(8, 8)}

	both, err := kernel.Merge(properties.List{properties.SubGroupSize(8)})
	fmt.Println(both, err)

	_, err = kernel.Merge(properties.List{properties.WorkGroupSize(16, 16)})
	fmt.Println(err)
	// Output:
	// [WorkGroupSize(8, 8) SubGroupSize(8)] <nil>
	// WorkGroupSize(16, 16) conflicts with the kernel's WorkGroupSize(8, 8)
}

func ExampleList_Validate() {
	fmt.Println(properties.List{properties.WorkGroupSize(8, 0)}.Validate())
	fmt.Println(properties.List{properties.SubGroupSize(8), properties.SubGroupSize(8)}.Validate())
	// Output:
	// WorkGroupSize: size 0 is not positive
	// SubGroupSize is given twice
}
