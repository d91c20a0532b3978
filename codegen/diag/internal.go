package diag

import "fmt"

// InternalError is the error that a bug in kgen is to its user, in a kernel or, without a name, elsewhere.
func InternalError(kernel string, err error) error {
	at := ""
	if kernel != "" {
		at = " in kernel " + kernel
	}
	return fmt.Errorf("internal error%s; please report it with the kernel's source: %w", at, err)
}
