package lsp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// editor is the other end of a server. It reads whatever comes at once, as editors do: the
// server may have diagnostics to send while the editor writes.
type editor struct {
	t   *testing.T
	to  io.Writer
	got chan reply
	end chan error
}

func newEditor(t *testing.T) *editor {
	toServer, fromEditor := io.Pipe()
	toEditor, fromServer := io.Pipe()
	e := &editor{t, fromEditor, make(chan reply, 1000), make(chan error, 1)}
	go func() {
		err := Serve(toServer, fromServer, time.Millisecond)
		fromServer.Close()
		e.end <- err
	}()
	go func() {
		defer close(e.got)
		buf := bufio.NewReader(toEditor)
		for {
			r, err := readReply(buf)
			if err == io.EOF {
				return
			}
			if err != nil {
				r.Params.Message = err.Error()
			}
			e.got <- r
		}
	}()
	t.Cleanup(func() { fromEditor.Close() })
	return e
}

func (e *editor) send(id int, method string, params any) {
	e.t.Helper()
	m := map[string]any{"jsonrpc": "2.0", "method": method, "params": params}
	if id > 0 {
		m["id"] = id
	}
	text, err := json.Marshal(m)
	if err == nil {
		_, err = fmt.Fprintf(e.to, "Content-Length: %d\r\n\r\n%s", len(text), text)
	}
	if err != nil {
		e.t.Fatal(err)
	}
}

// reply is a message from the server.
type reply struct {
	ID     int
	Method string
	Result struct{ Capabilities map[string]any }
	Error  *struct{ Code int }
	Params struct {
		URI         string
		Diagnostics []lspDiagnostic
		Message     string
	}
}

func readReply(buf *bufio.Reader) (r reply, err error) {
	header, err := textproto.NewReader(buf).ReadMIMEHeader()
	if err != nil {
		return r, err
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return r, err
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(buf, text); err != nil {
		return r, err
	}
	return r, json.Unmarshal(text, &r)
}

// receive returns the next message that is wanted.
func (e *editor) receive(what string, wanted func(reply) bool) reply {
	e.t.Helper()
	late := time.After(2 * time.Minute)
	for {
		select {
		case r, ok := <-e.got:
			if !ok || r.Params.Message != "" {
				e.t.Fatalf("%s: the server left or failed: %s", what, r.Params.Message)
			}
			if wanted(r) {
				return r
			}
		case <-late:
			e.t.Fatalf("%s does not come", what)
		}
	}
}

// answer returns the answer to a request.
func (e *editor) answer(id int) reply {
	e.t.Helper()
	return e.receive(fmt.Sprint("answer ", id), func(r reply) bool { return r.ID == id })
}

// shown returns the next diagnostics of a file.
func (e *editor) shown(file string) reply {
	e.t.Helper()
	return e.receive("what "+file+" shows", func(r reply) bool { return strings.HasSuffix(r.Params.URI, file) })
}

// TestLanguageServer types mistakes into files that are right on disk, and takes them out.
func TestLanguageServer(t *testing.T) {
	file := func(name string) (uri, text string) {
		name, err := filepath.Abs(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return uriOf(name), string(b)
	}
	kernel, right := file("k/k.go")
	tools, helper := file("tools/tools.go")
	e := newEditor(t)
	e.send(1, "initialize", map[string]any{"processId": nil, "rootUri": nil, "capabilities": map[string]any{}})
	if r := e.answer(1); r.Result.Capabilities["textDocumentSync"] == nil {
		t.Fatalf("initialize: %+v", r)
	}
	e.send(0, "initialized", struct{}{})
	e.send(2, "textDocument/hover", struct{}{})
	if r := e.answer(2); r.Error == nil || r.Error.Code != -32601 {
		t.Errorf("hover: %+v", r)
	}
	doc := func(uri, text string) map[string]any {
		return map[string]any{"uri": uri, "languageId": "go", "version": 1, "text": text}
	}
	change := func(uri, text string) {
		e.send(0, "textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": 2},
			"contentChanges": []any{map[string]string{"text": text}}})
	}

	wrong := strings.Replace(right, "\tk.Out", "\t/* 日本😀 */ m := map[int32]int32{}; k.Out", 1)
	wrong = strings.Replace(wrong, "k.X[i])", "k.X[i]+int32(len(m)))", 1)
	e.send(0, "textDocument/didOpen", map[string]any{"textDocument": doc(kernel, wrong)})
	r := e.shown("k.go")
	if len(r.Params.Diagnostics) == 0 {
		t.Fatal("nothing is found")
	}
	d := r.Params.Diagnostics[0]
	// At the brace; 😀 is two of the units of UTF-16.
	want := lspRange{lspPosition{12, 32}, lspPosition{12, 33}}
	if d.Code != "KG207" || d.Source != "kgen" || d.Severity != 1 || !strings.Contains(d.Message, ";") || d.Range.Start.Line != 12 {
		t.Errorf("%+v", d)
	}
	if line := []rune(strings.Split(wrong, "\n")[12]); d.Range != want {
		t.Errorf("%v of %q, want %v", d.Range, string(line), want)
	}

	change(kernel, right)
	if r := e.shown("k.go"); r.Params.URI != kernel || len(r.Params.Diagnostics) != 0 {
		t.Errorf("what is mended still shows: %+v", r.Params)
	}

	// What another package's file says is found from the kernel, and shown there.
	e.send(0, "textDocument/didOpen", map[string]any{"textDocument": doc(tools, strings.Replace(helper, "return", "c := make(chan int32, 1); c <- x; return", 1))})
	r = e.shown("tools.go")
	if len(r.Params.Diagnostics) == 0 || r.Params.URI != tools {
		t.Fatalf("%+v", r.Params)
	}
	if d := r.Params.Diagnostics[0]; d.Range.Start.Line != 4 || len(d.Related) == 0 || d.Related[0].Location.URI != kernel {
		t.Errorf("%+v", d)
	}
	e.send(0, "textDocument/didClose", map[string]any{"textDocument": map[string]string{"uri": tools}})
	if r := e.shown("tools.go"); len(r.Params.Diagnostics) != 0 {
		t.Errorf("what is closed unsaved still shows: %+v", r.Params)
	}

	e.send(3, "shutdown", nil)
	if r := e.answer(3); r.Error != nil {
		t.Errorf("shutdown: %+v", r)
	}
	e.send(0, "exit", nil)
	if err := <-e.end; err != nil {
		t.Error(err)
	}
}

// TestLanguageServerGone has editors that leave, or are none.
func TestLanguageServerGone(t *testing.T) {
	for text, want := range map[string]error{
		"": io.EOF,
		"Content-Length: 33\r\n\r\n" + `{"jsonrpc":"2.0","method":"exit"}`:                                                       ErrNoShutdown,
		"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:33\n\n" + `{"jsonrpc":"2.0","method":"exit"}`: ErrNoShutdown,
		"Content-Length: 2":            io.ErrUnexpectedEOF,
		"Content-Length: 2\r\n":        io.ErrUnexpectedEOF,
		"Content-Length 2\r\n\r\n{}":   nil,
		"\r\n{}":                       nil,
		"Content-Length: many\r\n\r\n": nil,
		"Content-Length: 7\r\n\r\n{}":  io.ErrUnexpectedEOF,
		"Content-Length: 2\r\n\r\n[]":  nil,
	} {
		err := Serve(strings.NewReader(text), io.Discard, time.Millisecond)
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}
