package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// figure is a line of the tables: what the product does, or needs, beside a baseline that does the least which anybody
// would have to, in the same run on the same machine. The ratio travels from machine to machine; the figures do not.
type figure struct {
	Subject  string  // the table that it stands in, as "Public reads"
	What     string  // as "a page of 50 posts, 16 at once"
	Unit     string  // of Baseline and Ours: "req/s", "ms", "MB"
	Baseline float64 // 0: nothing compares, and the target is one of Ours itself
	Beside   string  // what the baseline is, as "bare Gin and SQL"
	Ours     float64
	Target   target
}

// target bounds a ratio, or a figure that has no baseline. The zero target bounds nothing.
type target struct {
	At    float64
	Least bool // it is the least that is good enough: of a rate. Else the most: of a time, a size.
}

func atLeast(at float64) target { return target{at, true} }
func atMost(at float64) target  { return target{at, false} }

// held is what the target bounds.
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

// at is the value that so large a share of the values does not exceed; 0: there are none.
func at[T cmp.Ordered](values []T, share float64) (value T) {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return value
	}
	const rounding = 1e-9 // 0.95 of 100 is 95, and not a little more
	i := int(math.Ceil(share*float64(len(sorted))-rounding)) - 1
	return sorted[max(0, min(i, len(sorted)-1))]
}

// inMS is a time as figures tell it.
func inMS(t time.Duration) float64 { return float64(t) / float64(time.Millisecond) }

func sum(times []time.Duration) (total time.Duration) {
	for _, t := range times {
		total += t
	}
	return total
}

// subject is what one table tells of.
type subject struct {
	Name    string
	Figures []figure
}

// bySubject sorts figures into tables, in the order in which they came.
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

// BaselineText is empty where nothing compares, as are the others below where they say nothing.
func (f figure) BaselineText() string {
	if f.Baseline == 0 {
		return ""
	}
	return amount(f.Baseline, f.Unit)
}

// OursText is what the product does, or needs.
func (f figure) OursText() string { return amount(f.Ours, f.Unit) }

// RatioText is ours of the baseline.
func (f figure) RatioText() string {
	if f.Baseline == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", f.Ours/f.Baseline)
}

// TargetText is a ratio, or where nothing compares an amount.
func (f figure) TargetText() string {
	text := f.Target.String()
	if text == "" || f.Baseline != 0 || f.Unit == "" {
		return text
	}
	return text + " " + f.Unit
}

// Verdict says whether the target is met.
func (f figure) Verdict() string {
	switch {
	case f.Target == (target{}):
		return ""
	case f.met():
		return "met"
	}
	return "MISSED"
}

// amount tells as many digits as mean something.
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

// causes say why targets are missed, as it was measured, and what would close the gap. The name
// is a figure's subject, without the database, and what it tells, or how that begins.
var causes = map[string]string{
	"Public reads: a page of 50 posts": "Of the processor time of a page, nearly two thirds pass in GORM and SQLite (a profile of the product under this load): " +
		"rows of 38 columns where the baseline reads 17, and five statements (total, rows, slots, names, counts) where the baseline has two. " +
		"One joined statement that reads only what the list shows would close most of it. Strangers who ask at once share an answer, which is why a crowd does better than one alone.",
	"Public reads: the same page, unchanged": "The product reads the rows and makes the page before it knows that nothing has changed; it keeps no answers, so that nobody is told " +
		"what is not so any more, whichever replica they ask. A version of the posts that every change counts up, read instead of the rows, would close most of it.",
	"Votes: ": "A vote has nine statements where the baseline has two: the session, its account and its member, the experiment, then in the transaction the member, the experiment, " +
		"the limit, the vote and the count. A profile finds a sixth of the time in the session, a third in the transaction and a tenth in the disk; nearly all of the rest is GORM's and Gin's. " +
		"The session in one joined statement would save a tenth; the rest is what a vote that nobody can cast for another, nor too often, nor too late, costs with GORM.",
	"Slots: slots of scheduled posts": "A slot is never taken alone: the same request writes the post and starts the flow that sends it, and its answer waits for both. " +
		"The start is a transaction of the Temporal server, and the worker of the same process begins to carry the flow at once. Beside a baseline that starts a flow, see the line below. " +
		"Starting flows behind the answer would close it, and then nobody who reads the answer could open the run.",
	"Slow clients: ": "The crowd comes from this machine, too: a thousand writes and two hundred new connections a second share two cores with the product and with those who wait. " +
		"No request waits for one of the crowd: at each second the server lets go of those who have dawdled for five. A proxy in front, as it is deployed, keeps them from it altogether.",
	"Slots: the same, each with its flow": "The baseline's flow is carried by nobody; the product's worker carries each at once, and writes into the row which run it is, while the next requests come. " +
		"Fewer first steps of a post's flow would close a part of it.",
	"Start and memory: start on existing data": "The server takes 0.7 s of processor time until it is ready; the product takes 0.2 s meanwhile, and the chaos target's two processes 0.14 s, on the same two processors " +
		"(measured where the ratio was once 2.0; it is 1.8 mostly). Starting the chaos target when all else is ready should close it.",
	"Prices: wait for a price": "A time, and no ratio: a purchase takes 0.2 s of processor time on such a machine, two thirds of them the Temporal server's, and seven purchases a second fill four fifths of " +
		"two processors, so that buyers wait in line for them. On a machine whose bare Temporal server starts in 265 ms instead of 461, 19 of 20 had their price in 52 ms. Quicker processors would close it, or fewer steps before the price.",
	"Verifications: four pictures": "The product waits until a page is idle, reads what is on it and has two of the four views checked by axe; plain Playwright takes pictures alone. " +
		"It is at the limit: 1.28 on one machine and 1.30 on another. Having one view checked instead of two should close it.",
	"Start and memory: memory at rest, RSS": "Of the product's 64 MB, 45 are pages of its program's file, which it shares with the chaos target and the kernel takes back when it needs room; " +
		"its own are 19. The server holds some 8 MB more than alone, for workers that ask it for work. A program that is a third smaller would close it: nine tenths of its code are libraries', " +
		"and of every type in use every exported method is linked, because GORM, templates and Temporal's SDK call methods by their names. Where pages that several map count once (PSS), the ratio is below the target.",
	"Posting flows: one after the other": "A post is four transactions that reach the disk, a signed call to X and an answer over HTTP, where the steps of the bare flow do nothing. " +
		"They take 11 ms of processor time more than the bare flow's worker needs; the server takes 4 ms more, as it keeps the post's state findable in its console. " +
		"The first step and the arming in one transaction would close a fifth of it.",
	"Posting flows: 16 at once": "The same work, on two processors that are full then: half as much again for each flow as for a bare one. " +
		"More processors would close it, or fewer transactions for a post; a third of the product's share passes in GORM and SQLite.",
	"Lateness of posts: one whose request was lost": "What may be on its way is looked for twice before it is sent again, 25 and 50 s after it was armed with the usual deadline of ten seconds: " +
		"X may show a post late, and one that goes out twice is worse than one that is late. A shorter POST_SEND_TIMEOUT shortens all of these waits alike.",
	"Growth: what is like a text": "A text is compared with what is open and with the last month, a thousand texts at most; the small product has 140 of them, and the large one has a thousand, " +
		"most of them drafts that were rejected and stay open. It grows no further. Leaving out drafts that were rejected would close it.",
	"Growth: the last page of what went out": "Pages are asked for by their offset, and as many entries of an index are counted; no row is read for it. " +
		"A page that is asked for by where the last one ended would cost the same anywhere.",
}

// causeOf is the sentence on a missed figure; empty: nobody has looked yet.
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

// Cause is why its target is missed.
func (f figure) Cause() string { return cmp.Or(causeOf(f), "Nobody has looked into it yet.") }

func missed(figures []figure) []figure { return slices.DeleteFunc(slices.Clone(figures), figure.met) }
