//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

var cachePhys = &vkx.PhysicalDeviceInfo{VendorID: 1, DeviceID: 2, DriverVersion: 3, PipelineCacheUUID: [16]byte{4, 5}}

// union stands for the driver's merge: caches are lines here.
func union(a, b []byte) []byte {
	lines := slices.Concat(bytes.Fields(a), bytes.Fields(b))
	slices.SortFunc(lines, bytes.Compare)
	return bytes.Join(slices.CompactFunc(lines, bytes.Equal), []byte("\n"))
}

// TestCacheChild is a process that compiles and saves: KGEN_TEST_CACHE says its name,
// how many pipelines it makes, and how large they are.
func TestCacheChild(t *testing.T) {
	var name string
	var n, size int
	if _, err := fmt.Sscan(os.Getenv("KGEN_TEST_CACHE"), &name, &n, &size); err != nil {
		t.Skip("other tests start it")
	}
	cachePatience = time.Hour // sixteen processes on a loaded machine wait for each other that long
	s := newStore(cachePhys)
	data := s.loadFile()
	fmt.Println("begin")
	for i := range n {
		data = union(data, fmt.Appendf(nil, "%s.%d.%s", name, i, strings.Repeat("x", size)))
		s.saveFile(data, func(theirs []byte) []byte { return union(theirs, data) })
	}
}

func cacheChild(t *testing.T, dir, name string, n, size int) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestCacheChild$")
	cmd.Env = append(os.Environ(), "KGEN_PIPELINE_CACHE="+dir, fmt.Sprintf("KGEN_TEST_CACHE=%s %d %d", name, n, size))
	return cmd
}

// TestCacheProcesses: sixteen processes at once lose nothing that one of them saved.
func TestCacheProcesses(t *testing.T) {
	dir := need.Dir(t)
	t.Setenv("KGEN_PIPELINE_CACHE", dir)
	var all []*exec.Cmd
	for p := range 16 {
		cmd := cacheChild(t, dir, fmt.Sprint("p", p), 5, 100)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	got := bytes.Fields(newStore(cachePhys).loadFile())
	if len(got) != 16*5 {
		t.Errorf("%d of %d pipelines are left", len(got), 16*5)
	}
	wantFiles(t, dir, 1)
}

func wantFiles(t *testing.T, dir string, n int) {
	t.Helper()
	if list, _ := filepath.Glob(filepath.Join(dir, "pipelines*")); len(list) != n {
		t.Errorf("%d files, want %d: %v", len(list), n, list)
	}
}

// TestCacheKilled kills processes while they save: the file is always whole, and the
// next save removes what they left.
func TestCacheKilled(t *testing.T) {
	dir := need.Dir(t)
	t.Setenv("KGEN_PIPELINE_CACHE", dir)
	rng := rand.New(rand.NewPCG(1, 2))
	left := 0
	for i := range 24 {
		cmd := cacheChild(t, dir, fmt.Sprint("k", i), 1<<20, 1<<20)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		out.Read(make([]byte, 5)) // it has begun
		time.Sleep(time.Duration(rng.IntN(40)) * time.Millisecond)
		cmd.Process.Signal(syscall.SIGKILL)
		cmd.Wait()
		list, _ := filepath.Glob(filepath.Join(dir, cacheTemp))
		left += len(list)
		s := newStore(cachePhys)
		if files, _ := filepath.Glob(filepath.Join(dir, cacheName)); len(files) > 0 && s.loadFile() == nil {
			t.Fatalf("kill %d: a torn file", i)
		}
		os.Remove(s.path) // it grows by what each process made
	}
	newStore(cachePhys).saveFile([]byte("clean"), nil)
	wantFiles(t, dir, 1)
	if got := newStore(cachePhys).loadFile(); string(got) != "clean" {
		t.Errorf("loaded %d bytes", len(got))
	}
	t.Logf("killed processes left %d temporary files", left)
}

// TestCacheSwept: the temporary file of a process that is killed goes with the next
// save; that of one which writes does not.
func TestCacheSwept(t *testing.T) {
	dir := need.Dir(t)
	t.Setenv("KGEN_PIPELINE_CACHE", dir)
	dead := filepath.Join(dir, "pipelines-123.tmp")
	if err := os.WriteFile(dead, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	live, err := newTempFile(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	newStore(cachePhys).saveFile([]byte("data"), nil)
	if _, err := os.Stat(dead); err == nil {
		t.Error("the file of a dead process is left")
	}
	if _, err := os.Stat(live.Name()); err != nil {
		t.Error("the file of a process that writes was removed")
	}
}

// TestCacheLimits: files and their number are bounded, and a file that others may
// have written is not read.
func TestCacheLimits(t *testing.T) {
	dir := need.Dir(t)
	t.Setenv("KGEN_PIPELINE_CACHE", dir)
	merge := func(theirs []byte) []byte { return append(theirs, make([]byte, 80)...) }
	s := newStore(cachePhys)
	s.limit = cacheHeader + 100
	s.saveFile(make([]byte, 90), merge)
	other := newStore(cachePhys)
	other.limit = s.limit
	own := bytes.Repeat([]byte("o"), 80)
	other.saveFile(own, merge) // together they would be 170 bytes
	if got := newStore(cachePhys).loadFile(); !bytes.Equal(got, own) {
		t.Errorf("the file did not start anew: %d bytes", len(got))
	}
	other.saveFile(make([]byte, 101), nil)
	if got := newStore(cachePhys).loadFile(); !bytes.Equal(got, own) {
		t.Errorf("data above the limit were written: %d bytes", len(got))
	}
	if runtime.GOOS != "windows" { // which has no such permissions
		if err := os.Chmod(s.path, 0o666); err != nil {
			t.Fatal(err)
		}
		if newStore(cachePhys).loadFile() != nil {
			t.Error("a file that anybody may write was read")
		}
	}
	for i := range cacheFiles + 5 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("pipelines-%d.bin", i)), []byte("data"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	phys := *cachePhys
	phys.DeviceID = 100
	newStore(&phys).saveFile([]byte("data"), nil)
	wantFiles(t, dir, cacheFiles)
}

// TestCachePrograms: each program reads the pipelines that it has compiled, and no others.
func TestCachePrograms(t *testing.T) {
	dir := need.Dir(t)
	t.Setenv("KGEN_PIPELINE_CACHE", dir)
	one, two := storeOf(cachePhys, "example.com/one"), storeOf(cachePhys, "example.com/two")
	one.saveFile([]byte("one's"), nil)
	if got := two.loadFile(); got != nil {
		t.Errorf("another program's pipelines were read: %q", got)
	}
	two.saveFile([]byte("two's"), nil)
	if got := storeOf(cachePhys, "example.com/one").loadFile(); string(got) != "one's" {
		t.Errorf("the program's own pipelines are %q", got)
	}
	wantFiles(t, dir, 2)
	old := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(one.path, old, old); err != nil {
		t.Fatal(err)
	}
	storeOf(cachePhys, "example.com/one").loadFile()
	if info, err := os.Stat(one.path); err != nil || time.Since(info.ModTime()) > time.Hour {
		t.Errorf("a file that was read looks old: %v %v", info.ModTime(), err)
	}
	if path := programPath(); !strings.HasSuffix(path, "runtime/internal/vulkan.test") {
		t.Errorf("the path of this program is %q", path)
	}
}

// TestCacheTotal: the oldest files go where all have too many bytes, but not the one just written.
func TestCacheTotal(t *testing.T) {
	dir := need.Dir(t)
	var paths []string
	for i := range 5 {
		path := filepath.Join(dir, fmt.Sprintf("pipelines-%d.bin", i))
		if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
		when := time.Now().Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	keepNewest(dir, paths[0], 10, 320)
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); !slices.Equal(left, []string{paths[0], paths[3], paths[4]}) {
		t.Errorf("left are %v", left)
	}
	keepNewest(dir, paths[0], 2, 1000)
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); !slices.Equal(left, []string{paths[0], paths[4]}) {
		t.Errorf("left are %v", left)
	}
}

// TestCacheLock: a process that holds the lock and does not go on delays no other for
// long.
func TestCacheLock(t *testing.T) {
	dir := need.Dir(t)
	t.Setenv("KGEN_PIPELINE_CACHE", dir)
	defer lockDir(dir)()
	newStore(cachePhys).saveFile([]byte("data"), nil)
	if newStore(cachePhys).loadFile() == nil {
		t.Error("nothing was saved")
	}
}

// TestCacheUnclosedChild makes a pipeline and ends without closing its device.
func TestCacheUnclosedChild(t *testing.T) {
	if os.Getenv("KGEN_TEST_UNCLOSED") == "" {
		t.Skip("TestCacheUnclosed starts it")
	}
	increment(t, open(t))
	files := filepath.Join(os.Getenv("KGEN_PIPELINE_CACHE"), cacheName)
	for range 6000 { // the test's time is up before
		if list, _ := filepath.Glob(files); len(list) > 0 {
			os.Exit(0)
		}
		time.Sleep(5 * time.Millisecond)
	}
	os.Exit(1)
}

// TestCacheUnclosed: what a program compiled is saved though it never closes its
// device.
func TestCacheUnclosed(t *testing.T) {
	devices(t)
	dir := need.Dir(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestCacheUnclosedChild$")
	cmd.Env = append(os.Environ(), "KGEN_PIPELINE_CACHE="+dir, "KGEN_TEST_UNCLOSED=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("nothing was saved: %v\n%s", err, out)
	}
	wantFiles(t, dir, 1)
}

// TestSaver: saves run one at a time, take in what is made meanwhile, and none runs
// after close.
func TestSaver(t *testing.T) {
	var s cacheSaver
	begun, proceed := make(chan int, 100), make(chan struct{})
	n := 0
	s.init(func() { n++; begun <- n; <-proceed })
	s.notify()
	<-begun
	s.notify() // while the first save runs
	proceed <- struct{}{}
	<-begun
	closed := make(chan struct{})
	go func() { s.stopSaving(); close(closed) }()
	close(proceed)
	<-closed
	s.notify()
	if n != 2 || s.running {
		t.Errorf("%d saves, running: %v", n, s.running)
	}
	s.stopSaving()
}
