package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/textproto"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/codegen"
	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

func TestView(t *testing.T) {
	taken, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, test := range []struct {
		name           string
		args           []string
		code           int
		stdout, stderr string
	}{
		{"help", []string{"view", "-h"}, 0, "-http address", ""},
		{"to standard output", []string{"-C", "../..", "view", "-o", "-", "./examples/quickstart/saxpy"}, 0, "<!doctype html>\n", ""},
		{"-C of its own", []string{"view", "-C", "../..", "-o", "-", "./examples/quickstart/saxpy"}, 0, "<!doctype html>\n", ""},
		{"kernels with mistakes", []string{"-C", "../../codegen/check/testdata", "view", "-o", "-", "./reject"}, 1, "<!doctype html>\n", "kgen explain KG102"},
		{"no kernels", []string{"view", "-o", "-", "."}, 1, "", "KG006"},
		{"no page", []string{"view", "-o", "-", "."}, 1, "", "no kernel to show"},
		{"no such package", []string{"view", "-o", "-", "./nope"}, 1, "", "nope: directory not found"},
		{"no such folder", []string{"-C", "/nonexistent", "view", "-o", "-"}, 1, "", "the folder /nonexistent: no such file or directory"},
		{"no folder for the page", []string{"view", "-o", "nope/x.html", "."}, 1, "", "there is no folder nope; make it first"},
		{"a folder as the page", []string{"-C", "../..", "view", "-o", "docs", "./examples/quickstart/saxpy"}, 1, "", "is a directory"},
		{"unknown flag", []string{"view", "-nope"}, 2, "", "kgen view has no flag -nope; kgen view -h says"},
		{"a flag behind", []string{"view", ".", "-o", "x"}, 2, "", "the flag -o stands behind .; flags of kgen view come before it"},
		{"a flag ahead", []string{"-check", "view", "."}, 2, "", "-check means nothing to kgen view"},
		{"a flag of kgen's", []string{"view", "-strict", "."}, 2, "", "-strict means nothing to kgen view"},
		{"file and server", []string{"view", "-o", "x", "-http", "localhost:0", "."}, 2, "", "-o and -http exclude each other"},
		{"port in use", []string{"view", "-http", taken.Addr().String(), "."}, 1, "", "address already in use; -http localhost:0 takes a port that is free"},
		{"no port", []string{"view", "-http", "localhost", "."}, 1, "", "missing port"},
		{"nothing to serve", []string{"view", "-http", "localhost:0", "."}, 1, "", "no kernel to show"},
	} {
		if slices.Contains(test.args, "-C") && !sample.Has(test.name, 5) { // which load packages
			continue
		}
		var stdout, stderr bytes.Buffer
		code := runCommand(t.Context(), test.args, &stdout, &stderr)
		if code != test.code || !strings.HasPrefix(stdout.String(), test.stdout) && !strings.Contains(stdout.String()[:min(stdout.Len(), 2000)], test.stdout) || test.stdout == "" && stdout.Len() > 0 || !strings.Contains(stderr.String(), test.stderr) {
			t.Errorf("%s: status %d, stdout %.200q, stderr %q", test.name, code, &stdout, &stderr)
		}
	}
	name := filepath.Join(need.Dir(t), "x.html")
	var stderr bytes.Buffer
	if code := runCommand(t.Context(), []string{"-C", "../..", "view", "-o", name, "./examples/quickstart/saxpy"}, io.Discard, &stderr); code != 0 || stderr.String() != "wrote "+name+": 1 kernel\n" {
		t.Errorf("status %d: %s", code, &stderr)
	}
	if page, err := os.ReadFile(name); err != nil || !bytes.HasSuffix(page, []byte("</html>\n")) {
		t.Error(len(page), err)
	}
}

// TestViewServe serves a page, asks for it, and ends.
func TestViewServe(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r, w := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- runCommand(ctx, []string{"-C", "../..", "view", "-http", "localhost:0", "./examples/quickstart/saxpy"}, io.Discard, w)
		w.Close()
	}()
	line := make([]byte, 200)
	n, err := r.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, r)
	_, rest, ok := strings.Cut(string(line[:n]), "1 kernel at ")
	url, _, _ := strings.Cut(rest, ";")
	if !ok {
		t.Fatalf("it says %q", line[:n])
	}
	for path, want := range map[string]int{"": 200, "other": 404} {
		host, ok := strings.CutPrefix(strings.TrimSuffix(url, "/"), "http://")
		client, err := net.Dial("tcp", host)
		if err != nil || !ok {
			t.Fatal(url, err)
		}
		io.WriteString(client, "GET /"+path+" HTTP/1.1\r\nHost: "+host+"\r\n\r\n")
		answer, page, err := read(client)
		client.Close()
		if err != nil || answer.StatusCode != want || want == 200 && !bytes.HasPrefix(page, []byte("<!doctype html>")) {
			t.Errorf("%s: %v, %v, %.100s", path, answer.Status, err, page)
		}
	}
	stop()
	if c := <-code; c != 0 {
		t.Errorf("the status is %d", c)
	}
}

// answer is the head of an answer (RFC 9112). Package net/http, which would read it, is not imported:
// compiling it takes longer than all tests here.
type answer struct {
	Status        string
	StatusCode    int
	Header        textproto.MIMEHeader
	ContentLength int64
	Close         bool
}

// read reads an answer, whose connection the server closes after it.
func read(conn io.Reader) (a answer, page []byte, err error) {
	r := bufio.NewReader(conn)
	head := textproto.NewReader(r)
	line, err := head.ReadLine()
	if err != nil {
		return a, nil, err
	}
	version, status, _ := strings.Cut(line, " ")
	if a.Status = status; version != "HTTP/1.1" || len(status) < 4 || status[3] != ' ' {
		return a, nil, errors.New("the status line is " + line)
	}
	if a.StatusCode, err = strconv.Atoi(status[:3]); err != nil {
		return a, nil, err
	}
	if a.Header, err = head.ReadMIMEHeader(); err != nil {
		return a, nil, err
	}
	if a.ContentLength, err = strconv.ParseInt(a.Header.Get("Content-Length"), 10, 64); err != nil {
		return a, nil, err
	}
	a.Close = a.Header.Get("Connection") == "close"
	page, err = io.ReadAll(r)
	return a, page, err
}

// ask returns the answer to a request.
func ask(t *testing.T, v *pageMaker, request string) (answer, []byte) {
	t.Helper()
	client, server := net.Pipe()
	defer client.Close()
	done := make(chan struct{})
	go func() {
		v.handleConn(t.Context(), server)
		server.Close()
		close(done)
	}()
	io.WriteString(client, request) // all of it, or as much as the server reads
	method, _, _ := strings.Cut(request, " ")
	answer, page, err := read(client)
	if err != nil {
		t.Fatalf("%.40q: %v", request, err)
	}
	if method != "HEAD" && int64(len(page)) != answer.ContentLength {
		t.Errorf("%.40q: Content-Length %d, and %d bytes", request, answer.ContentLength, len(page))
	}
	<-done
	return answer, page
}

// TestViewRequests has requests of browsers, and others.
func TestViewRequests(t *testing.T) {
	v := &pageMaker{text: []byte("<!doctype html>x")}
	for request, want := range map[string]struct {
		status int
		page   string
	}{
		"GET / HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n": {200, "<!doctype html>x"},
		"GET /?a=b HTTP/1.0\n\n":                       {200, "<!doctype html>x"},
		"HEAD / HTTP/1.1\r\n\r\n":                      {200, ""},
		"GET /favicon.ico HTTP/1.1\r\n\r\n":            {404, "kgen: the only page is /\n"},
		"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n": {405, "kgen: the page can only be read\n"},
		"GET /\r\n":          {400, "kgen: this is no request for a page\n"},
		"\x16\x03\x01\x00\n": {400, "kgen: this is no request for a page\n"},
		"GET / HTTP/1.1\r\n" + strings.Repeat("x", 64<<10-len("GET / HTTP/1.1\r\n")): {400, "kgen: this is no request for a page\n"},
	} {
		answer, page := ask(t, v, request)
		if answer.StatusCode != want.status || string(page) != want.page || !answer.Close {
			t.Errorf("%.40q: %s, %q; want %d, %q", request, answer.Status, page, want.status, want.page)
		}
		if length := answer.ContentLength; want.status == 200 && length != int64(len(v.text)) {
			t.Errorf("%.40q: Content-Length %d, want %d", request, length, len(v.text))
		}
		if want.status == 200 && (answer.Header.Get("Content-Type") != "text/html; charset=utf-8" || answer.Header.Get("Cache-Control") != "no-store") {
			t.Errorf("%.40q: %v", request, answer.Header)
		}
	}
	v = &pageMaker{fault: errors.New("why")}
	if answer, text := ask(t, v, "GET / HTTP/1.1\r\n\r\n"); answer.StatusCode != 500 || string(text) != "kgen: why\n" {
		t.Errorf("%s, %q", answer.Status, text)
	}
}

// TestViewChanged: the page is made anew when a source has changed, also when it is wrong then.
func TestViewChanged(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := need.Dir(t)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "go.mod" {
			text = bytes.Replace(text, []byte("module github.com/kgen-go/kgen\n"), []byte("module example.com/k\n\nrequire github.com/kgen-go/kgen v0.0.0\n\nreplace github.com/kgen-go/kgen => "+root+"\n"), 1)
		}
		write(name, string(text))
	}
	const kernel = "package k\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\ntype One struct{ X []int32 }\n\nfunc (k One) Kernel(it dsl.Item1) { k.X[it.GlobalID()] = 1 }\n"
	write("k.go", kernel)
	var stderr bytes.Buffer
	v := &pageMaker{cfg: codegen.Config{Dir: dir}, stderr: &stderr}
	if code := v.makePage(t.Context()); code != 0 || v.text == nil {
		t.Fatal(code, &stderr)
	}
	get := func(want string) []byte {
		t.Helper()
		answer, page := ask(t, v, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if answer.StatusCode != 200 || !bytes.Contains(page, []byte(want)) {
			t.Errorf("%s: the page has no %s; %s", answer.Status, want, &stderr)
		}
		return page
	}
	first := get(`"name":"One"`)
	made := &v.text[0]
	if again := get(`"name":"One"`); &v.text[0] != made || !bytes.Equal(first, again) {
		t.Error("it is made again, and nothing has changed")
	}
	write("k.go", strings.ReplaceAll(kernel, "One", "Another"))
	get(`"name":"Another"`)
	write("k.go", strings.Replace(kernel, "= 1", "= nothing", 1))
	get(`"failed":true`)
	write("k.go", kernel)
	if err := os.Chtimes(filepath.Join(dir, "k.go"), time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	get(`"name":"One"`)
}
