// Package lsp is a language server (Language Server Protocol 3.17) that shows errors in kernels
// while the user types. The server runs beside gopls, and provides only diagnostics.
package lsp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/kgen-go/kgen/codegen"
	"github.com/kgen-go/kgen/codegen/diag"
)

// langServer compiles the kernels of the packages whose files are open in the editor. The server
// compiles the texts in the editor, which may not be saved yet.
type langServer struct {
	in          *bufio.Reader
	typingPause time.Duration // delay between the last change and the next compilation
	tags        []string      // build tags

	mu   sync.Mutex // guards out and open
	out  io.Writer
	open map[string]string // maps the name of an open file to its text

	shown map[string]bool // files for which diagnostics have been sent; only compileLoop uses the map
}

// rpcMessage is a message of the protocol. A request has an id, but a notification does not.
type rpcMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

type (
	lspPosition struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	}
	lspRange struct {
		Start lspPosition `json:"start"`
		End   lspPosition `json:"end"`
	}
	lspLocation struct {
		URI   string   `json:"uri"`
		Range lspRange `json:"range"`
	}
	lspRelated struct {
		Location lspLocation `json:"location"`
		Message  string      `json:"message"`
	}
	lspDiagnostic struct {
		Range    lspRange     `json:"range"`
		Severity int          `json:"severity"` // 1 is an error
		Code     string       `json:"code"`
		Source   string       `json:"source"`
		Message  string       `json:"message"`
		Related  []lspRelated `json:"relatedInformation,omitempty"`
	}
)

// Serve returns ErrNoShutdown if an editor exits without a shutdown request.
var ErrNoShutdown = errors.New("exit without shutdown")

// Pause is the usual delay between the last change in an editor and the compilation. A user who is
// typing usually presses the next key before the pause ends.
const Pause = 200 * time.Millisecond

// Serve answers an editor's messages until the editor exits. Serve returns nil if the editor has sent the messages
// shutdown and exit. For any other exit, Serve returns an error. When the texts have not changed for the duration in
// parameter pause, Serve compiles the kernels with the given build tags.
func Serve(in io.Reader, out io.Writer, pause time.Duration, tags ...string) error {
	s := &langServer{in: bufio.NewReader(in), out: out, typingPause: pause, tags: tags, open: map[string]string{}, shown: map[string]bool{}}
	ctx, stop := context.WithCancel(context.Background())
	changed := make(chan struct{}, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.compileLoop(ctx, changed)
	}()
	defer func() {
		stop()
		<-done
	}()
	down := false
	for {
		m, err := s.readMessage()
		if err != nil {
			return err
		}
		var result any
		switch m.Method {
		case "initialize":
			result = map[string]any{
				"capabilities": map[string]any{"textDocumentSync": map[string]any{"openClose": true, "change": 1, "save": true}},
				"serverInfo":   map[string]string{"name": "kgenvet"},
			}
		case "shutdown":
			down = true
		case "exit":
			if !down {
				return ErrNoShutdown
			}
			return nil
		case "textDocument/didOpen", "textDocument/didChange", "textDocument/didSave", "textDocument/didClose":
			if err := s.recordEdit(m); err != nil {
				return err
			}
			select {
			case changed <- struct{}{}:
			default: // a compilation has been requested already
			}
		default:
			if m.ID != nil {
				s.sendMessage(map[string]any{"id": m.ID, "error": map[string]any{"code": -32601, "message": "kgenvet has diagnostics only, no " + m.Method}})
			}
			continue
		}
		if m.ID != nil {
			s.sendMessage(map[string]any{"id": m.ID, "result": result})
		}
	}
}

// readMessage reads the next message from the editor.
func (s *langServer) readMessage() (*rpcMessage, error) {
	length, err := s.readHeader()
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(length)
	if err != nil || n < 0 || n > 1<<30 {
		return nil, fmt.Errorf("Content-Length is %q", length)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(s.in, text); err != nil {
		return nil, err
	}
	m := new(rpcMessage)
	return m, json.Unmarshal(text, m)
}

// readHeader reads the lines before a message, and the empty line after them. readHeader returns the value of
// Content-Length, or "". The standard library's net/textproto has a similar function. kgenvet does not use
// net/textproto, because that package imports package net, and the build of kgenvet would take longer.
func (s *langServer) readHeader() (length string, err error) {
	for first := true; ; first = false {
		line, err := s.in.ReadString('\n')
		switch {
		case err == io.EOF && (line != "" || !first):
			return "", io.ErrUnexpectedEOF
		case err != nil:
			return "", err
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			return length, nil
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return "", fmt.Errorf("the header line %q has no colon", line)
		}
		if strings.EqualFold(name, "Content-Length") {
			length = strings.TrimSpace(value)
		}
	}
}

// sendMessage writes a message to the editor. Write errors are ignored, because readMessage
// detects the exit of the editor.
func (s *langServer) sendMessage(m map[string]any) {
	m["jsonrpc"] = "2.0"
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // all values in m can be encoded
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.out, "Content-Length: %d\r\n\r\n%s", len(text), text)
}

// recordEdit records the open files and their texts.
func (s *langServer) recordEdit(m *rpcMessage) error {
	var p struct {
		Document struct {
			URI  string `json:"uri"`
			Text string `json:"text"`
		} `json:"textDocument"`
		Changes []struct {
			Text string `json:"text"`
		} `json:"contentChanges"`
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		return err
	}
	name := fileOf(p.Document.URI)
	if filepath.Ext(name) != ".go" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m.Method {
	case "textDocument/didOpen":
		s.open[name] = p.Document.Text
	case "textDocument/didChange":
		for _, c := range p.Changes {
			s.open[name] = c.Text
		}
	case "textDocument/didClose":
		delete(s.open, name)
	}
	return nil
}

// compileLoop waits for a change of the texts. When the texts have not changed for typingPause, compileLoop compiles
// the packages of the open files. A later change cancels a compilation in progress.
func (s *langServer) compileLoop(ctx context.Context, changed <-chan struct{}) {
	var last context.CancelFunc = func() {}
	var running sync.WaitGroup
	for {
		select {
		case <-ctx.Done():
			last()
			running.Wait()
			return
		case <-changed:
		}
		last()
		running.Wait()
		var now context.Context
		now, last = context.WithCancel(ctx)
		running.Go(func() {
			select {
			case <-now.Done():
			case <-time.After(s.typingPause):
				s.publishDiags(now)
			}
		})
	}
}

// publishDiags sends the diagnostics of the packages of the open files. For a file that no longer has diagnostics,
// publishDiags sends an empty list.
func (s *langServer) publishDiags(ctx context.Context) {
	overlay, dirs := map[string][]byte{}, map[string]bool{}
	s.mu.Lock()
	for name, text := range s.open {
		overlay[name] = []byte(text)
		dirs[filepath.Dir(name)] = true
	}
	s.mu.Unlock()
	found := map[string][]lspDiagnostic{}
	seen := map[string]bool{} // several packages may have the same diagnostic
	for dir := range dirs {
		diags, err := codegen.Diagnose(ctx, codegen.Config{Dir: dir, Patterns: []string{"."}, Tags: s.tags, Overlay: overlay})
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			s.sendMessage(map[string]any{"method": "window/logMessage", "params": map[string]any{"type": 1, "message": err.Error()}})
		}
		for _, d := range diags {
			if d.Code == diag.Load || d.Pos.Line == 0 || seen[d.Error()] {
				continue // gopls reports this error
			}
			seen[d.Error()] = true
			at := toRange(dir, overlay, d.Pos, d.End)
			l := lspDiagnostic{Range: at.Range, Severity: 1, Code: d.Code.String(), Source: "kgen", Message: d.Message}
			if d.Hint != "" {
				l.Message += "; " + d.Hint
			}
			for _, r := range d.Related {
				if r.Pos.File != "" {
					l.Related = append(l.Related, lspRelated{toRange(dir, overlay, r.Pos, diag.Pos{}), r.Message})
				}
			}
			found[at.URI] = append(found[at.URI], l)
		}
	}
	// The editor shows old diagnostics of a file until it gets an empty list.
	right := func(uri string) {
		if found[uri] == nil {
			found[uri] = []lspDiagnostic{}
		}
	}
	for name := range overlay {
		right(uriOf(name))
	}
	for uri := range s.shown {
		right(uri)
	}
	for _, uri := range slices.Sorted(maps.Keys(found)) {
		list := found[uri]
		s.sendMessage(map[string]any{"method": "textDocument/publishDiagnostics", "params": map[string]any{"uri": uri, "diagnostics": list}})
		if s.shown[uri] = true; len(list) == 0 {
			delete(s.shown, uri)
		}
	}
}

// toRange converts the positions of a diagnostic to a range in the editor's text. If the diagnostic has no end
// position, the range ends after the identifier or word at the start position.
func toRange(dir string, overlay map[string][]byte, from, to diag.Pos) lspLocation {
	name := from.File
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	text, ok := overlay[name]
	if !ok {
		text, _ = os.ReadFile(name) // if the file cannot be read, columns are counted in bytes
	}
	lines := bytes.Split(text, []byte("\n"))
	at := func(p diag.Pos) lspPosition {
		n := max(p.Col-1, 0)
		if p.Line >= 1 && p.Line <= len(lines) && n <= len(lines[p.Line-1]) {
			n = len(utf16.Encode([]rune(string(lines[p.Line-1][:n]))))
		}
		return lspPosition{max(p.Line-1, 0), n}
	}
	if to.Line == 0 {
		to = from
		if from.Line >= 1 && from.Line <= len(lines) {
			line := lines[from.Line-1]
			for n := max(from.Col-1, 0); n < len(line); {
				r, size := utf8.DecodeRune(line[n:])
				if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && n > from.Col-1 {
					break
				}
				n += size
				to.Col = n + 1
			}
		}
	}
	return lspLocation{uriOf(name), lspRange{at(from), at(to)}}
}

// fileOf returns the file name in a URI. If the URI does not denote a file, fileOf returns "".
func fileOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	name := u.Path
	if len(name) > 2 && name[0] == '/' && name[2] == ':' { // a Windows path such as /C:/a.go…
		name = name[1:]
	}
	return filepath.FromSlash(name)
}

// uriOf returns the URI of a file.
func uriOf(name string) string {
	name = filepath.ToSlash(name)
	if !strings.HasPrefix(name, "/") {
		name = "/" + name
	}
	return (&url.URL{Scheme: "file", Path: name}).String()
}
