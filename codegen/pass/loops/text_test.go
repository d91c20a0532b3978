package loops_test

import (
	"testing"

	"github.com/kgen-go/kgen/internal/tests/passtest"
)

func TestText(t *testing.T) { passtest.Text(t) }
