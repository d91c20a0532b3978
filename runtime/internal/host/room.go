package host

import (
	"math"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
)

// A memoryLimit is one of the memory limits of the process.
type memoryLimit struct {
	what     string // name of the limit, for errors
	limit    uint64 // the limit in bytes
	free     uint64 // number of bytes that are still free
	sees     countsWhen
	keptFree uint64 // number of bytes that stay free for threads and the Go heap
}

// countsWhen is the moment at which the memory of a buffer begins to count towards a limit.
type countsWhen uint8

const (
	seesTouched countsWhen = iota // counted when the memory is first written to
	seesMapped                    // counted when the memory is mapped
	seesHeap                      // never counted, because the limit counts only memory of the Go heap
)

// heapGrowth is the address space, in bytes, that the Go heap needs when it grows.
const heapGrowth = 64 << 20

// threadOfC is the number of bytes of address space that a thread of the C library needs. The
// thread has a stack of 8 MiB and an arena of 64 MiB (glibc's HEAP_MAX_SIZE on 64 bits).
const threadOfC = 72 << 20

// threadGrowth returns the number of bytes of address space that future threads may need. Go's
// runtime starts threads at any time, and ends the process if it cannot start one. With cgo, each
// thread has a stack and, after its first malloc, an arena of the C library.
func threadGrowth(limit uint64) uint64 {
	threads := uint64(runtime.GOMAXPROCS(0)) + 2 // two more threads, for the Go runtime's monitor thread and a blocked system call
	return min(threads*uint64(threadAddresses), limit/4)
}

// limitReader reads the limits of the process from files. The field `root` is the root of the
// file system, which is "/" except in tests.
type limitReader struct{ root string }

func (s limitReader) path(name string) string { return filepath.Join(s.root, name) }

func (s limitReader) read(name string) string {
	text, err := os.ReadFile(s.path(name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// readNumber reads a file that holds a number.
func (s limitReader) readNumber(name string) (uint64, bool) {
	n, err := strconv.ParseUint(s.read(name), 10, 64)
	return n, err == nil
}

// allLimits returns all limits of the process.
func (s limitReader) allLimits() []memoryLimit {
	rooms := s.machineLimit()
	rooms = append(rooms, s.cgroupLimits()...)
	if limit, ok := addressLimit(); ok {
		if f := strings.Fields(s.read("/proc/self/statm")); len(f) > 0 {
			if n, err := strconv.ParseUint(f[0], 10, 64); err == nil {
				used := n * uint64(os.Getpagesize())
				free := limit - min(limit, used)
				rooms = append(rooms, memoryLimit{"the address space that the process may have (ulimit -v)", limit, free, seesMapped, heapGrowth + threadGrowth(limit)})
			}
		}
	}
	if limit := metric("/gc/gomemlimit:bytes")[0].Value.Uint64(); limit < math.MaxInt64 {
		rooms = append(rooms, memoryLimit{"GOMEMLIMIT", limit, limit - min(limit, heapUsed()), seesHeap, 0})
	}
	return rooms
}

// machineLimit returns the limit that is set by the machine's memory.
func (s limitReader) machineLimit() []memoryLimit {
	kib := map[string]uint64{}
	for line := range strings.Lines(s.read("/proc/meminfo")) {
		if f := strings.Fields(line); len(f) >= 2 {
			if n, err := strconv.ParseUint(f[1], 10, 54); err == nil {
				kib[strings.TrimSuffix(f[0], ":")] = n << 10
			}
		}
	}
	total, available := kib["MemTotal"], kib["MemAvailable"]
	if total == 0 {
		return nil
	}
	rooms := []memoryLimit{{"the machine", total, available + kib["SwapFree"], seesTouched, 0}}
	if n, ok := s.readNumber("/proc/sys/vm/overcommit_memory"); ok && n == 2 {
		limit := kib["CommitLimit"]
		rooms = append(rooms, memoryLimit{"the machine's CommitLimit", limit, limit - min(limit, kib["Committed_AS"]), seesMapped, heapGrowth})
	}
	return rooms
}

// cgroupLimits returns the limits of the control groups of the process, for both versions of
// control groups.
func (s limitReader) cgroupLimits() (rooms []memoryLimit) {
	for line := range strings.Lines(s.read("/proc/self/cgroup")) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 {
			continue
		}
		v2 := f[0] == "0" && f[1] == ""
		if !v2 && !hasWord(f[1], "memory") {
			continue
		}
		mount, group := s.cgroupMount(v2, f[2])
		if mount == "" {
			continue
		}
		// The limits of the parent groups apply, too.
		for dir := path.Join(mount, group); ; dir = path.Dir(dir) {
			if r, ok := s.cgroupLimit(v2, dir); ok {
				rooms = append(rooms, r)
			}
			if len(dir) <= len(mount) {
				break
			}
		}
	}
	return rooms
}

// cgroupMount returns the directory where the control groups are mounted, and the path of the
// process's group relative to that directory.
func (s limitReader) cgroupMount(v2 bool, group string) (mount, in string) {
	for line := range strings.Lines(s.read("/proc/self/mountinfo")) {
		left, right, _ := strings.Cut(line, " - ")
		f, kind := strings.Fields(left), strings.Fields(right)
		if len(f) < 5 || len(kind) < 3 {
			continue
		}
		if v2 && kind[0] != "cgroup2" || !v2 && (kind[0] != "cgroup" || !hasWord(kind[2], "memory")) {
			continue
		}
		root := strings.TrimSuffix(f[3], "/") // group at the root of the mount, such as the group of the container
		if in, ok := strings.CutPrefix(group, root); ok && (in == "" || in[0] == '/') && !strings.Contains(in, "..") {
			return f[4], in
		}
		return f[4], ""
	}
	return "", ""
}

func hasWord(list, word string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if w == word {
			return true
		}
	}
	return false
}

// cgroupLimit returns the limit of one control group. The group's file cache counts as free,
// because the system drops the cache before it ends a process.
func (s limitReader) cgroupLimit(v2 bool, dir string) (memoryLimit, bool) {
	names := [...]string{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file", "total_active_file"}
	if v2 {
		names = [...]string{"memory.max", "memory.current", "inactive_file", "active_file"}
	}
	limit, ok := s.readNumber(path.Join(dir, names[0]))
	if high, has := s.readNumber(path.Join(dir, "memory.high")); v2 && has && (!ok || high < limit) {
		limit, ok = high, true // the system slows a group that uses more than memory.high, until its processes hardly run
	}
	used, has := s.readNumber(path.Join(dir, names[1]))
	if !ok || !has || limit >= 1<<62 {
		return memoryLimit{}, false
	}
	for line := range strings.Lines(s.read(path.Join(dir, "memory.stat"))) {
		if f := strings.Fields(line); len(f) == 2 && (f[0] == names[2] || f[0] == names[3] || f[0] == "slab_reclaimable") {
			n, _ := strconv.ParseUint(f[1], 10, 64)
			used -= min(used, n)
		}
	}
	return memoryLimit{"the control group " + dir, limit, limit - min(limit, used), seesTouched, 0}, true
}

// heapUsed returns the number of bytes that Go's runtime got from the system and uses.
func heapUsed() uint64 {
	s := metric("/memory/classes/total:bytes", heapFreeName, heapReleasedName)
	return s[0].Value.Uint64() - s[1].Value.Uint64() - s[2].Value.Uint64()
}

// heapFree returns the sizes, in bytes, of two parts of Go's heap. The result `free` is the number
// of bytes that Go's runtime got from the system and does not use. The result `released` is the
// number of bytes that Go's runtime returned to the system without giving up their addresses.
func heapFree() (free, released uint64) {
	s := metric(heapFreeName, heapReleasedName)
	return s[0].Value.Uint64(), s[1].Value.Uint64()
}

const (
	heapFreeName     = "/memory/classes/heap/free:bytes"
	heapReleasedName = "/memory/classes/heap/released:bytes"
)

func metric(names ...string) []metrics.Sample {
	s := make([]metrics.Sample, len(names))
	for i, name := range names {
		s[i].Name = name
	}
	metrics.Read(s)
	return s
}
