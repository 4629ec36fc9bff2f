package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sort"
	"strings"
	"time"
	"unicode"

	"github.com/tmc/langchaingo/llms"

	"customerzero/internal/domain/model"
	"customerzero/internal/domain/post"
)

const (
	builtin     = "builtin"   // what the setting says
	builtinName = "builtin-1" // what calls are kept under; another rule takes another number
	briefName   = "builtin-brief-1"
)

// builtinModel answers without a network or a key, by rules that fit on a page: the same
// question always gets the same answer. It does not pretend to understand: it reads the
// task block and nothing else.
type builtinModel struct {
	brief bool // it writes short texts, and does nothing else
}

var _ llms.Model = builtinModel{}

func builtinProvider() *provider {
	d := &provider{name: builtinName, open: opens(builtinModel{}), forms: [][]llms.CallOption{nil}, price: &Price{}}
	d.texts = inPieces
	return d
}

func briefProvider() *provider {
	return &provider{name: briefName, open: opens(builtinModel{brief: true}), texts: inPieces, price: &Price{}}
}

func opens(m builtinModel) func(*http.Client) (llms.Model, error) {
	return func(*http.Client) (llms.Model, error) { return m, nil }
}

func inPieces(stream llms.CallOption) [][]llms.CallOption { return [][]llms.CallOption{{stream}} }

func (b builtinModel) name() string {
	if b.brief {
		return briefName
	}
	return builtinName
}

// GenerateContent answers the last message that people wrote.
func (b builtinModel) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	task, input, err := model.ReadTask(question(messages))
	if err != nil {
		return nil, b.unanswerable("the question has no task block that it can read")
	}
	content, err := b.answer(task, input)
	if err == nil {
		err = speak(ctx, content, options)
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{
		Content: content, StopReason: "stop", GenerationInfo: map[string]any{"model": b.name()},
	}}}, err
}

func (b builtinModel) answer(task string, input json.RawMessage) (string, error) {
	switch {
	case task == "tweet":
		return b.write(input)
	case task == "price" && !b.brief:
		seen, err := readBehaviour(input)
		if err != nil {
			return "", err
		}
		content, err := json.Marshal(seen.propose())
		return string(content), err
	default:
		return "", b.unanswerable("it does not know this task")
	}
}

// pace is how long a word takes: people see it written.
const pace = 20 * time.Millisecond

// speak says a text word by word to who wants to hear it so.
func speak(ctx context.Context, text string, options []llms.CallOption) error {
	var wanted llms.CallOptions
	for _, option := range options {
		option(&wanted)
	}
	if wanted.StreamingFunc == nil {
		return nil
	}
	ticks := time.NewTicker(pace)
	defer ticks.Stop()
	for word := range strings.SplitAfterSeq(text, " ") {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := wanted.StreamingFunc(ctx, []byte(word)); err != nil {
			return err
		}
	}
	return nil
}

// Call is GenerateContent for one text.
func (b builtinModel) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, b, prompt, options...)
}

func question(messages []llms.MessageContent) (text string) {
	for _, message := range messages {
		for _, part := range message.Parts {
			if words, ok := part.(llms.TextContent); ok && message.Role == llms.ChatMessageTypeHuman {
				text = words.Text
			}
		}
	}
	return text
}

func (b builtinModel) unanswerable(why string) *model.Error {
	return &model.Error{Outcome: model.Failed, Message: b.name() + " cannot answer: " + why + "."}
}

// behaviour is what the price question tells of a visit.
type behaviour struct {
	Visits        int    `json:"visits"`
	TimeOnSite    int    `json:"time_on_site"` // seconds
	ViewedPricing bool   `json:"viewed_pricing"`
	AddedToCart   bool   `json:"added_to_cart"`
	UserType      string `json:"user_type"`
}

type proposal struct {
	DiscountPercent int    `json:"discount_percent"`
	Reason          string `json:"reason"`
}

// readBehaviour takes the five facts and no other: what else somebody adds to the question
// would be personal data that nobody agreed to.
func readBehaviour(input []byte) (seen behaviour, err error) {
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&seen) != nil {
		return seen, builtinModel{}.unanswerable("it takes the five facts about a visit, and no others")
	}
	switch seen.UserType {
	case "new_visitor", "returning_visitor", "power_user":
		return seen, nil
	default:
		return seen, builtinModel{}.unanswerable("it does not know this user_type")
	}
}

// propose adds up what speaks for a discount: 20 for a cart that was left, or 10 for a look
// at the price; 4 for coming back, and 1 more for each visit from the third on, up to 3;
// 3 for five minutes here. That makes 30 at most. A power user gets 5.
func (b behaviour) propose() proposal {
	if b.UserType == "power_user" {
		return proposal{5, "You are here often and know what it is worth, so this is a small thank-you."}
	}
	percent, facts := b.interest()
	if b.UserType == "returning_visitor" {
		percent += 4 + min(max(b.Visits-2, 0), 3)
		facts = append(facts, cameBack(b.Visits))
	}
	if b.TimeOnSite >= 5*60 {
		percent += 3
		facts = append(facts, fmt.Sprintf("you spent %d minutes here", b.TimeOnSite/60))
	}
	if len(facts) == 0 {
		return proposal{0, "This is your first look around, so there is no discount yet."}
	}
	return proposal{percent, "You get a discount because " + sentence(facts) + "."}
}

func (b behaviour) interest() (percent int, facts []string) {
	switch {
	case b.AddedToCart:
		return 20, []string{"you put the membership in your cart"}
	case b.ViewedPricing:
		return 10, []string{"you looked at the price"}
	default:
		return 0, nil
	}
}

func cameBack(visits int) string {
	if visits < 2 {
		return "you came back"
	}
	return fmt.Sprintf("you have come %d times", visits)
}

// sentence joins facts as people do: a, b and c.
func sentence(facts []string) string {
	last := len(facts) - 1
	if last == 0 {
		return facts[0]
	}
	return strings.Join(facts[:last], ", ") + " and " + facts[last]
}

// order is what the tweet question tells.
type order struct {
	Topic string   `json:"topic"`
	Voice string   `json:"voice"`
	Style string   `json:"style"` // what the voice means; the templates know it by its name
	Facts []string `json:"facts"`
}

// template is a text around a topic: before it, after it, and after a fact.
type template struct{ before, after, end string }

// templates claim nothing that is not so of every post.
var templates = map[string]template{
	"founder":     {"What is on our minds today: ", ".", "Every post of ours is a run that anybody may open."},
	"engineer":    {"Topic of the day: ", ".", "What was done for this post, and in which order, stands in its run."},
	"storyteller": {"Somebody said to us: write about ", ". So here we are.", "How this post came about is a story of its own. It stands in its run."},
	"sceptic":     {"", "? We would not take anybody's word for it.", "Not ours either: open the run of this post and look."},
	"celebrant":   {"A good day to talk about ", "!", "Thank you to everybody who shares this account."},
}

// briefly are for who has less to say.
var briefly = map[string]template{
	"founder":     {"We are on it: ", ".", ""},
	"engineer":    {"Subject: ", ".", ""},
	"storyteller": {"Once upon a time: ", ".", ""},
	"sceptic":     {"", ". Really?", ""},
	"celebrant":   {"Hooray: ", "!", ""},
}

// write fills in a template: with the topic, and with as many facts as fit.
func (b builtinModel) write(input []byte) (string, error) {
	var o order
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&o) != nil {
		return "", b.unanswerable("it takes a topic, a voice and facts, and nothing else")
	}
	forms := templates
	if b.brief {
		forms = briefly
	}
	form, known := forms[o.Voice]
	topic := strings.TrimRight(oneLine(o.Topic), ".!?… ")
	if !known || topic == "" {
		return "", b.unanswerable("it needs a topic, and a voice that it knows")
	}
	return form.fill(topic, o.Facts), nil
}

func (f template) fill(topic string, facts []string) string {
	text := f.before + topic + f.after
	if post.Weight(text) > post.MaxWeight {
		runes := []rune(topic)
		fits := func(n int) bool { return post.Weight(f.around(runes[:n])) <= post.MaxWeight }
		text = f.around(runes[:sort.Search(len(runes), func(n int) bool { return !fits(n + 1) })])
	}
	for _, more := range append(facts[:len(facts):len(facts)], f.end) {
		longer := strings.TrimRight(text+" "+oneLine(more), " ")
		if post.Weight(longer) <= post.MaxWeight {
			text = longer
		}
	}
	return text
}

// around is a text about the beginning of a topic.
func (f template) around(topic []rune) string {
	return f.before + strings.TrimRight(string(topic), " ") + "…" + f.after
}

// oneLine makes every blank, and whatever cannot be seen, one plain blank.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}
