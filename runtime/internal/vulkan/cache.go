//go:build cgo && linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package vulkan

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// The pipeline cache on disk: a header of our own before the driver's data, since
// drivers trust what they are given.
//
//	offset  size
//	0       8     magic
//	8       4     version of this layout
//	12      4     vendorID
//	16      4     deviceID
//	20      4     driverVersion
//	24      16    pipelineCacheUUID
//	40      8     length of the data
//	48      32    SHA-256 of the header before it and the data
//	80            data
const (
	cacheMagic   = "kgen.vkp"
	cacheVersion = 1
	cacheHeader  = 80

	// The cache is written when this much has happened since the last time.
	cacheEvery    = 16
	cacheInterval = 10 * time.Second
)

// cacheStore is the file of one device's pipeline cache.
type cacheStore struct {
	path   string // "" if there is none
	prefix [40]byte

	mu    sync.Mutex
	fresh int // pipelines made since the last save
	saved time.Time
	sum   [32]byte // of what the file holds
}

// init finds the file's place. Without a cache directory there is no file. The user's is
// used if it can be; one that the environment names is there and can be written to.
func (c *cacheStore) init(p *vkx.PhysicalDeviceInfo) error {
	dir := env.Get(env.PipelineCache)
	switch dir {
	case "off":
		return nil
	case "":
		user, err := os.UserCacheDir()
		if err != nil {
			return nil
		}
		dir = filepath.Join(user, "kgen")
	default:
		if err := writable(dir); err != nil {
			return &hal.EnvironmentError{Name: env.PipelineCache, Err: err}
		}
	}
	copy(c.prefix[:], cacheMagic)
	for i, v := range []uint32{cacheVersion, p.VendorID, p.DeviceID, p.DriverVersion} {
		binary.LittleEndian.PutUint32(c.prefix[8+4*i:], v)
	}
	copy(c.prefix[24:], p.PipelineCacheUUID[:])
	c.path = filepath.Join(dir, fmt.Sprintf("pipelines-%04x-%04x-%x.bin", p.VendorID, p.DeviceID, p.PipelineCacheUUID[:4]))
	c.saved = time.Now()
	return nil
}

// writable makes a directory, if it is not there, and a file in it.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "pipelines-*.tmp")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// load returns the driver's data from the file, nil unless all of it is as it was
// written, for this driver.
func (c *cacheStore) load() []byte {
	if c.path == "" {
		return nil
	}
	file, err := os.ReadFile(c.path)
	if err != nil || len(file) < cacheHeader || !bytes.Equal(file[:40], c.prefix[:]) {
		return nil
	}
	data := file[cacheHeader:]
	if binary.LittleEndian.Uint64(file[40:]) != uint64(len(data)) {
		return nil
	}
	sum := cacheSum(file[:48], data)
	if !bytes.Equal(file[48:cacheHeader], sum[:]) {
		return nil
	}
	c.sum = sum
	return data
}

func cacheSum(header, data []byte) (sum [32]byte) {
	h := sha256.New()
	h.Write(header)
	h.Write(data)
	h.Sum(sum[:0])
	return sum
}

// due counts a new pipeline and reports whether it is time to save.
func (c *cacheStore) due() bool {
	if c.path == "" {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fresh++
	if c.fresh < cacheEvery || time.Since(c.saved) < cacheInterval {
		return false
	}
	c.fresh, c.saved = 0, time.Now()
	return true
}

// save writes the file as a whole or not at all. Failing is no error: the next
// process is slower, that is all.
func (c *cacheStore) save(data []byte) {
	if c.path == "" || len(data) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	header := binary.LittleEndian.AppendUint64(append([]byte(nil), c.prefix[:]...), uint64(len(data)))
	sum := cacheSum(header, data)
	if sum == c.sum {
		return
	}
	if os.MkdirAll(filepath.Dir(c.path), 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(c.path), "pipelines-*.tmp")
	if err != nil {
		return
	}
	_, err = f.Write(append(append(header, sum[:]...), data...))
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), c.path)
	}
	if err != nil {
		os.Remove(f.Name())
		return
	}
	c.sum = sum
}
