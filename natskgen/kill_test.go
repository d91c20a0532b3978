package natskgen

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestKilled: of 1,000 jobs with three worker processes, of which one is killed and started again
// 20 times, each has its result, and none has two.
func TestKilled(t *testing.T) {
	jobs, kills := 1000, 20
	if testing.Short() {
		jobs, kills = 150, 3
	}
	const workers = 3
	size := func(job int) int { // each 25th has objects
		if job%25 == 0 {
			return 140_000
		}
		return 64
	}
	s := startServer(t)
	js, _ := s.connect(t)
	// A job may be delivered once more for each kill.
	c := opened[axpy, []float32](t, js, "killed", AckWait(2*time.Second), Tries(kills+2))
	ctx := within(t)
	var finished atomic.Int64
	var waits sync.WaitGroup
	for i := range jobs {
		sub, err := c.Submit(ctx, newAxpy(i, size(i)), ID(fmt.Sprintf("job-%d", i)))
		if err != nil {
			t.Fatal(err)
		}
		waits.Go(func() {
			got, err := sub.Wait(ctx)
			if err != nil {
				t.Error(err)
			} else if !slices.Equal(got, newAxpy(i, size(i)).want()) {
				t.Errorf("job %d: the result is wrong", i)
			}
			finished.Add(1)
		})
	}
	began := time.Now()
	var procs [workers]*process
	for i := range procs {
		procs[i] = startWorker(t, s.ClientURL(), "killed")
	}
	// The kills are spread over the jobs that finish, as the seed has it.
	random := rand.New(rand.NewPCG(47, 20))
	var at []int
	for range kills {
		at = append(at, random.IntN(jobs*9/10))
	}
	slices.Sort(at)
	for _, after := range at {
		eventually(t, "too few jobs finish", func() (bool, string) {
			have := finished.Load()
			return int(have) >= after || ctx.Err() != nil, fmt.Sprint(have)
		})
		time.Sleep(time.Duration(random.IntN(5000)) * time.Microsecond) // anywhere in a job
		i := random.IntN(workers)
		procs[i].kill()
		procs[i] = startWorker(t, s.ClientURL(), "killed")
	}
	waits.Wait()
	t.Logf("%d jobs, %d kills: %v", jobs, kills, time.Since(began))
	empty(t, c)
	again := 0
	for i := range jobs {
		rec, err := c.find(ctx, fmt.Sprintf("job-%d", i))
		if err != nil || rec == nil {
			t.Fatalf("job %d: the record is %v, %v", i, rec, err)
		}
		if rec.Tries > 1 {
			again++
		}
	}
	t.Logf("%d jobs were finished by a second delivery", again)
	if have, made := records(t, c); have != uint64(jobs) || made != have {
		t.Errorf("%d records, and %d were made", have, made)
	}
	if letters, err := c.DeadLetters(ctx); err != nil || len(letters) > 0 {
		t.Errorf("%d dead letters, %v", len(letters), err)
	}
}

// TestPoints kills a worker at each point of a job's way. The other worker finishes the job, by
// another run only if there is no record yet.
func TestPoints(t *testing.T) {
	s := startServer(t)
	js, _ := s.connect(t)
	for _, c := range []struct {
		point string
		runs  int
	}{{"runs", 1}, {"ran", 2}, {"stored", 2}, {"recorded", 1}, {"acknowledged", 1}} {
		for _, n := range []int{100, 300_000} { // in the message, and as objects
			t.Run(fmt.Sprintf("%s/%d", c.point, n), func(t *testing.T) {
				t.Parallel()
				ctx, dir := within(t), t.TempDir()
				name := fmt.Sprintf("%s-%d", c.point, n)
				client := opened[axpy, []float32](t, js, name, AckWait(time.Second))
				job := newAxpy(n, n)
				sub, err := client.Submit(ctx, job)
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					startWorker(t, s.ClientURL(), name, envPoint+"="+c.point, envDir+"="+dir)
				}
				got, err := sub.Wait(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, job.want()) {
					t.Error("the result is wrong")
				}
				empty(t, client)
				eventually(t, "no worker died", func() (bool, string) {
					_, err := os.Stat(filepath.Join(dir, "died"))
					return err == nil, fmt.Sprint(err)
				})
				text, err := os.ReadFile(filepath.Join(dir, "runs"))
				if runs := strings.Count(string(text), "\n"); err != nil || runs < c.runs || c.runs == 1 && runs != 1 {
					t.Errorf("%d runs, %v; want %d: %s", runs, err, c.runs, text)
				}
				if have, made := records(t, client); have != 1 || made != 1 {
					t.Errorf("%d records, and %d were made", have, made)
				}
				// The job's slices go when it is acknowledged, unless the worker dies just then; a result
				// without a record goes with its retention.
				if c.point == "recorded" || c.point == "ran" || c.point == "runs" {
					eventually(t, "objects are left", func() (bool, string) {
						names := objects(t, client)
						return !slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, ".job.") }), fmt.Sprint(names)
					})
				}
			})
		}
	}
}
