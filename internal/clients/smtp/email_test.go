package smtp

import (
	"bytes"
	"html"
	"maps"
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/email"
	"customerzero/internal/sandbox/smtp"
)

func TestEmailTexts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		email   Email
		subject string
		both    []string // in the text and in the HTML
	}{
		"a login code": {
			emailOf(email.LoginCode), "Your code for Customer Zero",
			[]string{
				"Your code is", "123456", "https://zero.example.com", "10 minutes", "Firefox on Linux",
				"If this wasn't you, ignore this email", "the code is required to log in",
			},
		},
		"a code for a new address": {emailOf(email.AddressCode), "Confirm your new email address", []string{"123456", "https://zero.example.com", "10 minutes", "nothing changes without the code"}},
		"a welcome": {
			emailOf(email.Welcome), "Welcome, founding member",
			[]string{"Welcome, Ada.", "founding member", "90 credits", "https://zero.example.com/claim?t=a_b-c", "Activate your membership", "works once", "7 days"},
		},
		"a welcome without a name": {emailOf(email.Welcome, with("Name", ""), with("Days", "1")), "Welcome, founding member", []string{"Welcome.", "within 1 day."}},
		"a receipt of a personal price": {
			emailOf(email.Receipt), "Your receipt: $6.75 for a founding membership",
			[]string{
				"You paid $6.75 on 20 November 2026", "no recurring charges", "The list price is $9.00", "was 25 %",
				"set by an algorithm using your personal data", "https://zero.example.com/receipts/r1",
			},
		},
		"a receipt of the list price": {
			emailOf(email.Receipt, with("Paid", "$9.00"), with("Discount", "")), "Your receipt: $9.00 for a founding membership",
			[]string{"You paid $9.00", "https://zero.example.com/receipts/r1"},
		},
		"a refund": {emailOf(email.Refund), "Your refund of $6.75", []string{"refunded $6.75", "paused", "Pay again", "https://zero.example.com/receipts/r1"}},
		"a refund of a membership that was paid for again": {
			emailOf(email.Refund, with("Seat", "stays")), "Your refund of $6.75",
			[]string{"refunded $6.75", "continues, because you have paid for it again", "https://zero.example.com/receipts/r1"},
		},
		"a refund of a membership that ended": {emailOf(email.Refund, with("Seat", "gone")), "Your refund of $6.75", []string{"refunded $6.75", "had already ended", "https://zero.example.com/receipts/r1"}},
		"a second payment": {
			emailOf(email.PaidTwice), "Duplicate payment: we're refunding $6.75",
			[]string{"paid $6.75 on 20 November 2026", "refunding $6.75", "You don't need to do anything", "https://zero.example.com/receipts/r1"},
		},
		"a changed membership": {
			emailOf(email.MembershipChanged), "Your payment is disputed", []string{"dispute your payment of $6.75", "https://zero.example.com/account"},
		},
		"an alarm about a payment": {
			emailOf(email.PaymentAlarm), "A payment is disputed",
			[]string{"@ada disputes a payment.", "https://zero.example.com/treasury", "because you are a founder"},
		},
		"a post that failed": {
			emailOf(email.PostTrouble), "Your post on @customerzerobot failed",
			[]string{
				"It was not published.", "Our new mug", "X refused this.", "https://zero.example.com/scheduler", "never posts twice",
				"https://zero.example.com/unsubscribe?t=xyz",
			},
		},
		"a post whose outcome is unknown": {
			emailOf(email.PostTrouble, with("Status", "unknown")), "Your post on @customerzerobot needs a decision",
			[]string{"We don't know whether your post on @customerzerobot was published"},
		},
		"a post that waits for approval": {
			emailOf(email.ReviewRequested), "A post by @ada needs your approval",
			[]string{"@ada wants to post", "Our new mug", "only if a founder approves it", "https://zero.example.com/scheduler"},
		},
		"a post that was approved": {
			emailOf(email.ReviewDone), "Your post on @customerzerobot was approved",
			[]string{"Our new mug", "published at its scheduled time", "https://zero.example.com/scheduler", "https://zero.example.com/unsubscribe?t=xyz"},
		},
		"a post that was not approved": {
			emailOf(email.ReviewDone, with("Decision", "rejected"), with("Reason", "Too loud.")), "Your post on @customerzerobot was not approved",
			[]string{"will not be published", "Reason: Too loud."},
		},
		"a post that would be approved with another text": {
			emailOf(email.ReviewDone, with("Decision", "suggested"), with("Suggestion", "A mug, quietly")), "Suggested change to your post on @customerzerobot",
			[]string{"Our new mug", "A mug, quietly", "accept a suggestion"},
		},
		"a login in a new browser": {
			emailOf(email.NewDevice), "New login to your Customer Zero account",
			[]string{"with Firefox on Linux on 20 November 2026, 12:00 UTC.", "log out everywhere", "https://zero.example.com/account"},
		},
		"a changed address": {
			emailOf(email.AddressChanged), "The email address of your Customer Zero account was changed",
			[]string{"restore this address within 7 days", "https://zero.example.com/auth/undo-email#a_b-c"},
		},
		"an idea that was approved": {
			emailOf(email.IdeaReviewed), "Your idea was approved",
			[]string{"“Emoji reactions”", "members can vote on it", "https://zero.example.com/experiments/002-emoji"},
		},
		"an idea that was not approved": {
			emailOf(email.IdeaReviewed, with("Decision", "declined"), with("Reason", "We have it.")), "Your idea was not approved",
			[]string{"It stays private.", "Reason: We have it."},
		},
		"a recurring post that paused": {
			emailOf(email.RecurringPostPaused), "Your recurring post on @customerzerobot is paused",
			[]string{"Our new mug", "Its last two posts failed.", "https://zero.example.com/scheduler"},
		},
		"a chaos target that needs help": {
			emailOf(email.TargetAlarm), "The chaos target needs help",
			[]string{
				"unhealthy since 20 November 2026 12:00:00 UTC", "these fail their checks: the database.",
				"https://zero.example.com/chaos-monkey", "because you are a founder",
			},
		},
		"a farewell": {
			emailOf(email.Farewell), "Your account is deleted",
			[]string{
				"Goodbye, @ada. Your account", "the last email to this address",
				"https://zero.example.com/runs/account-deletion:d1", "https://zero.example.com/privacy",
			},
		},
		"a farewell without a name": {emailOf(email.Farewell, with("Name", "")), "Your account is deleted", []string{"Your account at Customer Zero is deleted"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := deliver(t, tt.email)
			require.Equal(t, tt.subject, m.Subject)
			for _, part := range tt.both {
				require.Contains(t, unwrapped(m.Text), part)
				require.Contains(t, unwrapped(html.UnescapeString(m.HTML)), part)
			}
			require.Equal(t, unwrapped(m.Text), textOf(t, m), "the text and the HTML say the same")
			require.NotContains(t, m.Text+m.HTML, "<no value>")
			require.NotContains(t, m.HTML, "ZgotmplZ")
		})
	}
}

func unwrapped(s string) string { return strings.Join(strings.Fields(s), " ") }

var (
	htmlHead = regexp.MustCompile(`(?s)^.*<h1[^>]*>(.*?)</h1>`)
	htmlLink = regexp.MustCompile(`<a [^>]*href="([^"]*)"[^>]*>([^<]*)</a>`)
	htmlTag  = regexp.MustCompile(`<[^>]+>`)
	fallback = regexp.MustCompile(`If the button does not work, open this URL: \S+ `)
)

// textOf converts the HTML of an email to its plain text: links become "text: URL", the signature is added,
// and the heading, which must be the subject, and the URLs below buttons are removed.
func textOf(t *testing.T, m smtp.Message) string {
	t.Helper()
	require.Equal(t, m.Subject, html.UnescapeString(htmlHead.FindStringSubmatch(m.HTML)[1]))
	text := htmlHead.ReplaceAllString(m.HTML, "")
	text = strings.Replace(text, "</main>", " -- Customer Zero ", 1)
	text = htmlLink.ReplaceAllStringFunc(text, func(link string) string {
		parts := htmlLink.FindStringSubmatch(link)
		if parts[1] == parts[2] {
			return parts[1]
		}
		return parts[2] + ": " + parts[1]
	})
	return fallback.ReplaceAllString(unwrapped(html.UnescapeString(htmlTag.ReplaceAllString(text, " "))), "")
}

// Proves: V14.2.1
func TestOnlyTheWelcomeHasALinkWithASecret(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`href="([^"]*)"`)
	for _, kind := range []email.Kind{email.LoginCode, email.AddressCode} {
		for _, found := range link.FindAllStringSubmatch(deliver(t, emailOf(kind)).HTML, -1) {
			require.Equal(t, "https://zero.example.com", found[1], kind)
		}
	}
}

// TestTheListPriceIsNotCalledPersonal: the law requires the sentence for personal prices; for others it is
// false.
func TestTheListPriceIsNotCalledPersonal(t *testing.T) {
	t.Parallel()
	m := deliver(t, emailOf(email.Receipt, with("Discount", "")))
	require.NotContains(t, m.Text+m.HTML, "algorithm")
}

// TestEnvelopeAndHeaders checks every kind's headers, and that only optional kinds can be unsubscribed from.
func TestEnvelopeAndHeaders(t *testing.T) {
	t.Parallel()
	notices := []email.Kind{email.PostTrouble, email.ReviewRequested, email.ReviewDone, email.RecurringPostPaused, email.IdeaReviewed, email.TargetAlarm, email.PaymentAlarm}
	for _, kind := range email.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			m := deliver(t, emailOf(kind, func(l *Email) { l.To = "Ada@Example.com" }))
			require.Equal(t, "bot@zero.example.com", m.From)
			require.Equal(t, []string{"ada@example.com"}, m.To)
			require.Equal(t, `"Customer Zero" <bot@zero.example.com>`, m.Headers["From"])
			require.Equal(t, "<ada@example.com>", m.Headers["To"])
			require.Equal(t, "<email-1@zero.example.com>", m.Headers["Message-ID"])
			require.Equal(t, "auto-generated", m.Headers["Auto-Submitted"])
			require.Empty(t, m.Headers["Bcc"])
			date, err := time.Parse(time.RFC1123Z, m.Headers["Date"])
			require.NoError(t, err)
			require.WithinDuration(t, time.Now(), date, time.Minute)
			require.Equal(t, slices.Contains(notices[5:], kind), strings.Contains(unwrapped(m.Text), "you are a founder."))
			require.Equal(t, slices.Contains(notices[:5], kind), strings.Contains(unwrapped(m.HTML), "your post or idea, or about a post that you may approve"))
			require.Equal(t, slices.Contains(notices, kind), kind.Optional())
			if !kind.Optional() {
				require.Empty(t, m.Headers["List-Unsubscribe"]+m.Headers["List-Unsubscribe-Post"])
				require.NotContains(t, strings.ToLower(m.Text+m.HTML), "unsubscribe")
				return
			}
			require.Equal(t, "<https://zero.example.com/unsubscribe?t=xyz>", m.Headers["List-Unsubscribe"])
			require.Equal(t, "List-Unsubscribe=One-Click", m.Headers["List-Unsubscribe-Post"])
		})
	}
}

func TestHostileFacts(t *testing.T) {
	t.Parallel()
	const line = "\r\nBcc: eve@example.com\r\n\r\n<script>alert(1)</script>"
	m := deliver(t, emailOf(email.PostTrouble, with("Bot", "@bot"+line), with("Reason", `"><img src=x onerror="y">`+line), with("Excerpt", "</blockquote><b>"+line),
		with("QueueURL", "javascript:alert(1)")))
	require.Equal(t, "Your post on @bot Bcc: eve@example.com <script>alert(1)</script> failed", m.Subject)
	require.Empty(t, m.Headers["Bcc"])
	require.Equal(t, []string{"ada@example.com"}, m.To)
	require.Contains(t, m.Text, "\n    </blockquote><b> Bcc: eve@example.com <script>alert(1)</script>\n")
	require.Contains(t, m.HTML, "&lt;/blockquote&gt;&lt;b&gt; Bcc: eve@example.com &lt;script&gt;alert(1)&lt;/script&gt;")
	for _, tag := range []string{"<script", "<img", "<b>", "javascript:"} {
		require.NotContains(t, m.HTML, tag)
	}
	require.Equal(t, 1, strings.Count(m.HTML, "</blockquote>"))
}

func TestEmailsThatCannotBeSent(t *testing.T) {
	t.Parallel()
	cases := map[string]Email{
		"an unknown kind":             emailOf(email.LoginCode, func(l *Email) { l.Kind = "../layout" }),
		"no ID":                       emailOf(email.LoginCode, func(l *Email) { l.ID = "" }),
		"an ID that ends the header":  emailOf(email.LoginCode, func(l *Email) { l.ID = "a>\r\nBcc: eve@example.com" }),
		"an ID that ends in a dot":    emailOf(email.LoginCode, func(l *Email) { l.ID = "a." }),
		"an ID that never ends":       emailOf(email.LoginCode, func(l *Email) { l.ID = strings.Repeat("a", maxID+1) }),
		"no address":                  emailOf(email.LoginCode, func(l *Email) { l.To = "" }),
		"two addresses":               emailOf(email.LoginCode, func(l *Email) { l.To = "ada@example.com, eve@example.com" }),
		"an address with a header":    emailOf(email.LoginCode, func(l *Email) { l.To = "ada@example.com\r\nBcc: eve@example.com" }),
		"an optional kind for good":   emailOf(email.PostTrouble, func(l *Email) { l.Unsubscribe = "" }),
		"a link that ends the header": emailOf(email.PostTrouble, func(l *Email) { l.Unsubscribe = "https://example.com/?\r\nBcc: eve@example.com" }),
		"a link that ends its quotes": emailOf(email.PostTrouble, func(l *Email) { l.Unsubscribe = "https://example.com/?a>,<mailto:eve@example.com" }),
		"a link of another kind":      emailOf(email.PostTrouble, func(l *Email) { l.Unsubscribe = "mailto:eve@example.com" }),
	}
	for _, kind := range email.Kinds() {
		for fact := range factsOf(kind) {
			cases[string(kind)+" without "+fact] = emailOf(kind, func(l *Email) { delete(l.Facts, fact) })
		}
	}
	for name, l := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sandbox, address := newSandbox(t)
			failure := failed(t, newSender(t, "smtp://"+address).Send(t.Context(), l))
			require.Equal(t, "mail_malformed", failure.Code)
			require.True(t, failure.Permanent)
			require.Empty(t, sandbox.Messages())
		})
	}
}

// FuzzEmail checks that no fact or recipient adds a header or a second recipient.
func FuzzEmail(f *testing.F) {
	for _, fact := range []string{
		"Ada", "", "a\r\nBcc: eve@example.com", "a\n\nAnother body", "=?utf-8?q?=0ABcc:_eve@example.com?=", "<script>alert(1)</script>", "\x00\x1b[2J", "\u2028\u2029\u0085",
		"https://evil.example/\"><a href=", "{{.Code}}", "\xff\xfe", "a\u202eb", "--boundary", "javascript:alert(1)",
	} {
		f.Add(fact, uint8(0), "ada@example.com")
		f.Add(fact, uint8(7), "ada@example.com")
	}
	f.Add("x", uint8(1), "ada@example.com>\r\nBcc: <eve@example.com")
	f.Add("x", uint8(1), "Ada <ada@example.com>, eve@example.com")
	sender, err := NewSender(Config{URL: "smtp://127.0.0.1:1", PublicURL: "https://zero.example.com"})
	require.NoError(f, err)
	kinds := email.Kinds()
	f.Fuzz(func(t *testing.T, fact string, which uint8, to string) {
		kind := kinds[int(which)%len(kinds)]
		l := emailOf(kind, func(l *Email) { l.To = to })
		l.Facts = maps.Clone(l.Facts)
		for name := range l.Facts {
			l.Facts[name] = fact
		}
		m, err := sender.message(l)
		if err != nil {
			return
		}
		var raw bytes.Buffer
		_, err = m.WriteTo(&raw)
		require.NoError(t, err)
		read, err := mail.ReadMessage(bytes.NewReader(raw.Bytes()))
		require.NoError(t, err)
		require.Empty(t, slices.DeleteFunc(slices.Sorted(maps.Keys(read.Header)), isOurs), "injected headers")
		people, err := read.Header.AddressList("To")
		require.NoError(t, err)
		require.Len(t, people, 1)
		for name, values := range read.Header {
			require.Len(t, values, 1, name)
		}
	})
}

// isOurs reports whether the product sets this header.
func isOurs(name string) bool {
	return slices.Contains([]string{
		"From", "To", "Subject", "Date", "Message-Id", "Mime-Version", "Auto-Submitted", "List-Unsubscribe", "List-Unsubscribe-Post", "Content-Type", "Content-Transfer-Encoding",
	}, name)
}
