// Package memoryhook lets tests simulate devices that run out of memory. Tests can also count the bytes in use.
package memoryhook

// Watch, if not nil, is called with n before a device allocates n bytes of memory. If Watch returns false, the
// allocation fails. After a device has freed n bytes of memory, Watch is called with -n. A test sets Watch before
// it opens devices.
var Watch func(bytes int64) (ok bool)
