// Package exec brings launches to a device, below the API: it chooses the modules of a kernel, keeps
// the pipelines that are made of them, and makes commands of launches for the device's stream.
//
// It knows no word of the API. Errors that users see are made by package runtime, which hands
// exec the functions that return them.
package exec
