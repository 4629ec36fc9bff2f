package browser

import (
	"testing"

	"customerzero/internal/platform/testwait"
)

func TestMain(m *testing.M) {
	grace, startTime, noticed = testwait.Limit/6, testwait.Limit, testwait.Limit/6
	testwait.Main(m, "4")
}
