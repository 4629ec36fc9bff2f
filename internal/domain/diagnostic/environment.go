package diagnostic

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lengths of X's credentials in characters.
const (
	keyLength      = 25
	secretLength   = 50
	clientIDLength = 34
	leastBearer    = 91 // bearer tokens have more than 100
)

const (
	settingKey    = "X_CONSUMER_KEY"
	settingSecret = "X_CONSUMER_SECRET"
)

// Environment is the configuration of the login with X. Only the lengths of the keys are used.
type Environment struct {
	ConsumerKey, ConsumerSecret string
	Callback                    string
	Founders                    int
	HasAccount                  bool // the bot's tokens are set
	Sandbox                     bool
}

// CheckEnvironment validates the configuration before any call.
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

// hasBlank reports whitespace and invisible characters from copy and paste.
func hasBlank(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) })
}

// isCallback reports whether X, or its sandbox, accepts the callback URL.
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
