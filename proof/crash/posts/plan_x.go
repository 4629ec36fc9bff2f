package posts

import (
	"fmt"
	"math/rand/v2"
	"time"

	xsandbox "customerzero/internal/sandbox/x"
)

// sendTimeout is how long X may take to answer. All of the product's waits follow from it.
const sendTimeout = 500 * time.Millisecond

// texts hold what X shows in another form than it was written in.
var texts = []string{
	"Release %d is out. Notes at https://example.com/notes/%d?a=1&b=2 as always.",
	"No. %d: 1 < 2 && 3 > 2, says example.com/Path/%d/",
	"Straße %d, naïve café, 東京 🎉 %d",
	"Plain words, number %d of series %d.",
}

func newText(chance *rand.Rand, n int, seed uint64) string {
	return fmt.Sprintf(texts[chance.IntN(len(texts))], n+1, seed%1_000_000)
}

// shares say how many calls each fault hits. A late tweet stays within the time that the
// product waits before it looks; beyond it, nobody can tell a late tweet from none.
var shares = []xsandbox.Rule{
	{On: xsandbox.OnPost, Fault: xsandbox.Forbidden, Rate: 0.06}, // a clear no: these fail, and give everything back
	{On: xsandbox.OnPost, Fault: xsandbox.DropAfter, Rate: 0.07},
	{On: xsandbox.OnPost, Fault: xsandbox.HangAfter, Rate: 0.06},
	{On: xsandbox.OnPost, Fault: xsandbox.UnavailableAfter, Rate: 0.06},
	{On: xsandbox.OnPost, Fault: xsandbox.Truncate, Rate: 0.05},
	{On: xsandbox.OnPost, Fault: xsandbox.Late, Rate: 0.04, Delay: sendTimeout},
	{On: xsandbox.OnPost, Fault: xsandbox.Unavailable, Rate: 0.06},
	{On: xsandbox.OnPost, Fault: xsandbox.DropBefore, Rate: 0.04},
	{On: xsandbox.OnPost, Fault: xsandbox.HangBefore, Rate: 0.04},
	{On: xsandbox.OnPost, Fault: xsandbox.RateLimit, Rate: 0.08, Delay: 2 * time.Second},
	{On: xsandbox.OnPost, Fault: xsandbox.Slow, Rate: 0.05, Delay: sendTimeout / 2},
	{On: xsandbox.OnPost, Fault: xsandbox.Slow, Rate: 0.04, Delay: 2 * sendTimeout},
	{On: xsandbox.OnPost, Fault: xsandbox.NoCredits, Rate: 0.07},
	{On: xsandbox.OnRead, Fault: xsandbox.Unavailable, Rate: 0.08},
	{On: xsandbox.OnRead, Fault: xsandbox.DropBefore, Rate: 0.05},
	{On: xsandbox.OnRead, Fault: xsandbox.HangAfter, Rate: 0.05},
	{On: xsandbox.OnRead, Fault: xsandbox.Truncate, Rate: 0.05},
	{On: xsandbox.OnRead, Fault: xsandbox.RateLimit, Rate: 0.06, Delay: time.Second},
	{On: xsandbox.OnRead, Fault: xsandbox.NoCredits, Rate: 0.05}, // the timeline cannot be read: unknown
}

func planFaults(chance *rand.Rand, seed uint64) xsandbox.Faults {
	faults := xsandbox.Faults{Seed: seed}
	for _, rule := range shares {
		rule.Rate *= 0.5 + chance.Float64()
		faults.Rules = append(faults.Rules, rule)
	}
	return faults
}
