package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"customerzero/internal/domain/target"
	"customerzero/internal/platform/config"
)

// parts are the dependencies that doctor checks. A part that is not in use passes.
var parts = []struct {
	name  string
	check func(context.Context, config.Config) (state string, err error)
}{
	{"database", checkDatabase},
	{"Temporal", checkTemporal},
	{"X", checkX},
	{"Stripe", checkStripe},
	{"chaos target", checkTarget},
	{"models", checkModels},
	{"SMTP", checkSMTP},
	{"browser", checkBrowser},
}

func doctorCommand() *cobra.Command {
	return printsJSON(&cobra.Command{
		Use: "doctor", Short: "Check every dependency and print the settings",
		Long: "Check the database, Temporal, X, Stripe, the chaos target, the models, the mail server and the browser, and print how to\n" +
			"repair each failure. Then print the settings; of a secret only whether it is set. The exit code is 1 if a check fails.",
		Example: "  customerzero doctor\n  customerzero doctor --json | jq '.parts[] | select(.ok | not)'",
		RunE:    withConfig(runDoctor),
	}, "parts (name, ok, detail), settings (name, value, default, doc, secret), warnings")
}

func checkDatabase(ctx context.Context, cfg config.Config) (string, error) {
	if cfg.SQLite() {
		if _, err := os.Stat(cfg.DataDir); err != nil {
			return "", errors.New("the data directory " + cfg.DataDir + " does not exist; run customerzero up")
		}
	}
	db, err := openStore(ctx, cfg)
	if err != nil {
		return "", err
	}
	defer func() { _ = db.Close() }()
	if err := checkIntact(ctx, cfg, db); err != nil {
		return "", err
	}
	if err := errors.Join(db.CheckSchema(ctx), db.CheckDurable(ctx)); err != nil {
		return "", errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return "", nil
}

func checkTemporal(ctx context.Context, cfg config.Config) (string, error) {
	temporal, err := dialTemporal(ctx, cfg, cfg.TemporalAddress)
	if err != nil {
		return "", fmt.Errorf("%w, or run customerzero up", err)
	}
	defer temporal.Close()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := newRuns(cfg, temporal).RunCanary(ctx); err != nil {
		return "", errors.New("no worker runs workflows, although Temporal responds; start customerzero worker or up")
	}
	return "a canary workflow completed", nil
}

func checkX(ctx context.Context, cfg config.Config) (string, error) {
	db, err := openStore(ctx, cfg)
	if err != nil {
		return "", errors.New("not checked: the X credentials are in the database, which cannot be opened")
	}
	defer func() { _ = db.Close() }()
	ring, err := openKeys(cfg)
	if err != nil {
		return "", err
	}
	db.UseKeys(ring)
	if err := db.CheckKeys(ctx); err != nil {
		return "", err
	}
	x := newX(cfg, db)
	tokens, err := x.BotTokens(ctx)
	if err != nil {
		return "", err
	}
	if tokens == nil {
		return "", errors.New("the bot's X account is not connected; a founder can connect it at " + publicURL(cfg) + "/credentials")
	}
	me, err := x.Owner(ctx, *tokens)
	if err != nil {
		return "", err
	}
	state := "posting as @" + me.Handle
	if cfg.XSandbox() {
		state += " on the sandbox"
	}
	return state, nil
}

// checkStripe makes a free API call that fails if the key is wrong.
func checkStripe(ctx context.Context, cfg config.Config) (string, error) {
	payments, err := newPayments(cfg, cfg.StripeSecretKey)
	if err != nil {
		return "", err
	}
	if _, err := payments.Events(ctx, time.Now(), 1); err != nil {
		return "", errors.New(err.Error() + " Correct STRIPE_SECRET_KEY or STRIPE_BASE_URL.")
	}
	switch {
	case cfg.StripeSandbox():
		return "sandbox: no card is charged", nil
	case !payments.Live():
		return "test mode: no card is charged", nil
	}
	return "live: cards are charged", nil
}

func checkModels(ctx context.Context, cfg config.Config) (string, error) {
	models, err := newModels(cfg)
	if err != nil {
		return "", err
	}
	for _, model := range models.Names() {
		switch vendor, _, _ := strings.Cut(model, ":"); vendor {
		case "openai":
			err = checkURL(ctx, cfg.OpenAIBaseURL, "OPENAI_BASE_URL")
		case "ollama":
			err = checkURL(ctx, cfg.OllamaHost, "OLLAMA_HOST")
		}
		if err != nil {
			return "", err
		}
	}
	return strings.Join(models.Names(), ", "), nil
}

func checkURL(ctx context.Context, address, setting string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err == nil {
		client := http.Client{Timeout: 5 * time.Second, CheckRedirect: stay}
		var resp *http.Response
		if resp, err = client.Do(req); err == nil {
			_ = resp.Body.Close()
			return nil
		}
	}
	return errors.New("no response; correct " + setting)
}

func checkSMTP(ctx context.Context, cfg config.Config) (string, error) {
	address, err := url.Parse(cfg.SMTPURL)
	if err != nil || address.Host == "" {
		return "", errors.New("SMTP_URL must have the form smtp://user:password@host:port")
	}
	host := address.Host
	if address.Port() == "" {
		host = net.JoinHostPort(address.Hostname(), "587")
	}
	conn, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(ctx, "tcp", host)
	if err != nil {
		return "", errors.New("no response from the mail server; correct SMTP_URL")
	}
	_ = conn.Close()
	return "the mail server accepts connections", nil
}

func checkBrowser(ctx context.Context, cfg config.Config) (string, error) {
	version, err := newBrowser(cfg, nil).Check(ctx)
	if err != nil {
		return "", errors.New(err.Error() + " Only site checks need it.")
	}
	return version, nil
}

type partResult struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

type doctorResult struct {
	Parts    []partResult     `json:"parts"`
	Settings []config.Setting `json:"settings"`
	Warnings []string         `json:"warnings"`
}

func runDoctor(cmd *cobra.Command, cfg config.Config, _ []string) error {
	cfg = alone(cfg)
	ctx, cancel := context.WithTimeout(cmd.Context(), 30*time.Second)
	defer cancel()
	report, failed := doctorResult{Settings: cfg.Settings(), Warnings: append(config.Misspelled(os.Environ()), config.MisspelledIn(".env")...)}, 0
	for _, part := range parts {
		_, _ = fmt.Fprintln(cmd.ErrOrStderr(), "checking", part.name)
		state, err := part.check(ctx, cfg)
		if err != nil {
			failed++
			state = err.Error()
		}
		report.Parts = append(report.Parts, partResult{part.name, err == nil, state})
	}
	if err := printResult(cmd, report, "%s", report); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d checks failed", failed, len(parts))
	}
	return nil
}

func (r doctorResult) String() string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 4, 2, ' ', 0)
	for _, part := range r.Parts {
		verdict := map[bool]string{true: "ok", false: "FAILED"}[part.OK]
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\n", part.Name, verdict, part.Detail)
	}
	_, _ = fmt.Fprintln(table, "\nsettings\t\t")
	for _, s := range r.Settings {
		_, _ = fmt.Fprintf(table, "%s\t%s\t\n", s.Name, s.Value)
	}
	_ = table.Flush()
	for _, warning := range r.Warnings {
		text.WriteString("\nwarning: " + warning)
	}
	return strings.TrimRight(text.String(), "\n") + "\n"
}

// checkTarget passes if the chaos target's supervisor responds. A broken instance is not a failure.
func checkTarget(ctx context.Context, cfg config.Config) (string, error) {
	prober, exists := newProber(cfg)
	if !exists {
		return "off (customerzero up starts one; otherwise start customerzero target, and set CHAOS_TARGET_KEY for the worker)", nil
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if _, err := prober.Inspect(ctx); err != nil {
		return "", fmt.Errorf("%w; start customerzero target or up, or correct CHAOS_TARGET_CONTROL_URL", err)
	}
	sample := prober.Probe(ctx)
	switch failing := sample.Failing; {
	case sample.Healthy():
		return fmt.Sprintf("all %d checks pass, process %d", len(target.Checks()), sample.Process), nil
	case failing.Has(target.CheckProcess):
		return "the supervisor responds, the instance is dead: the healer, which customerzero worker runs, restarts it", nil
	default:
		return fmt.Sprintf("the supervisor responds, %d checks fail: %v", failing.Count(), failing.Checks()), nil
	}
}
