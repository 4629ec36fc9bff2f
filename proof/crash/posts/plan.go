package posts

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/proof/crash/rig"
)

// members sponsor some of the posts; the founders write the others.
var members = []string{"ada", "grace", "edsger", "barbara"}

// plan is everything that will be done. Times count from the start of the chaos.
type plan struct {
	chaos     time.Duration
	posts     []plannedPost
	damage    rig.Damage
	decisions []plannedDecision
	faults    xsandbox.Faults
}

type plannedDecision struct {
	at   time.Duration
	kind commandKind
}

type plannedPost struct {
	at       time.Duration
	text     string
	member   string        // empty: the founders
	ahead    time.Duration // how far ahead it is scheduled; 0: for now
	commands []plannedCommand
}

type commandKind string

const (
	edit       commandKind = "edit"
	reschedule commandKind = "reschedule"
	cancelling commandKind = "cancel"
	retry      commandKind = "retry"
)

type plannedCommand struct {
	kind  commandKind
	after time.Duration // since the post was written
	text  string        // edit
	ahead time.Duration // reschedule: how far ahead of that moment
}

// The moments of a kill.
const (
	sending    rig.Moment = "X has been called"
	taken      rig.Moment = "X has decided, its response is not sent"
	answered   rig.Moment = "X has just answered"
	reading    rig.Moment = "the timeline is read"
	writing    rig.Moment = "a post is being written"
	commanding rig.Moment = "a command is being carried out"
)

var (
	workerMoments = []rig.Moment{rig.AnyTime, sending, taken, answered, answered, reading, commanding, commanding}
	apiMoments    = []rig.Moment{rig.AnyTime, writing, writing, commanding}
)

func newPlan(o rig.Options) plan {
	chance := rand.New(rand.NewPCG(o.Seed, 0))
	p := plan{chaos: max(time.Duration(o.Kills)*10*time.Second, time.Duration(o.Count)*600*time.Millisecond)}
	reach := min(40*time.Second, p.chaos/3) // how far ahead posts are scheduled
	for n := range o.Count {
		p.posts = append(p.posts, planPost(chance, n, o.Seed, p.chaos-reach, reach))
	}
	p.damage.Kills = append(rig.PlanKills(chance, rig.TheWorker, o.Kills, p.chaos, workerMoments),
		rig.PlanKills(chance, rig.TheAPI, rig.Fewer(o.Kills, 3), p.chaos, apiMoments)...)
	p.damage.Cuts = rig.PlanCuts(chance, rig.Fewer(o.Kills, 2), p.chaos)
	for range o.Count / 10 {
		kind := []commandKind{retry, retry, cancelling}[chance.IntN(3)]
		p.decisions = append(p.decisions, plannedDecision{rig.Between(chance, p.chaos/4, p.chaos), kind})
	}
	p.faults = planFaults(chance, o.Seed)
	return p
}

func planPost(chance *rand.Rand, n int, seed uint64, until, reach time.Duration) plannedPost {
	p := plannedPost{at: rig.Between(chance, 0, until), text: fmt.Sprintf(texts[chance.IntN(len(texts))], n+1, seed%1_000_000)}
	if i := chance.IntN(len(members) + 1); i < len(members) {
		p.member = members[i]
	}
	if chance.IntN(3) > 0 {
		p.ahead = rig.Between(chance, reach/4, reach)
	}
	for chance.IntN(4) == 0 && len(p.commands) < 3 {
		p.commands = append(p.commands, planCommand(chance, p, reach))
	}
	return p
}

// planCommand prefers times around the moment at which the post is sent.
func planCommand(chance *rand.Rand, p plannedPost, reach time.Duration) plannedCommand {
	kind := []commandKind{edit, edit, reschedule, reschedule, cancelling}[chance.IntN(5)]
	command := plannedCommand{kind: kind, after: rig.Between(chance, 0, p.ahead+time.Second)}
	if chance.IntN(2) == 0 {
		command.after = p.ahead + rig.Between(chance, 0, time.Second) - 500*time.Millisecond
	}
	switch kind {
	case edit:
		command.text = fmt.Sprintf("%s (edit %d)", p.text, len(p.commands)+1)
	case reschedule:
		command.ahead = rig.Between(chance, time.Second, reach/2)
	case cancelling, retry:
	}
	return command
}

// watched reaches the moments of a call to X.
func watched(next http.Handler, trap *rig.Trap) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost && r.URL.Path == "/2/tweets":
			trap.Reach(sending)
			w = &rig.LateAnswer{ResponseWriter: w, Trap: trap, Moment: taken}
			defer trap.ReachSoon(answered)
		case strings.HasSuffix(r.URL.Path, "/tweets"):
			defer trap.ReachSoon(reading)
		}
		next.ServeHTTP(w, r)
	})
}

// sendTimeout is POST_SEND_TIMEOUT, from which the product's other waits are derived.
const sendTimeout = 500 * time.Millisecond

// texts contain links, markup and characters that X stores in another form.
var texts = []string{
	"Release %d is out. Notes at https://example.com/notes/%d?a=1&b=2 as always.",
	"No. %d: 1 < 2 && 3 > 2, says example.com/Path/%d/",
	"Straße %d, naïve café, 東京 🎉 %d",
	"Plain words, number %d of recurring posts %d.",
}

// shares are the faults of X, each with its share of calls. A late tweet appears before the product reads the
// timeline, because a later one cannot be distinguished from none.
var shares = []xsandbox.Rule{
	{On: xsandbox.OnPost, Fault: xsandbox.Forbidden, Rate: 0.06}, // a clear refusal: the post fails
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
	{On: xsandbox.OnRead, Fault: xsandbox.NoCredits, Rate: 0.05}, // an unreadable timeline: unknown
}

func planFaults(chance *rand.Rand, seed uint64) xsandbox.Faults {
	faults := xsandbox.Faults{Seed: seed}
	for _, rule := range shares {
		rule.Rate *= 0.5 + chance.Float64()
		faults.Rules = append(faults.Rules, rule)
	}
	return faults
}
