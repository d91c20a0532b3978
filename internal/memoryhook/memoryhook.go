// Package memoryhook lets tests simulate devices that run out of memory, and count the bytes in use.
package memoryhook

// Watch, if not nil, is called before a device allocates memory, with the number of bytes. If Watch returns
// false, the allocation fails. Watch is also called after a device has freed memory, with the negative number
// of bytes. A test sets Watch before it opens devices.
var Watch func(bytes int64) (ok bool)
