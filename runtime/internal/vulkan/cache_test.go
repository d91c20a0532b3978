//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

func newStore(p *vkx.PhysicalDeviceInfo) *cacheStore { return storeOf(p, "example.com/program") }

func storeOf(p *vkx.PhysicalDeviceInfo, program string) *cacheStore {
	s := &cacheStore{}
	if err := s.init(p, program); err != nil {
		panic(err)
	}
	return s
}

func TestCacheStore(t *testing.T) {
	t.Setenv("KGEN_PIPELINE_CACHE", need.Dir(t)+"/new/dir")
	phys := &vkx.PhysicalDeviceInfo{VendorID: 1, DeviceID: 2, DriverVersion: 3, PipelineCacheUUID: [16]byte{4, 5}}
	s := newStore(phys)
	if got := s.loadFile(); got != nil {
		t.Fatalf("loaded %q from no file", got)
	}
	data := bytes.Repeat([]byte("pipeline"), 100)
	s.saveFile(data, nil)
	if got := newStore(phys).loadFile(); !bytes.Equal(got, data) {
		t.Fatalf("loaded %d bytes, want %d", len(got), len(data))
	}
	file, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range file { // every byte counts
		if testing.Short() && i > 150 && i%16 != 0 {
			continue // a byte of the data, which have one checksum
		}
		bad := bytes.Clone(file)
		bad[i] ^= 1 << (i % 8)
		if err := os.WriteFile(s.path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if newStore(phys).loadFile() != nil {
			t.Fatalf("a file with byte %d flipped was accepted", i)
		}
		if err := os.WriteFile(s.path, file[:i], 0o600); err != nil {
			t.Fatal(err)
		}
		if newStore(phys).loadFile() != nil {
			t.Fatalf("a file cut off at %d was accepted", i)
		}
	}
	fresh := newStore(phys)
	fresh.loadFile()
	fresh.saveFile(data, nil) // rewrites it
	if got := newStore(phys).loadFile(); !bytes.Equal(got, data) {
		t.Error("a bad file was not rewritten")
	}
	for _, change := range []func(p *vkx.PhysicalDeviceInfo){
		func(p *vkx.PhysicalDeviceInfo) { p.DriverVersion++ },
		func(p *vkx.PhysicalDeviceInfo) { p.VendorID++ },
		func(p *vkx.PhysicalDeviceInfo) { p.DeviceID++ },
		func(p *vkx.PhysicalDeviceInfo) { p.PipelineCacheUUID[15]++ },
	} {
		other := *phys
		change(&other)
		if newStore(&other).loadFile() != nil {
			t.Errorf("the cache of %+v was given to %+v", phys, other)
		}
	}
	// Many writers: the file is always whole.
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			for i := range 20 {
				newStore(phys).saveFile(bytes.Repeat([]byte{byte(g), byte(i)}, 5000), nil)
				if newStore(phys).loadFile() == nil {
					t.Error("a torn file")
				}
			}
		})
	}
	wg.Wait()
	if list, _ := filepath.Glob(filepath.Join(filepath.Dir(s.path), "pipelines*")); len(list) != 1 {
		t.Errorf("files left: %v", list)
	}
	t.Setenv("KGEN_PIPELINE_CACHE", "off")
	if s := newStore(phys); s.path != "" {
		t.Errorf("off: %s", s.path)
	}
}

func TestCacheOnDevice(t *testing.T) {
	dir := need.Dir(t)
	t.Setenv("KGEN_PIPELINE_CACHE", dir)
	for range 2 {
		d := open(t)
		increment(t, d).Free()
		d.Close()
	}
	list, _ := filepath.Glob(dir + "/*.bin")
	if len(list) != 1 {
		t.Fatalf("files: %v", list)
	}
	if err := os.WriteFile(list[0], []byte("rubbish"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := open(t)
	increment(t, d).Free()
	d.Close()
	if b, _ := os.ReadFile(list[0]); !bytes.HasPrefix(b, []byte(cacheMagic)) {
		t.Error("rubbish was not replaced")
	}
}
