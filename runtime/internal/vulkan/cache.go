//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// A file of the pipeline cache begins with kgen's header. The driver's data follow the header. The
// header is needed because drivers do not check the data that a program passes to them. kgen does
// not use a file that is damaged, or that another user may have written.
//
// Each program has its own file, named by the path of its main package. A file shared by several
// programs would make their start slower, because all pipelines of a file are read and passed to
// the driver.
//
// Several processes of a program may use its file at the same time. A save writes a new file in the
// same folder and renames it, so that readers see the old file or the new one. A save also adds the
// pipelines that other processes have saved since this process read the file. A save therefore
// locks the folder while it reads, merges and writes. A process that does not get the lock in time
// saves without the lock. If several processes save without the lock, only the file of the last
// process remains. Later processes then compile the lost pipelines again. The operating system
// releases the locks of a killed process. So a temporary file without a lock belongs to a dead
// process, and the next save removes that file.
//
// The header consists of these fields, and the driver's data begin at offset 56.
//
//   - At offset 0, 8 bytes contain cacheMagic.
//   - At offset 8, 4 bytes contain the version of this layout.
//   - At the offsets 12, 16 and 20, 4 bytes each contain vendorID, deviceID and driverVersion.
//   - At offset 24, 16 bytes contain pipelineCacheUUID.
//   - At offset 40, 8 bytes contain the length of the data.
//   - At offset 48, 8 bytes contain the CRC-64 (ECMA) of the fields before offset 48 and of the data.
//
// The checksum detects damage. The owner and the permissions of the file show which users may have
// written it. A checksum of crypto/sha256 would not be better than CRC-64, and its import would add
// 27 packages to every program.
const (
	cacheMagic   = "kgen.vkp"
	cacheVersion = 2
	cacheHeader  = 56

	// cacheLimit is the largest size of a file, in bytes. A save that would exceed this size keeps
	// only the pipelines of its own process.
	cacheLimit = 64 << 20
	// cacheFiles is the largest number of files for all devices, driver versions and programs
	// together. cacheTotal is the largest total size of these files, in bytes. A save removes the
	// oldest files if a limit is exceeded.
	cacheFiles = 128
	cacheTotal = 256 << 20

	// If a file's modification time is older than cacheFresh, a program that uses the file updates
	// the time.
	cacheFresh = 24 * time.Hour

	// cacheQuiet is how long a save waits for further pipelines. The first save of a process does
	// not wait.
	cacheQuiet = 200 * time.Millisecond
	// On file systems without locks, a temporary file older than cacheStale is considered the file
	// of a dead process.
	cacheStale = time.Hour

	cacheTemp = "pipelines-*.tmp"
	cacheName = "pipelines-*.bin"
)

// cachePatience is the longest time that a save waits for another process's lock.
var cachePatience = 500 * time.Millisecond

// cacheStore is the file of the pipeline cache of one device and one program.
type cacheStore struct {
	path   string // path of the file; "" if there is no file
	prefix [40]byte
	limit  int64 // largest size of the file in bytes

	mu       sync.Mutex
	knownSum uint64 // checksum of the newest file whose pipelines are all in the device's own cache
	savedSum uint64 // checksum of the data that were saved last, without data merged from other processes
}

// init chooses the file's path. Without a cache directory, the cache has no file. kgen uses the
// user's cache directory if it is writable. A directory that the environment names must be
// writable.
func (c *cacheStore) init(p *vkx.PhysicalDeviceInfo, program string) error {
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
		if err := checkWritable(dir); err != nil {
			return &hal.EnvironmentError{Name: env.PipelineCache, Err: err}
		}
	}
	copy(c.prefix[:], cacheMagic)
	for i, v := range []uint32{cacheVersion, p.VendorID, p.DeviceID, p.DriverVersion} {
		binary.LittleEndian.PutUint32(c.prefix[8+4*i:], v)
	}
	copy(c.prefix[24:], p.PipelineCacheUUID[:])
	of := crc64.Checksum([]byte(program), cacheTable) >> 16
	c.path = filepath.Join(dir, fmt.Sprintf("pipelines-%04x-%04x-%x-%012x.bin", p.VendorID, p.DeviceID, p.PipelineCacheUUID[:4], of))
	c.limit = cacheLimit
	return nil
}

// programPath returns the path of the program's main package. If the path is not known, as for "go
// run x.go", programPath returns the name of the program's file. The name does not contain the
// file's folder, which is different in each run.
func programPath() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" && info.Path != "command-line-arguments" {
		return info.Path
	}
	path, _ := os.Executable()
	return filepath.Base(path)
}

// checkWritable creates a directory, if it does not exist. checkWritable tests
// whether a file can be created in the directory.
func checkWritable(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, cacheTemp)
	if err != nil {
		return err
	}
	err = f.Close()
	if gone := os.Remove(f.Name()); !errors.Is(gone, fs.ErrNotExist) { // another process may have considered this process dead, and removed the file
		err = errors.Join(err, gone)
	}
	return err
}

// loadFile returns the driver's data from the file. loadFile returns nil if the file is damaged,
// may have been written by another user, or belongs to another driver.
func (c *cacheStore) loadFile() []byte {
	if c.path == "" {
		return nil
	}
	data, sum := c.read()
	if data != nil {
		c.mu.Lock()
		c.knownSum, c.savedSum = sum, sum
		c.mu.Unlock()
		// Update the time of a file in use, so that no save removes it as an old file.
		if info, err := os.Stat(c.path); err == nil && time.Since(info.ModTime()) > cacheFresh {
			now := time.Now()
			_ = os.Chtimes(c.path, now, now) // a failure only means that the file may be removed earlier
		}
	}
	return data
}

func (c *cacheStore) read() (data []byte, sum uint64) {
	f, err := openShared(c.path)
	if err != nil {
		return nil, sum
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() < cacheHeader || info.Size() > c.limit || !isTrusted(f, info) {
		return nil, sum
	}
	file, err := io.ReadAll(io.LimitReader(f, c.limit+1))
	if err != nil || len(file) < cacheHeader || !bytes.Equal(file[:40], c.prefix[:]) {
		return nil, sum
	}
	data = file[cacheHeader:]
	if binary.LittleEndian.Uint64(file[40:]) != uint64(len(data)) {
		return nil, sum
	}
	if sum = cacheSum(file[:48], data); binary.LittleEndian.Uint64(file[48:]) != sum {
		return nil, sum
	}
	return data, sum
}

var cacheTable = crc64.MakeTable(crc64.ECMA)

func cacheSum(header, data []byte) uint64 {
	return crc64.Update(crc64.Checksum(header, cacheTable), cacheTable, data)
}

// saveFile writes the complete file or nothing. If other processes have written the file since this
// process read it, saveFile calls merge, which returns the data of all processes. If merge returns
// nil, saveFile does not change the file. saveFile returns no error, because a failure only makes
// the next process slower.
func (c *cacheStore) saveFile(data []byte, merge func(theirs []byte) []byte) {
	if c.path == "" || len(data) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	own := c.sumOf(data)
	if own == c.savedSum {
		return
	}
	dir := filepath.Dir(c.path)
	if os.MkdirAll(dir, 0o700) != nil {
		return
	}
	unlock := lockDir(dir)
	defer unlock()
	removeDeadFiles(dir)
	theirs, sum := c.read()
	if theirs != nil && sum != c.knownSum && merge != nil {
		both := merge(theirs)
		if both == nil {
			return
		}
		if int64(len(both))+cacheHeader <= c.limit {
			data = both
		}
	}
	if int64(len(data))+cacheHeader > c.limit {
		return
	}
	written := c.sumOf(data)
	if theirs == nil || sum != written {
		if c.replaceFile(dir, data) != nil {
			return
		}
		keepNewest(dir, c.path, cacheFiles, cacheTotal)
	}
	if c.savedSum = own; written == own {
		c.knownSum = own
	}
}

func (c *cacheStore) header(data []byte) []byte {
	return binary.LittleEndian.AppendUint64(append([]byte(nil), c.prefix[:]...), uint64(len(data)))
}

func (c *cacheStore) sumOf(data []byte) uint64 { return cacheSum(c.header(data), data) }

// replaceFile replaces the file by a new file with the data. replaceFile flushes the new file to
// the disk and then renames it. Without the flush, a power failure could leave an empty file in
// place of the old one.
func (c *cacheStore) replaceFile(dir string, data []byte) (err error) {
	f, err := newTempFile(dir)
	if err != nil {
		return err
	}
	defer func() {
		if closed := f.Close(); !errors.Is(closed, fs.ErrClosed) { // renameOver may have closed the file
			err = errors.Join(err, closed)
		}
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	sum := binary.LittleEndian.AppendUint64(nil, c.sumOf(data))
	for _, part := range [][]byte{c.header(data), sum, data} {
		if _, err := f.Write(part); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return renameOver(f, c.path)
}

// newTempFile makes a temporary file that is locked as long as this process lives.
func newTempFile(dir string) (*os.File, error) {
	for range 10 {
		f, err := os.CreateTemp(dir, cacheTemp)
		if err != nil {
			return nil, err
		}
		lockFile(f)
		if _, err := os.Stat(f.Name()); err == nil {
			return f, nil
		}
		f.Close() // another process removed the file before it was locked
	}
	return nil, errors.New("vulkan: temporary files vanish")
}

// lockDir locks a folder against saves of other processes. lockDir returns the function that
// unlocks the folder. If lockDir does not get the lock soon, lockDir returns without the lock.
func lockDir(dir string) (unlock func()) {
	f, err := openLock(dir)
	if err != nil {
		return func() {}
	}
	for end := time.Now().Add(cachePatience); lockFile(f) == errLocked && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	return func() { f.Close() }
}

// removeDeadFiles removes the temporary files of dead processes.
func removeDeadFiles(dir string) {
	list, _ := filepath.Glob(filepath.Join(dir, cacheTemp))
	for _, path := range list {
		f, err := openShared(path)
		if err != nil {
			continue
		}
		switch info, err := f.Stat(); lockFile(f) {
		case nil:
			os.Remove(path)
		case errLocked: // the file belongs to a live process
		default: // the file system has no locks
			if err == nil && time.Since(info.ModTime()) > cacheStale {
				os.Remove(path)
			}
		}
		f.Close()
	}
}

// keepNewest removes the oldest files if there are too many, or if their total size is too large.
// keepNewest never removes the file with the name `path`.
func keepNewest(dir, path string, files int, total int64) {
	type file struct {
		path string
		info fs.FileInfo
	}
	var list []file
	names, _ := filepath.Glob(filepath.Join(dir, cacheName))
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && name != path {
			list = append(list, file{name, info})
		} else if err == nil {
			files, total = files-1, total-info.Size()
		}
	}
	slices.SortFunc(list, func(a, b file) int { // puts the newest files first
		return cmp.Or(b.info.ModTime().Compare(a.info.ModTime()), cmp.Compare(a.path, b.path))
	})
	for _, f := range list {
		if files, total = files-1, total-f.info.Size(); files < 0 || total < 0 {
			os.Remove(f.path)
		}
	}
}

// A saver saves a cache in the background, for programs that never close their device. The saver
// saves the first pipeline immediately. The saver saves later pipelines when no more pipelines have
// been made for a while.
type cacheSaver struct {
	save func()

	mu      sync.Mutex
	unsaved bool // the cache has pipelines that have not been saved
	running bool
	closed  bool
	stop    chan struct{} // closed when the device is closed
	done    chan struct{} // closed when the goroutine has ended; nil if there is no goroutine
}

func (s *cacheSaver) init(save func()) { s.save, s.stop = save, make(chan struct{}) }

// `notify` tells the saver that there is a new pipeline. `notify` does not wait.
func (s *cacheSaver) notify() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unsaved = true
	if s.running || s.closed || s.save == nil {
		return
	}
	s.running, s.done = true, make(chan struct{})
	go s.run(s.done)
}

func (s *cacheSaver) run(done chan struct{}) {
	defer close(done)
	for {
		s.mu.Lock()
		if !s.unsaved || s.closed {
			s.running = false
			s.mu.Unlock()
			return
		}
		s.unsaved = false
		s.mu.Unlock()
		s.save()
		select {
		case <-s.stop:
		case <-time.After(cacheQuiet):
		}
	}
}

// stopSaving ends the saving in the background.
func (s *cacheSaver) stopSaving() {
	s.mu.Lock()
	already := s.closed
	s.closed = true
	done := s.done
	if !already && s.stop != nil {
		close(s.stop)
	}
	s.mu.Unlock()
	if done != nil {
		<-done
	}
}
