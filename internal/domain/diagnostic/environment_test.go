package diagnostic_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/diagnostic"
)

var (
	key    = strings.Repeat("k", 25)
	secret = strings.Repeat("s", 50)
)

// sound returns a valid environment with changes.
func sound(changes ...func(*diagnostic.Environment)) diagnostic.Environment {
	e := diagnostic.Environment{
		ConsumerKey: key, ConsumerSecret: secret, Callback: "https://zero.example/api/auth/x/callback", Founders: 2, HasAccount: true,
	}
	for _, change := range changes {
		change(&e)
	}
	return e
}

func keys(key, secret string) func(*diagnostic.Environment) {
	return func(e *diagnostic.Environment) { e.ConsumerKey, e.ConsumerSecret = key, secret }
}

func callback(url string, sandbox bool) func(*diagnostic.Environment) {
	return func(e *diagnostic.Environment) { e.Callback, e.Sandbox = url, sandbox }
}

// Proves: V10.2.1
func TestCheckEnvironment(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*diagnostic.Environment)
		code   string
		says   string // a part of the problem or the remedy
	}{
		"everything is set":                        {callback("https://zero.example/back", false), "ok", ""},
		"the bot's own account may be missing":     {func(e *diagnostic.Environment) { e.HasAccount = false }, "ok", ""},
		"no key":                                   {keys("", secret), "key_missing", "X_CONSUMER_KEY is not set"},
		"neither key nor secret":                   {keys("", ""), "key_missing", "X_CONSUMER_SECRET to the API Key Secret"},
		"a key of blanks is no key":                {keys(" \n", secret), "key_missing", "X_CONSUMER_KEY"},
		"no secret":                                {keys(key, ""), "secret_missing", "X_CONSUMER_SECRET is not set"},
		"a key with a line break behind it":        {keys(key+"\n", secret), "key_blank", "X_CONSUMER_KEY contains"},
		"a key with a space before it":             {keys(" "+key, secret), "key_blank", "X_CONSUMER_KEY contains"},
		"a key with a space inside":                {keys(key[:10]+" "+key[11:], secret), "key_blank", "X_CONSUMER_KEY contains"},
		"a key with an invisible character":        {keys(key+"\u200b", secret), "key_blank", "X_CONSUMER_KEY contains"},
		"a secret with a line break behind it":     {keys(key, secret+"\r\n"), "key_blank", "X_CONSUMER_SECRET contains"},
		"the client ID of OAuth 2.0":               {keys(strings.Repeat("i", 34), secret), "key_is_oauth2", "not to the OAuth 2.0 Client ID"},
		"a bearer token":                           {keys(strings.Repeat("A", 112), secret), "key_is_bearer", "has 112 characters"},
		"a bearer token with a line break":         {keys(strings.Repeat("A", 112)+"\n", secret), "key_is_bearer", "not to the Bearer Token"},
		"ninety characters are no bearer token":    {keys(strings.Repeat("A", 90), secret), "key_length", "has 90 characters"},
		"a key that lost its last letter":          {keys(key[1:], secret), "key_length", "has 24 characters, but an API Key of X has 25"},
		"a key of one letter":                      {keys("k", secret), "key_length", "has 1 character,"},
		"a key in quotation marks":                 {keys(`"`+key+`"`, secret), "key_length", "without quotation marks"},
		"a secret that lost its last letter":       {keys(key, secret[1:]), "secret_length", "has 49 characters, but an API Key Secret of X has 50"},
		"key and secret are exchanged":             {keys(secret, key), "keys_swapped", "Exchange"},
		"a wrong key is named before a bad secret": {keys(key[1:], ""), "key_length", "X_CONSUMER_KEY has 24"},
		"no callback":                              {callback("", false), "callback_invalid", "PUBLIC_URL"},
		"a callback without a scheme":              {callback("zero.example/back", false), "callback_invalid", "PUBLIC_URL"},
		"a callback of another scheme":             {callback("ftp://zero.example/back", false), "callback_invalid", "PUBLIC_URL"},
		"a callback without a host":                {callback("https:///back", false), "callback_invalid", "PUBLIC_URL"},
		"a callback with a fragment":               {callback("https://zero.example/#back", false), "callback_invalid", "PUBLIC_URL"},
		"a callback with a password":               {callback("https://a:b@zero.example/back", false), "callback_invalid", "PUBLIC_URL"},
		"X does not take localhost":                {callback("http://localhost:8080/back", false), "callback_invalid", "127.0.0.1"},
		"the sandbox takes localhost":              {callback("http://localhost:8080/back", true), "ok", ""},
		"X takes this machine by its number":       {callback("http://127.0.0.1:8080/back", false), "ok", ""},
		"no founder":                               {func(e *diagnostic.Environment) { e.Founders = 0 }, "founders_missing", "FOUNDERS"},
		"the sandbox's keys are measured alike":    {func(e *diagnostic.Environment) { e.Sandbox, e.ConsumerKey = true, "sandbox" }, "key_length", "has 7 characters"},
	} {
		t.Run(name, func(t *testing.T) {
			found := diagnostic.CheckEnvironment(sound(tt.change))
			require.Equal(t, tt.code, found.Code)
			require.Equal(t, diagnostic.StepEnvironment, found.Step)
			require.Equal(t, tt.code == "ok", found.OK)
			require.Contains(t, found.Problem+" "+found.Remedy, tt.says)
		})
	}
}

func TestEnvironmentFactsArePublic(t *testing.T) {
	t.Parallel()
	require.Equal(t, []diagnostic.Fact{
		{Name: "X_CONSUMER_KEY", Value: "25 characters"},
		{Name: "X_CONSUMER_SECRET", Value: "50 characters"},
		{Name: "founders", Value: "2"},
		{Name: "bot's account", Value: "set"},
		{Name: "X", Value: "itself"},
		{Name: "callback URL", Value: "https://zero.example/api/auth/x/callback"},
	}, diagnostic.CheckEnvironment(sound()).Facts)

	found := diagnostic.CheckEnvironment(sound(keys("planted-key", ""), callback("https://user:planted@zero.example", false)))
	require.Contains(t, found.Facts, diagnostic.Fact{Name: "X_CONSUMER_SECRET", Value: "not set"})
	for _, text := range texts(found) {
		require.NotContains(t, text, "planted")
	}
}

// texts returns all texts of a finding.
func texts(found diagnostic.Finding) []string {
	all := []string{found.Problem, found.Remedy}
	for _, fact := range found.Facts {
		all = append(all, fact.Name, fact.Value)
	}
	return all
}

func TestCheckSignature(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("0a", 32)
	for name, tt := range map[string]struct {
		signature diagnostic.Signature
		code      string
	}{
		"an HMAC-SHA1 has 28 characters": {diagnostic.Signature{BaseLength: 300, BaseHash: hash, Length: 28}, "ok"},
		"there is no signature":          {diagnostic.Signature{}, "signature_failed"},
		"nothing was signed":             {diagnostic.Signature{Length: 28}, "signature_failed"},
		"another kind of signature":      {diagnostic.Signature{BaseLength: 300, BaseHash: hash, Length: 44}, "signature_failed"},
	} {
		t.Run(name, func(t *testing.T) {
			found := diagnostic.CheckSignature(tt.signature)
			require.Equal(t, tt.code, found.Code)
			require.Equal(t, diagnostic.StepSignature, found.Step)
			if found.OK {
				require.Equal(t, []diagnostic.Fact{
					{Name: "base string", Value: "300 characters"},
					{Name: "SHA-256 of the base string", Value: hash},
					{Name: "signature", Value: "28 characters"},
				}, found.Facts)
			}
		})
	}
}
