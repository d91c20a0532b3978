package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// requestTimeout is the time limit for a browser to send a request and read the response.
const requestTimeout = 30 * time.Second

// servePage serves the page to browsers that connect to the listener, until ctx is done.
//
// servePage implements only the part of HTTP that a single page needs. With package net/http, every
// user of kgen would compile some 60 more packages, including TLS and HTTP/2, before kgen runs for
// the first time.
func (v *pageMaker) servePage(ctx context.Context, listener net.Listener) error {
	defer context.AfterFunc(ctx, func() { listener.Close() })()
	for {
		conn, err := listener.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		go func() {
			defer conn.Close()
			defer context.AfterFunc(ctx, func() { conn.Close() })()
			v.handleConn(ctx, conn)
		}()
	}
}

// handleConn reads a request, writes the response, and closes the connection.
func (v *pageMaker) handleConn(ctx context.Context, conn net.Conn) {
	conn.SetReadDeadline(time.Now().Add(requestTimeout))
	method, path, err := readRequest(bufio.NewReader(io.LimitReader(conn, 64<<10)))
	kind, status, text := "plain", "400 Bad Request", []byte("kgen: this is no request for a page\n")
	switch {
	case err != nil:
	case path != "/":
		status, text = "404 Not Found", []byte("kgen: the only page is /\n")
	case method != "GET" && method != "HEAD":
		status, text = "405 Method Not Allowed\r\nAllow: GET, HEAD", []byte("kgen: the page can only be read\n")
	default:
		page, fault := v.currentPage(ctx)
		kind, status, text = "html", "200 OK", page
		if fault != nil {
			kind, status, text = "plain", "500 Internal Server Error", []byte("kgen: "+fault.Error()+"\n")
		}
	}
	conn.SetWriteDeadline(time.Now().Add(requestTimeout))
	fmt.Fprintf(conn, "HTTP/1.1 %s\r\nContent-Type: text/%s; charset=utf-8\r\nContent-Length: %d\r\n"+
		"Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n", status, kind, len(text))
	if method != "HEAD" {
		conn.Write(text)
	}
}

// readRequest reads the first line of a request and its header, which ends with an empty line.
func readRequest(r *bufio.Reader) (method, path string, err error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return "", "", err
	}
	parts := strings.Fields(line)
	if len(parts) != 3 || !strings.HasPrefix(parts[2], "HTTP/1.") {
		return "", "", fmt.Errorf("the request %q", line)
	}
	for strings.TrimRight(line, "\r\n") != "" {
		if line, err = r.ReadString('\n'); err != nil {
			return "", "", err
		}
	}
	path, _, _ = strings.Cut(parts[1], "?")
	return parts[0], path, nil
}
