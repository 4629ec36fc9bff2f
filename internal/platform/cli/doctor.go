package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// parts are what doctor examines: how a part is, or what it lacks. One that is not in use is well.
var parts = []struct {
	name    string
	examine func(context.Context, config.Config) (state string, err error)
}{
	{"database", examineDatabase},
	{"Temporal", examineTemporal},
	{"X", examineX},
	{"Stripe", examineStripe},
	{"the chaos target", examineTarget},
	{"models", examineModels},
	{"SMTP", examineSMTP},
	{"browser", examineBrowser},
}

func doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check every part and say how to mend what fails", Args: cobra.NoArgs,
		RunE: withConfig(func(cmd *cobra.Command, cfg config.Config, _ []string) error {
			cfg = alone(cfg)
			ctx, cancel := context.WithTimeout(cmd.Context(), 30*time.Second)
			defer cancel()
			return report(ctx, cmd.OutOrStdout(), cfg)
		}),
	}
}

func examineDatabase(ctx context.Context, cfg config.Config) (string, error) {
	if cfg.SQLite() {
		if _, err := os.Stat(cfg.DataDir); err != nil {
			return "", errors.New("there is no data directory " + cfg.DataDir + " yet: run customerzero up")
		}
	}
	db, err := openStore(ctx, cfg)
	if err != nil {
		return "", err
	}
	defer func() { _ = db.Close() }()
	if err := errors.Join(db.CheckSchema(ctx), db.CheckDurable(ctx)); err != nil {
		return "", errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return "", nil
}

func examineTemporal(ctx context.Context, cfg config.Config) (string, error) {
	temporal, err := dialTemporal(ctx, cfg, cfg.TemporalAddress)
	if err != nil {
		return "", fmt.Errorf("%w, or run customerzero up", err)
	}
	defer temporal.Close()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := newRuns(cfg, temporal).RunCanary(ctx); err != nil {
		return "", errors.New("it answers, but no worker runs flows: start customerzero worker, or up")
	}
	return "a canary flow ended", nil
}

func examineX(ctx context.Context, cfg config.Config) (string, error) {
	db, err := openStore(ctx, cfg)
	if err != nil {
		return "", errors.New("what it is called with lies in the database")
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
		return "", errors.New("the bot is not connected: a founder connects it at " + publicURL(cfg) + "/credentials")
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

// examineStripe makes a call that costs nothing: it tells whether the key is known.
func examineStripe(ctx context.Context, cfg config.Config) (string, error) {
	payments, err := newPayments(cfg, cfg.StripeSecretKey)
	if err != nil {
		return "", err
	}
	if _, err := payments.Events(ctx, time.Now(), 1); err != nil {
		return "", errors.New(err.Error() + " Correct STRIPE_SECRET_KEY or STRIPE_BASE_URL.")
	}
	state := "charges cards"
	switch {
	case cfg.StripeSandbox():
		state = "the sandbox: no card is charged"
	case !payments.Live():
		state = "test mode: no card is charged"
	}
	return state, nil
}

func examineModels(ctx context.Context, cfg config.Config) (string, error) {
	models, err := newModels(cfg)
	if err != nil {
		return "", err
	}
	for _, model := range models.Names() {
		switch vendor, _, _ := strings.Cut(model, ":"); vendor {
		case "openai":
			err = examineURL(ctx, cfg.OpenAIBaseURL, "OPENAI_BASE_URL")
		case "ollama":
			err = examineURL(ctx, cfg.OllamaHost, "OLLAMA_HOST")
		}
		if err != nil {
			return "", err
		}
	}
	return strings.Join(models.Names(), ", "), nil
}

func examineURL(ctx context.Context, address, setting string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err == nil {
		client := http.Client{Timeout: 5 * time.Second, CheckRedirect: stay}
		var resp *http.Response
		if resp, err = client.Do(req); err == nil {
			_ = resp.Body.Close()
			return nil
		}
	}
	return errors.New("nothing answers; correct " + setting)
}

func examineSMTP(ctx context.Context, cfg config.Config) (string, error) {
	address, err := url.Parse(cfg.SMTPURL)
	if err != nil || address.Host == "" {
		return "", errors.New("SMTP_URL is not of the form smtp://user:password@host:port")
	}
	host := address.Host
	if address.Port() == "" {
		host = net.JoinHostPort(address.Hostname(), "587")
	}
	conn, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(ctx, "tcp", host)
	if err != nil {
		return "", errors.New("the mail server does not answer; correct SMTP_URL")
	}
	_ = conn.Close()
	return "it answers", nil
}

func examineBrowser(ctx context.Context, cfg config.Config) (string, error) {
	version, err := newBrowser(cfg, nil).Check(ctx)
	if err != nil {
		return "", errors.New(err.Error() + " Only looks at our own pages need it.")
	}
	return version, nil
}

func report(ctx context.Context, out io.Writer, cfg config.Config) error {
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	failed := 0
	for _, part := range parts {
		verdict := "ok"
		said, err := part.examine(ctx, cfg)
		if err != nil {
			failed++
			verdict, said = "FAILS", err.Error()
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\n", part.name, verdict, said)
	}
	_, _ = fmt.Fprintln(table, "\nsettings\t\t")
	for _, s := range cfg.Settings() {
		_, _ = fmt.Fprintf(table, "%s\t%s\t\n", s.Name, s.Value)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d parts fail", failed, len(parts))
	}
	return nil
}

// examineTarget says whether the chaos target answers. That it is broken is no trouble of ours: it is
// there for that, and heals itself.
func examineTarget(ctx context.Context, cfg config.Config) (string, error) {
	prober := newProber(cfg)
	if prober == nil {
		return "there is none: chaos is off (customerzero up has one; else start customerzero target, and set CHAOS_TARGET_KEY for the worker)", nil
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if _, err := prober.Inspect(ctx); err != nil {
		return "", fmt.Errorf("%w; start customerzero target or up, or correct CHAOS_TARGET_CONTROL_URL", err)
	}
	sample := prober.Probe(ctx)
	switch failing := sample.Failing; {
	case sample.Healthy():
		return fmt.Sprintf("all %d checks are well, process %d", len(target.Checks()), sample.Process), nil
	case failing.Has(target.CheckProcess):
		return "its supervisor answers, its process is dead: the healer, which customerzero worker runs, starts it", nil
	default:
		return fmt.Sprintf("its supervisor answers, %d checks fail: %v", failing.Count(), failing.Checks()), nil
	}
}
