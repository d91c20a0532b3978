package properties

// Updatable has a graph take updates of its nodes after it has been finalized: see runtime's
// ExecutableGraph.Update.
func Updatable() Property { return Property{key: KeyUpdatable} }

// OfGraphs reports whether the key's properties are given to runtime's Graph.Finalize, and not
// to kernels and launches.
func (k Key) OfGraphs() bool { return k == KeyUpdatable }
