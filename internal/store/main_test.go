package store_test

import (
	"flag"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	flag.Parse()
	_ = flag.Set("test.parallel", "8") // they wait for their databases most of the time, whatever the machine
	os.Exit(m.Run())
}
