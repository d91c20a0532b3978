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

// editor is the other end of a server.
type editor struct {
	t   *testing.T
	to  io.Writer
	in  *textproto.Reader
	buf *bufio.Reader
	end chan error
}

func newEditor(t *testing.T) *editor {
	toServer, fromEditor := io.Pipe()
	toEditor, fromServer := io.Pipe()
	buf := bufio.NewReader(toEditor)
	e := &editor{t, fromEditor, textproto.NewReader(buf), buf, make(chan error, 1)}
	go func() {
		e.end <- Serve(toServer, fromServer, time.Millisecond)
		fromServer.Close()
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

// receive returns the next message but for diagnostics of other files than want ends in.
func (e *editor) receive(want string) reply {
	e.t.Helper()
	for {
		header, err := e.in.ReadMIMEHeader()
		if err != nil {
			e.t.Fatal(err)
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			e.t.Fatal(err)
		}
		text := make([]byte, n)
		if _, err := io.ReadFull(e.buf, text); err != nil {
			e.t.Fatal(err)
		}
		var r reply
		if err := json.Unmarshal(text, &r); err != nil {
			e.t.Fatalf("%v: %s", err, text)
		}
		if r.Params.Message != "" {
			e.t.Fatal(r.Params.Message)
		}
		if r.Params.URI == "" || strings.HasSuffix(r.Params.URI, want) {
			return r
		}
	}
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
	if r := e.receive(""); r.ID != 1 || r.Result.Capabilities["textDocumentSync"] == nil {
		t.Fatalf("initialize: %+v", r)
	}
	e.send(0, "initialized", struct{}{})
	e.send(2, "textDocument/hover", struct{}{})
	if r := e.receive(""); r.ID != 2 || r.Error == nil || r.Error.Code != -32601 {
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
	r := e.receive("k.go")
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
	if r := e.receive("k.go"); r.Params.URI != kernel || len(r.Params.Diagnostics) != 0 {
		t.Errorf("what is mended still shows: %+v", r.Params)
	}

	// What another package's file says is found from the kernel, and shown there.
	e.send(0, "textDocument/didOpen", map[string]any{"textDocument": doc(tools, strings.Replace(helper, "return", "c := make(chan int32, 1); c <- x; return", 1))})
	r = e.receive("tools.go")
	if len(r.Params.Diagnostics) == 0 || r.Params.URI != tools {
		t.Fatalf("%+v", r.Params)
	}
	if d := r.Params.Diagnostics[0]; d.Range.Start.Line != 4 || len(d.Related) == 0 || d.Related[0].Location.URI != kernel {
		t.Errorf("%+v", d)
	}
	e.send(0, "textDocument/didClose", map[string]any{"textDocument": map[string]string{"uri": tools}})
	if r := e.receive("tools.go"); len(r.Params.Diagnostics) != 0 {
		t.Errorf("what is closed unsaved still shows: %+v", r.Params)
	}

	e.send(3, "shutdown", nil)
	if r := e.receive(""); r.ID != 3 || r.Error != nil {
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
		"Content-Length: 33\r\n\r\n" + `{"jsonrpc":"2.0","method":"exit"}`: ErrNoShutdown,
		"Content-Length: many\r\n\r\n":                                     nil,
		"Content-Length: 7\r\n\r\n{}":                                      io.ErrUnexpectedEOF,
		"Content-Length: 2\r\n\r\n[]":                                      nil,
	} {
		err := Serve(strings.NewReader(text), io.Discard, time.Millisecond)
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}
