package load

import "testing"

func TestAliasOrEmbed(t *testing.T) {
	for src, want := range map[string]bool{
		"func f() {\n\tx = os.Args[1]\n}":                      false,
		"type A = p.B[int]":                                    true,
		"type (\n\tA = p.B[int]\n\tC = p.D[int, int]\n)":       true,
		"type S struct {\n\tp.Kernel\n}":                       true,
		"type S struct {\n\t*p.Kernel\n}":                      true,
		"type S struct {\n\tX p.Kernel\n}\n\nvar x = p.V[0]\n": false,
	} {
		if got := hasAliasOrEmbed([]byte("package k\n\n" + src)); got != want {
			t.Errorf("%q: %v", src, got)
		}
	}
}
