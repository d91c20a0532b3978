package diag

import "fmt"

// InternalError is the message to users about a bug in kgen. kernel is the kernel's name, or "" if
// there is none.
func InternalError(kernel string, err error) error {
	at := ""
	if kernel != "" {
		at = " in kernel " + kernel
	}
	return fmt.Errorf("internal error%s; please report it with the kernel's source: %w", at, err)
}
