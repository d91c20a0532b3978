package diag

import "fmt"

// InternalError returns the error for a bug in kgen. Parameter `kernel` is the name of the kernel
// that caused the error, or "".
func InternalError(kernel string, err error) error {
	at := ""
	if kernel != "" {
		at = " in kernel " + kernel
	}
	return fmt.Errorf("internal error%s; please report it with the kernel's source: %w", at, err)
}
