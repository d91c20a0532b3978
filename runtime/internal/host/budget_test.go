package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// files makes a file system that tells of limits.
func files(t *testing.T, texts map[string]string) limitReader {
	t.Helper()
	s := limitReader{t.TempDir()}
	for name, text := range texts {
		if err := os.MkdirAll(filepath.Dir(s.path(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(s.path(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

const (
	meminfo = "MemTotal:  1000 kB\nMemFree:  100 kB\nMemAvailable:  700 kB\nSwapTotal: 50 kB\nSwapFree:  20 kB\nCommitLimit: 900 kB\nCommitted_AS: 850 kB\n"
	v1Mount = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n32 31 0:29 / /cg/cpu rw,relatime - cgroup cgroup rw,cpu\n35 31 0:32 %s /cg/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n"
	v2Mount = "41 31 0:38 %s /cg rw,relatime - cgroup2 cgroup2 rw\n"
)

// TestRooms: limits are found where the kernel's documentation says that they are
// (cgroup-v2, cgroup-v1/memory, proc_meminfo, overcommit-accounting).
func TestRooms(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"nothing", nil, ""},
		{"a machine", map[string]string{"proc/meminfo": meminfo}, "the machine 1000 720;"},
		{"strict accounting", map[string]string{"proc/meminfo": meminfo, "proc/sys/vm/overcommit_memory": "2\n"}, "the machine 1000 720;the machine's CommitLimit 900 50;"},
		{"another way of accounting", map[string]string{"proc/meminfo": meminfo, "proc/sys/vm/overcommit_memory": "0\n"}, "the machine 1000 720;"},
		{"version 2, nested", map[string]string{
			"proc/self/cgroup": "0::/a/b\n", "proc/self/mountinfo": fmt.Sprintf(v2Mount, "/"),
			"cg/a/b/memory.max": "max\n", "cg/a/b/memory.current": "1024\n",
			"cg/a/memory.max": "409600\n", "cg/a/memory.current": "204800\n",
			"cg/a/memory.stat": "anon 1024\ninactive_file 1024\nactive_file 2048\nslab_reclaimable 1024\nshmem 9999\n",
		}, "the control group /cg/a 400 204;"},
		{"version 2, in a container", map[string]string{
			"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": fmt.Sprintf(v2Mount, "/"),
			"cg/memory.max": "409600\n", "cg/memory.current": "500000\n",
		}, "the control group /cg 400 0;"},
		{"version 2, beside the container", map[string]string{
			"proc/self/cgroup": "0::/../other\n", "proc/self/mountinfo": fmt.Sprintf(v2Mount, "/"),
			"cg/memory.max": "409600\n", "cg/memory.current": "0\n",
		}, "the control group /cg 400 400;"},
		{"version 2, slowed down", map[string]string{
			"proc/self/cgroup": "0::/a\n", "proc/self/mountinfo": fmt.Sprintf(v2Mount, "/"),
			"cg/a/memory.max": "409600\n", "cg/a/memory.high": "307200\n", "cg/a/memory.current": "204800\n",
		}, "the control group /cg/a 300 100;"},
		{"version 1", map[string]string{
			"proc/self/cgroup": "9:cpu:/x\n4:hugetlb,memory:/a\n0::/\n", "proc/self/mountinfo": fmt.Sprintf(v1Mount, "/"),
			"cg/memory/memory.limit_in_bytes": "9223372036854771712\n", "cg/memory/memory.usage_in_bytes": "5\n",
			"cg/memory/a/memory.limit_in_bytes": "409600\n", "cg/memory/a/memory.usage_in_bytes": "102400\n",
			"cg/memory/a/memory.stat": "inactive_file 999999\ntotal_inactive_file 10240\ntotal_active_file 10240\n",
		}, "the control group /cg/memory/a 400 320;"},
		{"version 1, in a container that sees the host's paths", map[string]string{
			"proc/self/cgroup": "4:memory:/docker/1\n", "proc/self/mountinfo": fmt.Sprintf(v1Mount, "/docker/1"),
			"cg/memory/memory.limit_in_bytes": "409600\n", "cg/memory/memory.usage_in_bytes": "0\n",
		}, "the control group /cg/memory 400 400;"},
		{"not mounted", map[string]string{"proc/self/cgroup": "4:memory:/a\n"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := files(t, c.files)
			got := ""
			for _, r := range append(s.machineLimit(), s.cgroupLimits()...) {
				got += fmt.Sprintf("%s %d %d;", r.what, r.limit>>10, r.free>>10)
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// limited returns a device that may have so many bytes, in a group that does not see what
// becomes of them, as if nothing were ever written to.
func limited(t *testing.T, limit int) *device {
	d := open(t)
	d.budget = &memoryBudget{system: files(t, map[string]string{
		"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": fmt.Sprintf(v2Mount, "/"),
		"cg/memory.max": fmt.Sprint(limit), "cg/memory.current": "0\n",
	})}
	return d
}

// TestBudget: buffers count from when they are given, and until they are freed or their
// device is closed.
func TestBudget(t *testing.T) {
	if !canMap {
		t.Skip("Go's heap is not the budget's to look at")
	}
	const limit, size = 200 << 20, 10 << 20
	d := limited(t, limit)
	fill := func(d *device) (list []hal.Memory) {
		for {
			m, err := d.Alloc(size, hal.DeviceMemory)
			if err != nil {
				if !errors.Is(err, hal.ErrOutOfMemory) {
					t.Fatal(err)
				}
				return list
			}
			if list = append(list, m); len(list) > limit/size {
				t.Fatalf("%d buffers of %d bytes were given, of %d", len(list), size, limit)
			}
		}
	}
	list := fill(d)
	n := len(list)
	if total := n * size; total > limit || total < limit/2 {
		t.Errorf("%d bytes were given, of %d", total, limit)
	}
	list[3].Free()
	list[3].Free()
	if again := fill(d); len(again) != 1 {
		t.Errorf("after one was freed, %d can be had", len(again))
	}
	// Devices share what there is.
	second := open(t)
	second.budget = d.budget
	if more := fill(second); len(more) != 0 {
		t.Errorf("a second device has %d more", len(more))
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	for _, m := range list {
		m.Free()
	}
	if again := fill(second); len(again) != n {
		t.Errorf("after the device was closed, %d can be had, and at first %d", len(again), n)
	}
}

// TestBudgetTogether: goroutines that allocate at once do not get more than there is.
func TestBudgetTogether(t *testing.T) {
	if !canMap {
		t.Skip("Go's heap is not the budget's to look at")
	}
	const limit = 200 << 20
	d := limited(t, limit)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range limit >> 20 {
				m, err := d.Alloc(3<<20, hal.DeviceMemory)
				if err != nil {
					return
				}
				runtime.Gosched()
				if len(m.Bytes()) != 3<<20 {
					t.Error(len(m.Bytes()))
				}
			}
		})
	}
	wg.Wait()
	var total uint64
	for m := range d.budget.mapped {
		total += m.size
	}
	if total > limit || d.budget.promisedBytes != 0 {
		t.Errorf("%d bytes were given, of %d; %d are on their way", total, limit, d.budget.promisedBytes)
	}
}

// BenchmarkAlloc allocates memory, writes to all of it and frees it.
func BenchmarkAlloc(b *testing.B) {
	d := newDevice()
	defer d.Close()
	for _, size := range []uint64{64, 64 << 10, 1 << 20, 64 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				m, err := d.Alloc(size, hal.DeviceMemory)
				if err != nil {
					b.Fatal(err)
				}
				bytes := m.Bytes()
				for i := 0; i < len(bytes); i += pageSize {
					bytes[i] = 1
				}
				m.Free()
			}
		})
	}
}
