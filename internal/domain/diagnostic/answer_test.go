package diagnostic_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/diagnostic"
)

type answers map[string]struct {
	answer diagnostic.Answer
	code   string
}

func (a answers) check(t *testing.T, check func(diagnostic.Answer) diagnostic.Finding) {
	t.Helper()
	for name, tt := range a {
		t.Run(name, func(t *testing.T) {
			found := check(tt.answer)
			require.Equal(t, tt.code, found.Code)
			require.Equal(t, tt.code == "ok", found.OK)
		})
	}
}

// either holds the cases of both calls.
var either = answers{
	"no answer at all":                         {diagnostic.Answer{}, "unreachable"},
	"the name is not found":                    {diagnostic.Answer{Unreachable: "dns"}, "unreachable_dns"},
	"connection refused":                       {diagnostic.Answer{Unreachable: "refused"}, "unreachable_refused"},
	"no answer in time":                        {diagnostic.Answer{Unreachable: "timeout"}, "unreachable_timeout"},
	"the certificate is not good":              {diagnostic.Answer{Unreachable: "tls"}, "unreachable_tls"},
	"the connection broke off":                 {diagnostic.Answer{Unreachable: "other"}, "unreachable"},
	"a success broke off":                      {diagnostic.Answer{Status: 200, Unreachable: "other"}, "unreachable"},
	"a refusal broke off":                      {diagnostic.Answer{Status: 402, Unreachable: "other"}, "no_credits"},
	"over capacity, as a web page":             {diagnostic.Answer{Status: 503, HTML: true}, "page_down"},
	"over capacity, in JSON":                   {diagnostic.Answer{Status: 503, Code: 130}, "page_down"},
	"an error without words":                   {diagnostic.Answer{Status: 500}, "page_down"},
	"a web page forbids":                       {diagnostic.Answer{Status: 403, HTML: true}, "page_down"},
	"a redirect":                               {diagnostic.Answer{Status: 302}, "nonsense"},
	"a success that is a web page":             {diagnostic.Answer{Status: 200, HTML: true}, "nonsense"},
	"the app's keys are not known":             {diagnostic.Answer{Status: 401, Code: 32}, "keys_refused"},
	"there was no signature":                   {diagnostic.Answer{Status: 400, Code: 215}, "keys_refused"},
	"X says that it is the time":               {diagnostic.Answer{Status: 401, Code: 135}, "clock_skew"},
	"the callback is not listed":               {diagnostic.Answer{Status: 403, Code: 415}, "callback_refused"},
	"no callback is listed":                    {diagnostic.Answer{Status: 401, Code: 417}, "callback_refused"},
	"no callback, without a number":            {diagnostic.Answer{Status: 403, Detail: "Desktop applications only support the oauth_callback value 'oob'"}, "callback_refused"},
	"the app is suspended":                     {diagnostic.Answer{Status: 403, Code: 416}, "app_suspended"},
	"the app is suspended, in words":           {diagnostic.Answer{Status: 403, Detail: "Invalid / suspended application."}, "app_suspended"},
	"the app is forbidden, for another reason": {diagnostic.Answer{Status: 403, Kind: "client-forbidden", Reason: "client-suspended"}, "app_suspended"},
	"the app is not enrolled":                  {diagnostic.Answer{Status: 403, Kind: "client-forbidden", Reason: "client-not-enrolled"}, "not_enrolled"},
	"the app has a lesser plan":                {diagnostic.Answer{Status: 403, Code: 453}, "not_enrolled"},
	"the app may only read":                    {diagnostic.Answer{Status: 403, Kind: "oauth1-permissions", AccessLevel: "read"}, "read_only"},
	"the app may only read, by its number":     {diagnostic.Answer{Status: 403, Code: 261}, "read_only"},
	"the account is suspended":                 {diagnostic.Answer{Status: 403, Code: 64}, "account_suspended"},
	"the account is locked":                    {diagnostic.Answer{Status: 403, Code: 326}, "account_suspended"},
	"the account is suspended, in words":       {diagnostic.Answer{Status: 403, Detail: "Your account is suspended and is not permitted to access this feature."}, "account_suspended"},
	"the credits are used up":                  {diagnostic.Answer{Status: 402, Title: "CreditsDepleted", Kind: "credits"}, "no_credits"},
	"the credits are, without words":           {diagnostic.Answer{Status: 402}, "no_credits"},
	"our spending limit is reached":            {diagnostic.Answer{Status: 403, Title: "SpendCapReached", Kind: "credits"}, "capped"},
	"the month's allowance is used up":         {diagnostic.Answer{Status: 429, Title: "UsageCapExceeded", Kind: "usage-capped"}, "capped"},
	"the month's allowance, by kind":           {diagnostic.Answer{Status: 429, Kind: "usage-capped"}, "capped"},
	"the limit of calls is reached":            {diagnostic.Answer{Status: 429, Title: "Too Many Requests"}, "rate_limited"},
	"the limit of calls, by its number":        {diagnostic.Answer{Status: 403, Code: 88}, "rate_limited"},
	"there is nothing at this address":         {diagnostic.Answer{Status: 404, Title: "Not Found"}, "refused"},
	"forbidden without words":                  {diagnostic.Answer{Status: 403}, "refused"},

	// With two causes, the more specific one wins.
	"keys refused, and our clock is wrong":    {diagnostic.Answer{Status: 401, Code: 32, Skew: -6 * time.Minute}, "clock_skew"},
	"token refused, and our clock is wrong":   {diagnostic.Answer{Status: 401, Code: 89, Skew: 5 * time.Minute}, "clock_skew"},
	"a 401, and our clock is wrong":           {diagnostic.Answer{Status: 401, Skew: 4*time.Minute + time.Second}, "clock_skew"},
	"keys refused, and our clock is nearly":   {diagnostic.Answer{Status: 401, Code: 32, Skew: 4 * time.Minute}, "keys_refused"},
	"no 401, so the clock does not matter":    {diagnostic.Answer{Status: 402, Skew: time.Hour}, "no_credits"},
	"suspended, and our clock is wrong":       {diagnostic.Answer{Status: 401, Code: 416, Skew: time.Hour}, "app_suspended"},
	"no callback, and our clock is wrong":     {diagnostic.Answer{Status: 401, Code: 417, Skew: time.Hour}, "callback_refused"},
	"a web page, and our clock is wrong":      {diagnostic.Answer{Status: 401, HTML: true, Skew: time.Hour}, "page_down"},
	"a web page says 404":                     {diagnostic.Answer{Status: 404, HTML: true}, "page_down"},
	"a number says more than a broken server": {diagnostic.Answer{Status: 500, Code: 415}, "callback_refused"},
	"a title says more than the kind":         {diagnostic.Answer{Status: 402, Title: "SpendCapReached", Kind: "credits"}, "capped"},
	"a kind says more than the words":         {diagnostic.Answer{Status: 403, Kind: "client-forbidden", Detail: "suspended"}, "app_suspended"},
	"a kind says more than 429":               {diagnostic.Answer{Status: 429, Kind: "credits"}, "no_credits"},
}

func TestEitherCall(t *testing.T) {
	t.Parallel()
	for name, tt := range either {
		t.Run(name, func(t *testing.T) {
			for step, found := range map[diagnostic.Step]diagnostic.Finding{
				diagnostic.StepRequestToken: diagnostic.CheckRequestToken(tt.answer),
				diagnostic.StepAccount:      diagnostic.CheckAccount(tt.answer),
			} {
				require.Equal(t, tt.code, found.Code, step)
				require.Equal(t, step, found.Step)
				require.False(t, found.OK)
				require.NotEmpty(t, found.Problem)
				require.NotEmpty(t, found.Remedy)
			}
		})
	}
}

func TestCheckRequestToken(t *testing.T) {
	t.Parallel()
	answers{
		"a confirmed token":                          {diagnostic.Answer{Status: 200, HasToken: true, Confirmed: true}, "ok"},
		"a wrong clock that X tolerates":             {diagnostic.Answer{Status: 200, HasToken: true, Confirmed: true, Skew: time.Hour}, "ok"},
		"the app may only read, which will do":       {diagnostic.Answer{Status: 200, HasToken: true, Confirmed: true, AccessLevel: "read"}, "ok"},
		"an unconfirmed token":                       {diagnostic.Answer{Status: 200, HasToken: true}, "unconfirmed"},
		"a confirmation of no token":                 {diagnostic.Answer{Status: 200, Confirmed: true}, "nonsense"},
		"a success that says nothing":                {diagnostic.Answer{Status: 200}, "nonsense"},
		"a 401 without a number":                     {diagnostic.Answer{Status: 401}, "keys_refused"},
		"an invalid token, but no token is involved": {diagnostic.Answer{Status: 401, Code: 89}, "keys_refused"},
	}.check(t, diagnostic.CheckRequestToken)
}

func TestCheckAccount(t *testing.T) {
	t.Parallel()
	answers{
		"the account may write":                   {diagnostic.Answer{Status: 200, UserID: "1", AccessLevel: "read-write"}, "ok"},
		"the account may read messages too":       {diagnostic.Answer{Status: 200, UserID: "1", AccessLevel: "read-write-directmessages"}, "ok"},
		"X does not say what the account may":     {diagnostic.Answer{Status: 200, UserID: "1"}, "ok"},
		"the account may only read":               {diagnostic.Answer{Status: 200, UserID: "1", AccessLevel: "read"}, "read_only"},
		"X shows no account":                      {diagnostic.Answer{Status: 200}, "nonsense"},
		"X shows no account, as it is suspended":  {diagnostic.Answer{Status: 200, Detail: "User has been suspended: [1]."}, "account_suspended"},
		"a 401 without a number":                  {diagnostic.Answer{Status: 401, Title: "Unauthorized", Kind: "about:blank"}, "token_refused"},
		"an invalid or expired token":             {diagnostic.Answer{Status: 401, Code: 89}, "token_refused"},
		"an invalid token, but not as a 401":      {diagnostic.Answer{Status: 403, Code: 89}, "token_refused"},
		"a token that would do for a request one": {diagnostic.Answer{Status: 200, HasToken: true, Confirmed: true}, "nonsense"},
	}.check(t, diagnostic.CheckAccount)
}

func TestTheClockInWords(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		skew time.Duration
		says string
	}{
		"ahead by minutes":            {-6 * time.Minute, "This machine's clock is 6 minutes ahead of X's, so"},
		"behind by minutes, rounded":  {5*time.Minute + 40*time.Second, "clock is 6 minutes behind X's, so"},
		"behind by hours":             {3 * time.Hour, "clock is 3 hours behind X's, so"},
		"ahead by days":               {-72 * time.Hour, "clock is 3 days ahead of X's, so"},
		"ahead by seconds":            {-90 * time.Second, "clock is 90 seconds ahead of X's, so"},
		"X says so, by its own clock": {time.Second, "clock is not in sync with X's, so"},
		"X does not give the time":    {0, "clock is not in sync with X's, so"},
	} {
		t.Run(name, func(t *testing.T) {
			found := diagnostic.CheckRequestToken(diagnostic.Answer{Status: 401, Code: 135, Skew: tt.skew})
			require.Equal(t, "clock_skew", found.Code)
			require.Contains(t, found.Problem, tt.says)
			require.Contains(t, found.Remedy, "timedatectl set-ntp true")
		})
	}
}

func TestAnswerFactsArePublic(t *testing.T) {
	t.Parallel()
	found := diagnostic.CheckAccount(diagnostic.Answer{
		Status: 403, Code: 64, Kind: "oauth1-permissions", AccessLevel: "read", Skew: -6 * time.Minute, Username: "zero",
		Title: "planted", Reason: "planted", Detail: "planted", Body: "planted",
	})
	require.Equal(t, []diagnostic.Fact{
		{Name: "HTTP status", Value: "403"},
		{Name: "X's error number", Value: "64"},
		{Name: "X's kind of problem", Value: "oauth1-permissions"},
		{Name: "access level", Value: "read"},
		{Name: "this machine's clock", Value: "6 minutes ahead of X's"},
		{Name: "account", Value: "@zero"},
	}, found.Facts)

	found = diagnostic.CheckAccount(diagnostic.Answer{Status: 403, Kind: "<b>planted</b>", AccessLevel: "PLANTED planted", Skew: time.Second})
	require.Equal(t, []diagnostic.Fact{
		{Name: "HTTP status", Value: "403"}, {Name: "this machine's clock", Value: "in sync with X's"},
	}, found.Facts)
	require.Contains(t, found.Problem, "with status 403")
}
