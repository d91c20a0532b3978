//go:build linux

package runtime_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
)

const memoryChild = "KGEN_TEST_MEMORY" // names the limit that the child has

// TestMemoryLimits: a process that may not have much memory, for one reason or another,
// allocates buffers on the host device until that is an error, and goes on. It is the
// system that ends a process which is wrong about that.
func TestMemoryLimits(t *testing.T) {
	if limit := os.Getenv(memoryChild); limit != "" {
		exhaust(t, limit)
		return
	}
	if raceEnabled {
		t.Skip("the race detector takes memory for memory, which no buffer counts")
	}
	for _, limit := range []string{"GOMEMLIMIT", "ulimit -v", "control group"}[:sample.Of(3, 1)] {
		t.Run(limit, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestMemoryLimits$", "-test.v", "-test.short="+strconv.FormatBool(testing.Short()))
			cmd.Env = append(os.Environ(), memoryChild+"="+limit)
			switch limit {
			case "ulimit -v":
				// The device keeps addresses free for as many threads as there are Ps.
				cmd.Env = append(cmd.Env, "GOMAXPROCS=4")
			case "GOMEMLIMIT":
				cmd.Env = append(cmd.Env, "GOMEMLIMIT=400MiB")
			case "control group":
				cmd.Env = append(cmd.Env, "KGEN_TEST_CGROUP="+newGroup(t, 400<<20))
			}
			out, err := cmd.CombinedOutput()
			if err != nil || !bytes.Contains(out, []byte("it goes on")) {
				t.Fatalf("%v\n%s", err, out[:min(len(out), 4000)])
			}
			for line := range strings.Lines(string(out)) {
				if strings.Contains(line, "_test.go") {
					t.Log(strings.TrimSpace(line))
				}
			}
		})
	}
}

// newGroup makes a control group that may have so much memory, where this process may
// make one.
func newGroup(t *testing.T, limit int) string {
	text, err := os.ReadFile("/proc/self/cgroup")
	check(t, err)
	for line := range strings.Lines(string(text)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		parent, file := "/sys/fs/cgroup"+f[2], "memory.max"
		if f[1] == "memory" {
			parent, file = "/sys/fs/cgroup/memory"+f[2], "memory.limit_in_bytes"
		} else if f[0] != "0" {
			continue
		}
		dir := filepath.Join(parent, fmt.Sprintf("kgen-test-%d", os.Getpid()))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Log(err)
			continue
		}
		t.Cleanup(func() { os.Remove(dir) })
		f1, err := os.OpenFile(filepath.Join(dir, file), os.O_WRONLY, 0)
		if err != nil {
			t.Log(err)
			continue
		}
		defer f1.Close()
		if _, err := f1.WriteString(strconv.Itoa(limit)); err != nil {
			t.Log(err)
			continue
		}
		return dir
	}
	t.Skip("no control group can be made here; package host's TestRooms has made-up ones")
	return ""
}

// exhaust allocates buffers up to the limit, and then goes on with less.
func exhaust(t *testing.T, limit string) {
	most, least := 400<<20, 100<<20
	if limit == "control group" {
		check(t, os.WriteFile(filepath.Join(os.Getenv("KGEN_TEST_CGROUP"), "cgroup.procs"), []byte("0"), 0))
	}
	dev := openHost(t)
	if limit == "ulimit -v" {
		text, err := os.ReadFile("/proc/self/statm")
		check(t, err)
		pages, err := strconv.Atoi(strings.Fields(string(text))[0])
		check(t, err)
		most += 512 << 20 // that threads and the Go heap may take
		l := syscall.Rlimit{Cur: uint64(pages*os.Getpagesize() + most), Max: ^uint64(0)}
		check(t, syscall.Setrlimit(syscall.RLIMIT_AS, &l))
	} else if dev.Info().Limits.MaxAllocation > uint64(most) {
		t.Errorf("MaxAllocation is %d, the process may have %d", dev.Info().Limits.MaxAllocation, most)
	}
	// Small buffers come last, because they are in the Go heap, which keeps its addresses when the buffers are closed.
	for _, size := range []int{20 << 20, 100 << 20, 300 << 10}[:sample.Of(3, 1)] {
		for _, touch := range []bool{true, false} {
			var list []*runtime.Buffer[byte]
			total := 0
			for {
				b, err := runtime.NewBuffer[byte](dev, size)
				if err != nil {
					if !errors.Is(err, runtime.ErrMemoryAllocation) {
						t.Fatal(err)
					}
					t.Logf("%d buffers of %d bytes: %v", len(list), size, err)
					break
				}
				list = append(list, b)
				if total += size; total > most {
					t.Fatalf("%d bytes were given where there are %d", total, most)
				}
				if touch {
					fillBuffer(t, b)
				}
			}
			if total < least {
				t.Errorf("only %d of %d bytes were given", total, most)
			}
			for i, b := range list {
				if !touch && i == 0 { // what is promised is there
					fillBuffer(t, b)
				}
				check(t, b.Close())
			}
		}
	}
	x := []uint32{1, 2, 3}
	l := kernelimpl.NewLaunch(increment)
	kernelimpl.Slice(l, 0, x)
	check(t, l.Run1(ctx, dev, runtime.Range1(len(x)), nil))
	equal(t, "afterwards", x, []uint32{2, 3, 4})
	t.Log("it goes on")
}

// fillBuffer writes to all of a buffer, with little memory of its own.
func fillBuffer(t *testing.T, b *runtime.Buffer[byte]) {
	host := make([]byte, 64<<10)
	for i := 0; i < b.Len(); i += len(host) {
		n := min(len(host), b.Len()-i)
		check(t, b.Slice(i, i+n).CopyFrom(ctx, b.Device().DefaultQueue(), host[:n]))
	}
}

// TestForgottenMemory: buffers that nobody closes are found, though to Go's garbage collector
// they are small.
func TestForgottenMemory(t *testing.T) {
	if raceEnabled {
		t.Skip("memory is Go's")
	}
	dev := openHost(t)
	resident := func() int {
		text, err := os.ReadFile("/proc/self/statm")
		check(t, err)
		pages, err := strconv.Atoi(strings.Fields(string(text))[1])
		check(t, err)
		return pages * os.Getpagesize()
	}
	host := make([]byte, 64<<20)
	before := resident()
	const most = 1 << 30
	for range 40 {
		check(t, must(runtime.NewBuffer[byte](dev, len(host))).CopyFrom(ctx, dev.DefaultQueue(), host))
		waitUntil(t, func() bool { return resident()-before <= most },
			func() string { return fmt.Sprintf("%d bytes are in use", resident()-before) })
	}
}
