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
	builtin     = "builtin"   // the name in LLM_MODELS
	builtinName = "builtin-1" // the name in stored calls; changed rules need a new number
	briefName   = "builtin-brief-1"
)

// builtinModel answers by fixed rules, without a network or a key: the same prompt always has the same
// answer. It reads only the task block of a prompt.
type builtinModel struct {
	brief bool // writes short texts only
}

var _ llms.Model = builtinModel{}

func builtinProvider(brief bool) *provider {
	m := builtinModel{brief: brief}
	return &provider{
		name: m.name(), price: &Price{}, jsonOptions: [][]llms.CallOption{nil},
		open:        func(*http.Client) (llms.Model, error) { return m, nil },
		textOptions: func(stream llms.CallOption) [][]llms.CallOption { return [][]llms.CallOption{{stream}} },
	}
}

func (b builtinModel) name() string {
	if b.brief {
		return briefName
	}
	return builtinName
}

// GenerateContent answers the last human message.
func (b builtinModel) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	task, input, err := model.ReadTask(lastHumanText(messages))
	if err != nil {
		return nil, b.unanswerable("the prompt has no valid task block")
	}
	content, err := b.answer(task, input)
	if err == nil {
		err = stream(ctx, content, options)
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: content, StopReason: "stop"}}}, err
}

func (b builtinModel) answer(task string, input json.RawMessage) (string, error) {
	switch {
	case task == "tweet":
		return b.write(input)
	case task == "price" && !b.brief:
		visit, err := readPriceInput(input)
		if err != nil {
			return "", err
		}
		content, err := json.Marshal(visit.propose())
		return string(content), err
	default:
		return "", b.unanswerable("the task is unknown")
	}
}

// pace is the delay between streamed words.
const pace = 20 * time.Millisecond

// stream sends a text word by word to the streaming function, if the options have one.
func stream(ctx context.Context, text string, options []llms.CallOption) error {
	var config llms.CallOptions
	for _, option := range options {
		option(&config)
	}
	if config.StreamingFunc == nil {
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
		if err := config.StreamingFunc(ctx, []byte(word)); err != nil {
			return err
		}
	}
	return nil
}

// Call implements llms.Model; the product does not use it.
func (b builtinModel) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, b, prompt, options...)
}

func lastHumanText(messages []llms.MessageContent) (text string) {
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

// priceInput is the input of the price task.
type priceInput struct {
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

// readPriceInput rejects unknown fields, which could be personal data without consent.
func readPriceInput(input []byte) (visit priceInput, err error) {
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&visit) != nil {
		return visit, builtinModel{}.unanswerable("the input must be exactly the five facts about a visit")
	}
	switch visit.UserType {
	case "new_visitor", "returning_visitor", "power_user":
		return visit, nil
	default:
		return visit, builtinModel{}.unanswerable("the user_type is unknown")
	}
}

// propose computes the discount in percent: 20 for an abandoned cart, or 10 for viewing the price; 4 for
// returning, plus 1 for each visit from the third, at most 3; 3 for 5 minutes on the site. The maximum is 30.
// A power user gets 5.
func (b priceInput) propose() proposal {
	if b.UserType == "power_user" {
		return proposal{5, "You visit often and know what it is worth, so this is a small thank-you."}
	}
	percent, facts := b.interest()
	if b.UserType == "returning_visitor" {
		percent += 4 + min(max(b.Visits-2, 0), 3)
		facts = append(facts, returned(b.Visits))
	}
	if b.TimeOnSite >= 5*60 {
		percent += 3
		facts = append(facts, fmt.Sprintf("you spent %d minutes here", b.TimeOnSite/60))
	}
	if len(facts) == 0 {
		return proposal{0, "This is your first visit, so there is no discount yet."}
	}
	return proposal{percent, "You get a discount because " + sentence(facts) + "."}
}

func (b priceInput) interest() (percent int, facts []string) {
	switch {
	case b.AddedToCart:
		return 20, []string{"you put the membership in your cart"}
	case b.ViewedPricing:
		return 10, []string{"you viewed the price"}
	default:
		return 0, nil
	}
}

func returned(visits int) string {
	if visits < 2 {
		return "you came back"
	}
	return fmt.Sprintf("you have visited %d times", visits)
}

// sentence joins facts as "a, b and c".
func sentence(facts []string) string {
	last := len(facts) - 1
	if last == 0 {
		return facts[0]
	}
	return strings.Join(facts[:last], ", ") + " and " + facts[last]
}

// tweetInput is the input of the tweet task.
type tweetInput struct {
	Topic string   `json:"topic"`
	Voice string   `json:"voice"`
	Style string   `json:"style"` // a description of the voice, unused here
	Facts []string `json:"facts"`
}

// template surrounds a topic; end is an optional last sentence.
type template struct{ before, after, end string }

// templates by voice. They only state what is true of every post.
var templates = map[string]template{
	"founder":     {"What we are thinking about today: ", ".", "Every post on this account has a public run."},
	"engineer":    {"Topic of the day: ", ".", "The run behind this post lists every step."},
	"storyteller": {"Someone asked us to write about ", ". So here we are.", "How this post was made is a story too: open its run."},
	"sceptic":     {"", "? Don't take anyone's word for it.", "Not even ours: open this post's run."},
	"celebrant":   {"A good day to talk about ", "!", "Thank you to everyone who shares this account."},
}

// briefTemplates are the templates of the brief model.
var briefTemplates = map[string]template{
	"founder":     {"We are on it: ", ".", ""},
	"engineer":    {"Subject: ", ".", ""},
	"storyteller": {"Once upon a time: ", ".", ""},
	"sceptic":     {"", ". Really?", ""},
	"celebrant":   {"Hooray: ", "!", ""},
}

// write fills a template with the topic and as many facts as fit.
func (b builtinModel) write(input []byte) (string, error) {
	var in tweetInput
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&in) != nil {
		return "", b.unanswerable("the input must be a topic, a voice and facts")
	}
	byVoice := templates
	if b.brief {
		byVoice = briefTemplates
	}
	form, known := byVoice[in.Voice]
	topic := strings.TrimRight(oneLine(in.Topic), ".!?… ")
	if !known || topic == "" {
		return "", b.unanswerable("the topic is empty or the voice is unknown")
	}
	return form.fill(topic, in.Facts), nil
}

func (f template) fill(topic string, facts []string) string {
	text := f.before + topic + f.after
	if post.Weight(text) > post.MaxWeight {
		runes := []rune(topic)
		fits := func(n int) bool { return post.Weight(f.shortened(runes[:n])) <= post.MaxWeight }
		text = f.shortened(runes[:sort.Search(len(runes), func(n int) bool { return !fits(n + 1) })])
	}
	for _, more := range append(facts[:len(facts):len(facts)], f.end) {
		longer := strings.TrimRight(text+" "+oneLine(more), " ")
		if post.Weight(longer) <= post.MaxWeight {
			text = longer
		}
	}
	return text
}

// shortened fills in the beginning of a topic and an ellipsis.
func (f template) shortened(topic []rune) string {
	return f.before + strings.TrimRight(string(topic), " ") + "…" + f.after
}

// oneLine replaces each run of white space and control characters by one space.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}
