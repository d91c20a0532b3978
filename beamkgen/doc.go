// Package beamkgen runs kernels in pipelines of Apache Beam.
package beamkgen
