// Package gonumblas runs gonum's BLAS on devices.
package gonumblas
