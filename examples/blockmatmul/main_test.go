package main

import (
	"os"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

func TestMain(m *testing.M) {
	devtest.ManyKernels()
	os.Exit(m.Run())
}

func TestBlockMatMul(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	depths = depths[:sample.Of(3, 1)]
	for _, *size = range []int{1, 16, 75}[:sample.Of(3, 2)] {
		devtest.Run(t, run)
	}
	if m := loadMemory(); len(m) == 0 {
		t.Error("nothing was remembered")
	}
}
