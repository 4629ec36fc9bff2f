package browser

import (
	"flag"
	"os"
	"testing"

	"customerzero/internal/testwait"
)

func TestMain(m *testing.M) {
	flag.Parse()
	_ = flag.Set("test.parallel", "4") // they wait for their browsers half of the time, whatever the machine
	grace, startTime, noticed = testwait.Limit/6, testwait.Limit, testwait.Limit/6
	os.Exit(m.Run())
}
