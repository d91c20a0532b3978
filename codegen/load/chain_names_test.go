package load

import "testing"

func TestWithoutPaths(t *testing.T) {
	for name, want := range map[string]string{
		"main.f":                       "main.f",
		"(*example.com/a/b.T).M":       "(*b.T).M",
		"example.com/a.F[[2]int8]":     "a.F[[2]int8]",
		"(a.com/b/c.T[d.com/e/f.U]).M": "(c.T[f.U]).M",
		"a/b.F[a/b.X,c/d-e/f.Y,[3]*g/h.Z,map[i/j.K]func(k/l.M) n/o.P]": "b.F[b.X,f.Y,[3]*h.Z,map[j.K]func(l.M) o.P]",
	} {
		if got := WithoutPaths(name); got != want {
			t.Errorf("%s becomes %s, want %s", name, got, want)
		}
	}
}
