package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// figure is a line of the tables: a measurement of the product, and of a baseline if there is one.
type figure struct {
	Subject  string  // the table, such as "Public reads"
	What     string  // such as "a page of 50 posts, 16 at once"
	Unit     string  // of Baseline and Ours: "req/s", "ms", "MB"
	Baseline float64 // 0 without a baseline; then the target applies to Ours
	Beside   string  // the baseline, such as "bare Gin and SQL"
	Ours     float64
	Target   target
}

// target is the limit of a ratio, or of a figure without a baseline. The zero value is no limit.
type target struct {
	At    float64
	Least bool // At is a minimum, as for a rate; otherwise a maximum, as for a time or a size
}

func atLeast(at float64) target { return target{at, true} }
func atMost(at float64) target  { return target{at, false} }

// held is the value that the target applies to.
func (f figure) held() float64 {
	if f.Baseline == 0 {
		return f.Ours
	}
	return f.Ours / f.Baseline
}

func (f figure) met() bool {
	switch {
	case f.Target == (target{}):
		return true
	case f.Target.Least:
		return f.held() >= f.Target.At
	}
	return f.held() <= f.Target.At
}

func (t target) String() string {
	switch {
	case t == (target{}):
		return ""
	case t.Least:
		return fmt.Sprintf("≥ %g", t.At)
	}
	return fmt.Sprintf("≤ %g", t.At)
}

// at is the quantile of the values for a share from 0 to 1, or 0 without values.
func at[T cmp.Ordered](values []T, share float64) (value T) {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return value
	}
	const rounding = 1e-9 // so that 0.95 of 100 is 95
	i := int(math.Ceil(share*float64(len(sorted))-rounding)) - 1
	return sorted[max(0, min(i, len(sorted)-1))]
}

func inMS(t time.Duration) float64 { return float64(t) / float64(time.Millisecond) }

func sum(times []time.Duration) (total time.Duration) {
	for _, t := range times {
		total += t
	}
	return total
}

type subject struct {
	Name    string
	Figures []figure
}

// bySubject groups figures into tables, in their order.
func bySubject(figures []figure) (tables []subject) {
	for _, f := range figures {
		place := slices.IndexFunc(tables, func(s subject) bool { return s.Name == f.Subject })
		if place < 0 {
			place = len(tables)
			tables = append(tables, subject{Name: f.Subject})
		}
		tables[place].Figures = append(tables[place].Figures, f)
	}
	return tables
}

// BaselineText is empty without a baseline.
func (f figure) BaselineText() string {
	if f.Baseline == 0 {
		return ""
	}
	return amount(f.Baseline, f.Unit)
}

// OursText is the product's measurement with its unit.
func (f figure) OursText() string { return amount(f.Ours, f.Unit) }

// RatioText is the product's measurement divided by the baseline's, or empty without a baseline.
func (f figure) RatioText() string {
	if f.Baseline == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", f.Ours/f.Baseline)
}

// TargetText is the target with the unit of what it limits.
func (f figure) TargetText() string {
	text := f.Target.String()
	if text == "" || f.Baseline != 0 || f.Unit == "" {
		return text
	}
	return text + " " + f.Unit
}

// Verdict is "met", "MISSED", or empty without a target.
func (f figure) Verdict() string {
	switch {
	case f.Target == (target{}):
		return ""
	case f.met():
		return "met"
	}
	return "MISSED"
}

// amount formats a value with two or three significant digits.
func amount(of float64, unit string) string {
	digits := 2
	switch {
	case of >= 100 || of == float64(int(of)):
		digits = 0
	case of >= 10:
		digits = 1
	}
	text := fmt.Sprintf("%.*f", digits, of)
	if unit != "" {
		text += " " + unit
	}
	return text
}

// causes explain missed targets: the measured cause, and what would help. The key is a figure's subject without
// the database, and What or a prefix of it.
var causes = map[string]string{
	"Public reads: a page of 50 posts": "A profile shows that nearly two thirds of a page's CPU time are spent in GORM and SQLite: " +
		"rows of 38 columns where the baseline reads 17, and five statements (total, rows, slots, names, counts) where the baseline has two. " +
		"One joined statement that reads only what the list shows would help most. Concurrent visitors share a response, so 16 readers do better than one.",
	"Public reads: the same page, unchanged": "The ETag is a hash of the response, so the product reads the rows and renders the page before it can return 304. It caches no response " +
		"that another instance could make outdated. A version number of the posts, read instead of the rows, would help most.",
	"Votes: ": "A vote has nine statements where the baseline has two: the session, its account and its member, the experiment, then in the transaction the member, the experiment, " +
		"the limit, the vote and the count. A profile shows a sixth of the time in the session, a third in the transaction and a tenth on the disk; most of the rest is in GORM and Gin. " +
		"Reading the session in one joined statement would save a tenth; the rest is the cost of authentication, limits and deadlines with GORM.",
	"Slots: slots of scheduled posts": "The same request takes the slot, writes the post and starts its workflow, and the response waits for all of it. " +
		"The start is a transaction of the Temporal server, and the worker in the same process runs the workflow at once. The next line has a baseline that starts a workflow as well. " +
		"Starting workflows after the response would help, but then the run in the response might not exist yet.",
	"Slow clients: ": "The slow clients run on the same machine: 1,000 writes and 200 new connections a second share two cores with the product and with the measured clients. " +
		"No request waits for a slow client, because the server closes a connection whose request takes longer than 5 s. A deployed product has a proxy in front that absorbs them.",
	"Slots: the same, each with its workflow": "No worker runs the baseline's workflows; the product's worker runs each at once and writes the run's ID into the row while the next requests arrive. " +
		"Fewer first activities of a post's workflow would help in part.",
	"Start and memory: start on existing data": "Until it is ready, the server uses 0.7 s of CPU time, the product 0.2 s and the chaos target's two processes 0.14 s, on the same two cores " +
		"(measured at a ratio of 2.0; it is usually 1.8). Starting the chaos target last should help.",
	"Prices: wait for a price": "This is a time, not a ratio. A purchase uses 0.2 s of CPU time on such a machine, two thirds of it in the Temporal server, and seven purchases a second use four fifths of " +
		"two cores, so buyers queue. On a machine whose bare Temporal server starts in 265 instead of 461 ms, the p95 was 52 ms. Faster cores would help, or fewer steps before the price.",
	"Verifications: four screenshots": "The product waits until a page is idle, reads its content and runs axe in two of the four viewports; plain Playwright only takes screenshots. " +
		"It is at the limit: 1.28 on one machine and 1.30 on another. Running axe in one viewport should help.",
	"Start and memory: memory at rest, RSS": "Of the product's 64 MB, 45 are pages of its executable, which it shares with the chaos target and which the kernel can reclaim; " +
		"19 are private. The server holds some 8 MB more than alone, for polling workers. An executable that is a third smaller would help: nine tenths of its code are libraries, " +
		"and every exported method of each used type is linked, because GORM, templates and Temporal's SDK call methods by name. With shared pages counted once (PSS), the ratio is below the target.",
	"Posting workflows: one after the other": "A post has four transactions that reach the disk, a signed call to X and an HTTP response, where the activities of the bare workflow do nothing. " +
		"They use 11 ms more CPU time than the bare worker; the server uses 4 ms more, to keep the post's state searchable in its console. " +
		"One transaction for the first activity and the arming would close a fifth of the gap.",
	"Posting workflows: 16 at once": "The same work on two cores that are busy: each workflow takes half as much CPU time again as a bare one. " +
		"More cores or fewer transactions per post would help; a third of the product's share is in GORM and SQLite.",
	"Lateness of posts: one whose request was lost": "The timeline is read twice before the post is sent again, 25 and 50 s after it was armed with the default timeout of 10 s: " +
		"X may show a post late, and a duplicate is worse than a delay. A shorter POST_SEND_TIMEOUT shortens these waits.",
	"Growth: texts similar to a draft": "A text is compared with open posts and those of the last month, 1,000 at most; the small product has 140 of them, the large one 1,000, " +
		"most of them rejected drafts. It grows no further. Leaving out rejected drafts would help.",
	"Growth: the last page of published posts": "Pages are requested by offset, so the database skips as many entries of an index; it reads no rows for that. " +
		"Paging by the last entry would cost the same for every page.",
}

// causeOf is the known cause of a missed target, or empty.
func causeOf(f figure) (cause string) {
	subject, _, _ := strings.Cut(f.Subject, ", ")
	longest := 0
	for name, sentence := range causes {
		if strings.HasPrefix(subject+": "+f.What, name) && len(name) >= longest {
			cause, longest = sentence, len(name)
		}
	}
	return cause
}

// Cause is the cause of the missed target for the document.
func (f figure) Cause() string { return cmp.Or(causeOf(f), "The cause is not known yet.") }

func missed(figures []figure) []figure { return slices.DeleteFunc(slices.Clone(figures), figure.met) }
