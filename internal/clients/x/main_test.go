package x_test

import (
	"testing"

	"customerzero/internal/platform/testwait"
)

func TestMain(m *testing.M) { testwait.Main(m, "8") }
