package golang

import "github.com/kgen-go/kgen/dsl"

// syntaxError reports the position of an error in a text.
type syntaxError struct {
	at   int
	what string
}

func (e *syntaxError) Error() string { return e.what }
func (e *syntaxError) Offset() int   { return e.at }

// rangeError reports a number that is too large.
type rangeError int

func (e rangeError) Error() string { return "out of range" }

type located interface{ Offset() int }

// digits() reads a decimal number of up to four digits.
func digits(b []byte) (n int, err error) {
	if len(b) == 0 {
		return 0, &syntaxError{0, "empty"}
	}
	for i, c := range b {
		if c < '0' || c > '9' {
			return n, &syntaxError{i, "no digit"}
		}
		n = n*10 + int(c-'0')
		if n > 9999 {
			return 0, rangeError(n)
		}
	}
	return n, nil
}

// half() returns errors of only one type.
func half(n int) (int, error) {
	if n%2 != 0 {
		return 0, rangeError(n)
	}
	return n / 2, nil
}

func quarter(n int) (int, error) {
	n, err := half(n)
	if err != nil {
		return -1, err
	}
	return half(n)
}

// Outcomes has functions that return errors which depend on data.
type Outcomes struct {
	In  []byte
	Out []int
}

// Kernel reads numbers.
func (k Outcomes) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	n, err := digits(k.In[i : i+k.length(i)])
	h := 0
	switch e := err.(type) {
	case nil:
		h = n
	case *syntaxError:
		h = 10000 + 100*e.at + len(e.what)
	case rangeError:
		h = 20000 + int(e)
	}
	if err != nil {
		h += len(err.Error()) * 1000000
	}
	if l, ok := err.(located); ok {
		h += l.Offset() * 7
	}
	if _, ok := err.(rangeError); ok {
		h++
	}
	if q, err := quarter(n); err == nil {
		h += q << 20
	} else {
		h -= int(err.(rangeError)) << 20
		if err == rangeError(7) {
			h ^= 1
		}
	}
	var last error
	for j := 0; j < 5 && last == nil; j++ {
		if _, last = quarter(i + 4*j + n%3); last == nil {
			h += j
		}
	}
	if last != nil {
		h = h*3 + len(last.Error())
	}
	k.Out[i] = h
}

func (k Outcomes) length(i int) int { return i % 7 }
