// Package memoryhook lets tests have devices run out of memory, and count the bytes in use.
package memoryhook

// Watch, if not nil, is called with the size of memory before a device allocates it, and says
// whether it may, and with the negative size after it has freed memory. A test sets it before it opens
// devices.
var Watch func(bytes int64) (ok bool)
