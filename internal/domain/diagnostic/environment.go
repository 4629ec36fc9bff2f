package diagnostic

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How long X's credentials are, in characters.
const (
	keyLength      = 25
	secretLength   = 50
	clientIDLength = 34
	leastBearer    = 91 // app-only tokens have more than a hundred
)

const (
	settingKey    = "X_CONSUMER_KEY"
	settingSecret = "X_CONSUMER_SECRET"
)

// Environment is how the product is set up. The key and its secret are only measured.
type Environment struct {
	ConsumerKey, ConsumerSecret string
	Callback                    string
	Founders                    int
	HasAccount                  bool // the bot's own tokens are set
	Sandbox                     bool
}

// CheckEnvironment says whether the settings can work, before anybody is called.
func CheckEnvironment(e Environment) Finding {
	code := cmp.Or(pairCode(e.ConsumerKey, e.ConsumerSecret), keyCode(e.ConsumerKey), secretCode(e.ConsumerSecret))
	if code == "" && !isCallback(e.Callback, e.Sandbox) {
		code = CodeCallbackInvalid
	}
	if code == "" && e.Founders <= 0 {
		code = CodeFoundersMissing
	}
	setting, value := settingKey, e.ConsumerKey
	if keyCode(e.ConsumerKey) == "" {
		setting, value = settingSecret, e.ConsumerSecret
	}
	return find(StepEnvironment, cmp.Or(code, CodeOK), e.facts(),
		"{setting}", setting, "{length}", characters(value))
}

// pairCode finds what neither half shows alone.
func pairCode(key, secret string) string {
	if utf8.RuneCountInString(key) == secretLength && utf8.RuneCountInString(secret) == keyLength {
		return CodeKeysSwapped
	}
	return ""
}

func keyCode(key string) string {
	switch length := utf8.RuneCountInString(key); {
	case strings.TrimSpace(key) == "":
		return CodeKeyMissing
	case length >= leastBearer:
		return CodeKeyIsBearer
	case hasBlank(key):
		return CodeKeyBlank
	case length == clientIDLength:
		return CodeKeyIsOAuth2
	case length != keyLength:
		return CodeKeyLength
	default:
		return ""
	}
}

func secretCode(secret string) string {
	switch {
	case strings.TrimSpace(secret) == "":
		return CodeSecretMissing
	case hasBlank(secret):
		return CodeKeyBlank
	case utf8.RuneCountInString(secret) != secretLength:
		return CodeSecretLength
	default:
		return ""
	}
}

// hasBlank looks for what copying and pasting brings along unseen.
func hasBlank(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) })
}

// isCallback says whether X, or its sandbox, could send people there.
func isCallback(callback string, sandbox bool) bool {
	u, err := url.Parse(callback)
	if err != nil || u.User != nil || u.Fragment != "" || u.Hostname() == "" {
		return false
	}
	return (u.Scheme == "https" || u.Scheme == "http") && (sandbox || u.Hostname() != "localhost")
}

func (e Environment) facts() []Fact {
	facts := []Fact{
		{settingKey, characters(e.ConsumerKey)},
		{settingSecret, characters(e.ConsumerSecret)},
		{"founders", strconv.Itoa(e.Founders)},
		{"bot's account", map[bool]string{true: "set", false: "not set"}[e.HasAccount]},
		{"X", map[bool]string{true: "the sandbox", false: "itself"}[e.Sandbox]},
	}
	if isCallback(e.Callback, e.Sandbox) {
		facts = append(facts, Fact{"callback URL", e.Callback})
	}
	return facts
}

func characters(s string) string {
	switch length := utf8.RuneCountInString(s); length {
	case 0:
		return "not set"
	case 1:
		return "1 character"
	default:
		return strconv.Itoa(length) + " characters"
	}
}
