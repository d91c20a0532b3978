package bench

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// measureJob measures the contestants of a job in turns.
func (b *Bench) measureJob(row *Row, job *Job) error {
	list := slices.DeleteFunc(job.Contestants, func(c Contestant) bool {
		return c.Name != kgen && !b.wantsPeer(c.Name)
	})
	runs := make([]int, len(list))
	for i, c := range list {
		if err := verifyRun(c); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		n, err := b.runCount(job, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		runs[i] = n
	}
	peers := b.startCUDA(row, job)
	times := make([][]time.Duration, len(list)+len(peers))
	if err := b.warmUp(list[0]); err != nil {
		return err
	}
	if job.Measured != nil {
		job.Measured() // discards the times of earlier launches
	}
	begin := time.Now()
	for round := range b.Rounds {
		if round >= 3 && time.Since(begin) > 100*b.Round { // stops early on a slow device
			break
		}
		for i, c := range list {
			if c.Reset != nil && round == 0 {
				if err := c.Reset(); err != nil {
					return err
				}
			}
			start := time.Now()
			if err := c.Run(runs[i]); err != nil {
				return fmt.Errorf("%s: %w", c.Name, err)
			}
			took := time.Since(start) / time.Duration(runs[i])
			if job.Measured != nil {
				took, row.Remark = job.Measured()
			}
			times[i] = append(times[i], took)
		}
		for i, p := range peers {
			if d, ok := p.measureTurn(); ok {
				times[len(list)+i] = append(times[len(list)+i], d)
			}
		}
	}
	for i, c := range slices.Backward(list) { // kgen runs last, so that the checksum belongs to kgen's results
		row.Times = append(row.Times, timing(c.Name, times[i]))
		if err := verifyRun(c); err != nil {
			return fmt.Errorf("%s, after %d rounds: %w", c.Name, len(times[i]), err)
		}
	}
	slices.Reverse(row.Times)
	finishCUDA(row, job, peers, times[len(list):])
	return nil
}

// warmUp keeps a GPU busy until the GPU runs at its full clock. Without warmUp, the clock would be low, because the GPU
// was idle while the host generated the data. An H200 needs up to 0.4 s of work to reach its full
// clock. After only 0.2 s of work, the first measurements of some rows took up to twice as long as
// later measurements. Rows with CUDA peers do not need warmUp, because CUDA peers generate their
// data on the GPU.
func (b *Bench) warmUp(c Contestant) error {
	if b.cpu || b.Round == 0 {
		return nil
	}
	for begin := time.Now(); time.Since(begin) < 25*b.Round; {
		if err := c.Run(1); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	return nil
}

// verifyRun runs a contestant once, and checks its results.
func verifyRun(c Contestant) error {
	if c.Reset != nil {
		if err := c.Reset(); err != nil {
			return err
		}
	}
	if err := c.Run(1); err != nil {
		return err
	}
	if c.Check == nil {
		return nil
	}
	return c.Check()
}

// runCount returns how many runs of a contestant fill the duration of one measurement.
func (b *Bench) runCount(job *Job, c Contestant) (int, error) {
	if job.Runs > 0 || b.Round == 0 {
		return max(job.Runs, 1), nil
	}
	n := 1
	for {
		start := time.Now()
		if err := c.Run(n); err != nil {
			return 0, err
		}
		took := time.Since(start)
		if took >= b.Round/2 || n >= 1<<16 {
			return max(1, int(math.Round(float64(n)*min(2, float64(b.Round)/float64(took))))), nil
		}
		n = min(4*n, 1+int(float64(n)*float64(b.Round)/float64(max(took, 1))))
	}
}

func timing(name string, list []time.Duration) Timing {
	sorted := slices.Sorted(slices.Values(list))
	if len(sorted) == 0 {
		return Timing{Peer: name}
	}
	at := func(part float64) float64 { return sorted[int(part*float64(len(sorted)-1)+0.5)].Seconds() }
	return Timing{Peer: name, Median: at(0.5), P10: at(0.1), P90: at(0.9), Rounds: len(sorted)}
}

// weightedSum adds up about a million of the elements, with weights from 1 to 8. The CUDA program computes the
// same checksum. The result `size` is the checksum of the absolute values.
func weightedSum[T cmp.Ordered](s []T, value func(T) float64) (sum, size float64) {
	step := len(s)/(1<<20) | 1
	for i := 0; i < len(s); i += step {
		v := value(s[i]) * float64(1+i/step%8)
		sum, size = sum+v, size+math.Abs(v)
	}
	return sum, size
}
