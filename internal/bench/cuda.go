package bench

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

//go:embed cuda/*.cu cuda/*.h
var cudaSources embed.FS

// cudaProgram is the compiled CUDA program, in a temporary folder that method close removes.
type cudaProgram struct {
	dir, path string
	without   []string // names of peers whose libraries are missing
	notes     []string
}

func (p *cudaProgram) close() { _ = os.RemoveAll(p.dir) }

// compileCUDA compiles the CUDA program, and returns the name of the device on which the program runs.
// compileCUDA returns an error if the compiler or a device is missing.
func compileCUDA(ctx context.Context) (p *cudaProgram, device string, err error) {
	nvcc, err := exec.LookPath("nvcc")
	if err != nil {
		nvcc = "/usr/local/cuda/bin/nvcc"
		if _, err := os.Stat(nvcc); err != nil {
			return nil, "", errors.New("there is no nvcc in PATH")
		}
	}
	dir, err := os.MkdirTemp("", "kgenbench-")
	if err != nil {
		return nil, "", err
	}
	p = &cudaProgram{dir: dir, path: filepath.Join(dir, "kgencuda")}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if err := os.CopyFS(dir, cudaSources); err != nil {
		return nil, "", err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	build := func(flags ...string) ([]byte, error) {
		args := []string{"-O3", "-std=c++17", "-arch=native", "-o", p.path, filepath.Join(dir, "cuda", "kgencuda.cu")}
		return exec.CommandContext(ctx, nvcc, append(args, flags...)...).CombinedOutput()
	}
	out, err := build(cudaFlags(nil)...)
	note := firstLine(out)
	for missing := 1; err != nil && missing < 1<<len(cudaLibraries); missing++ {
		var without []string
		for i, l := range cudaLibraries {
			if missing>>i&1 != 0 {
				without = append(without, l.peer)
			}
		}
		if out, err = build(cudaFlags(without)...); err == nil {
			p.without = without
			p.notes = append(p.notes, fmt.Sprintf("the CUDA program is without %s: %s", strings.Join(without, " and "), note))
		}
	}
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w: %s", nvcc, err, firstLine(out))
	}
	out, err = exec.CommandContext(ctx, p.path, "device").Output()
	if err != nil {
		return nil, "", fmt.Errorf("the CUDA program finds no device: %w", err)
	}
	return p, strings.TrimSpace(string(out)), nil
}

// cudaLibraries are the libraries of CUDA that may be missing.
var cudaLibraries = []struct{ peer, library, without string }{
	{"cuSPARSE", "-lcusparse", "-DNO_CUSPARSE"},
	{"cuFFT", "-lcufft", "-DNO_CUFFT"},
	{"cuBLAS", "-lcublas", "-DNO_CUBLAS"},
}

// cudaFlags returns the compiler's flags for a program without some of the peers.
func cudaFlags(without []string) (flags []string) {
	for _, l := range cudaLibraries {
		if slices.Contains(without, l.peer) {
			flags = append(flags, l.without)
		} else {
			flags = append(flags, l.library)
		}
	}
	return flags
}

func firstLine(out []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(out), []byte("\n"))
	return string(line)
}

// cudaRun is a running CUDA program for a row. The program performs one measurement for each line of its
// input. At the end of the input, the program runs once more and writes a checksum.
type cudaRun struct {
	CUDAPeer
	cmd    *exec.Cmd
	cancel context.CancelFunc
	in     io.WriteCloser
	out    *bufio.Reader
	errs   bytes.Buffer
	err    error
}

// cudaLine is a line of the program's output.
type cudaLine struct {
	NS  float64  `json:"ns"`  // average time of a run in the measurement
	Sum *float64 `json:"sum"` // checksum, in the last line
}

// startCUDA starts the program for the peers of a job.
func (b *Bench) startCUDA(row *Row, job *Job) []*cudaRun {
	if b.cuda == nil {
		return nil
	}
	var list []*cudaRun
	for _, peer := range job.CUDA {
		if slices.Contains(b.cuda.without, peer.Name) {
			continue
		}
		ctx, cancel := context.WithTimeout(b.ctx, 2*time.Minute)
		r := &cudaRun{CUDAPeer: peer, cancel: cancel, cmd: exec.CommandContext(ctx, b.cuda.path, peer.Work, fmt.Sprint(row.n), fmt.Sprint(b.Round.Microseconds()))}
		r.cmd.Stderr = &r.errs
		in, err1 := r.cmd.StdinPipe()
		out, err2 := r.cmd.StdoutPipe()
		r.in, r.out = in, bufio.NewReader(out)
		r.err = firstSet(err1, err2, r.cmd.Start())
		if r.err == nil {
			_, r.err = r.line() // the first line tells that the program is ready
		}
		list = append(list, r)
	}
	return list
}

func (r *cudaRun) line() (l cudaLine, err error) {
	text, err := r.out.ReadBytes('\n')
	if err != nil {
		return l, fmt.Errorf("the CUDA program has ended: %w", err)
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return l, fmt.Errorf("the CUDA program says %q", bytes.TrimSpace(text))
	}
	return l, nil
}

// measureTurn makes the program perform one measurement, and returns the time of a run.
func (r *cudaRun) measureTurn() (time.Duration, bool) {
	if r.err == nil {
		_, r.err = io.WriteString(r.in, "\n")
	}
	var l cudaLine
	if r.err == nil {
		l, r.err = r.line()
	}
	return time.Duration(l.NS), r.err == nil
}

// endProgram ends the program and compares the program's checksum with kgen's checksum.
func (r *cudaRun) endProgram(job *Job) error {
	defer r.cancel()
	if r.in == nil || r.cmd.Process == nil {
		return r.err
	}
	_ = r.in.Close()
	var last cudaLine
	if r.err == nil {
		last, r.err = r.line()
	}
	if err := r.cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, firstLine(r.errs.Bytes()))
	}
	if r.err != nil || job.Sum == nil {
		return r.err
	}
	sum, size, err := job.Sum()
	if err == nil && (last.Sum == nil || !(math.Abs(*last.Sum-sum) <= job.Digits*size)) {
		got := "none"
		if last.Sum != nil {
			got = fmt.Sprint(*last.Sum)
		}
		err = fmt.Errorf("its checksum is %s, and kgen's %v", got, sum)
	}
	return err
}

// finishCUDA ends the programs of a row. If a program has failed, the row gets a remark instead of a time
// for the program's peer.
func finishCUDA(row *Row, job *Job, peers []*cudaRun, times [][]time.Duration) {
	for i, r := range peers {
		if err := r.endProgram(job); err != nil {
			row.Failed = append(row.Failed, fmt.Sprintf("%s (%s): %v", r.Name, r.Work, err))
			continue
		}
		row.Times = append(row.Times, timing(r.Name, times[i]))
	}
}
