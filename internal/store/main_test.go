package store_test

import (
	"testing"

	"customerzero/internal/testwait"
)

func TestMain(m *testing.M) { testwait.Main(m, "8") }
