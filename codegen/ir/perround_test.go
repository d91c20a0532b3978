package ir

import "testing"

func TestPerRound(t *testing.T) {
	for n := int64(0); n < 3000; n++ {
		for scalars := int64(1); scalars < 50; scalars++ {
			per := PerRound(n, scalars)
			switch rounds := n / max(per, 1); {
			case per == n && n*scalars <= 32:
			case per < 1 || per > n,
				per > 1 && per*scalars > 4,
				per > 1 && rounds < 64,
				n > 32 && rounds <= 32:
				t.Errorf("%d of %d elements with %d scalars are handled in a round", per, n, scalars)
			case scalars == 1 && n >= 4*64 && rounds > n/4:
				t.Errorf("%d rounds for %d elements", rounds, n)
			}
		}
	}
}
