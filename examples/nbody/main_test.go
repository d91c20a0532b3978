package main

import (
	"path/filepath"
	"testing"

	"github.com/kgen-go/kgen/examples/nbody/gravity"
	"github.com/kgen-go/kgen/internal/tests/devtest"
)

func TestNbody(t *testing.T) {
	*count, *frames, *steps, *height = 600, 2, 2, 90
	*out = filepath.Join(t.TempDir(), "frames") // which is made
	devtest.Run(t, run)
	if names, _ := filepath.Glob(filepath.Join(*out, "*.png")); len(names) != 2 {
		t.Errorf("frames: %v", names)
	}
}

// The galaxies' common centre of mass rests at the origin, so that the camera
// need not move.
func TestCollisionRests(t *testing.T) {
	bodies, velocity, split := collision(10_000)
	if len(bodies) != 10_000 || len(velocity) != 10_000 || split != 6000 {
		t.Fatalf("%d bodies, %d velocities, split at %d", len(bodies), len(velocity), split)
	}
	var center, momentum gravity.Vec3
	mass := float32(0)
	for i, b := range bodies {
		center = center.Add(b.Pos.Scale(b.Mass))
		momentum = momentum.Add(velocity[i].Scale(b.Mass))
		mass += b.Mass
	}
	if d := center.Dot(center); d > 1e-3 {
		t.Errorf("centre of mass: %v", center)
	}
	if d := momentum.Dot(momentum); d > 1e-3 {
		t.Errorf("momentum: %v", momentum)
	}
	if mass < 1.59 || mass > 1.61 {
		t.Errorf("mass: %g", mass)
	}
}
