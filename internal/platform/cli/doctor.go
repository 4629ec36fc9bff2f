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

// finding is what doctor says about one part. A part that is not in use is well.
type finding struct{ name, state, remedy string }

const (
	well = "ok"
	ill  = "FAILS"
)

func doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check every part and say how to mend what fails", Args: cobra.NoArgs,
		RunE: withConfig(func(cmd *cobra.Command, cfg config.Config, _ []string) error {
			cfg = alone(cfg)
			return report(cmd.OutOrStdout(), cfg, examine(cmd.Context(), cfg))
		}),
	}
}

func examine(ctx context.Context, cfg config.Config) []finding {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return []finding{
		examineDatabase(ctx, cfg), examineTemporal(ctx, cfg), examineX(ctx, cfg),
		examineStripe(ctx, cfg), examineTarget(ctx, cfg),
		examineModels(ctx, cfg), examineSMTP(ctx, cfg), examineBrowser(ctx, cfg),
	}
}

func examineDatabase(ctx context.Context, cfg config.Config) finding {
	const name = "database"
	if cfg.SQLite() {
		if _, err := os.Stat(cfg.DataDir); err != nil {
			return finding{name, ill, "there is no data directory " + cfg.DataDir + " yet: run customerzero up"}
		}
	}
	db, err := openStore(ctx, cfg)
	if err != nil {
		return finding{name, ill, err.Error()}
	}
	defer func() { _ = db.Close() }()
	if err := errors.Join(db.CheckSchema(ctx), db.CheckDurable(ctx)); err != nil {
		return finding{name, ill, strings.ReplaceAll(err.Error(), "\n", "; ")}
	}
	return finding{name, well, ""}
}

func examineTemporal(ctx context.Context, cfg config.Config) finding {
	temporal, err := dialTemporal(ctx, cfg, cfg.TemporalAddress)
	if err != nil {
		return finding{"Temporal", ill, err.Error() + ", or run customerzero up"}
	}
	defer temporal.Close()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := newRuns(cfg, temporal).RunCanary(ctx); err != nil {
		return finding{"Temporal", ill, "it answers, but no worker runs flows: start customerzero worker, or up"}
	}
	return finding{"Temporal", well, "a canary flow ended"}
}

func examineX(ctx context.Context, cfg config.Config) finding {
	const name = "X"
	db, err := openStore(ctx, cfg)
	if err != nil {
		return finding{name, ill, "what it is called with lies in the database"}
	}
	defer func() { _ = db.Close() }()
	ring, err := openKeys(cfg)
	if err != nil {
		return finding{name, ill, err.Error()}
	}
	db.UseKeys(ring)
	if err := db.CheckKeys(ctx); err != nil {
		return finding{name, ill, err.Error()}
	}
	x := newX(cfg, db)
	tokens, err := x.BotTokens(ctx)
	if err != nil {
		return finding{name, ill, err.Error()}
	}
	if tokens == nil {
		return finding{name, ill, "the bot is not connected: a founder connects it at " + publicURL(cfg) + "/credentials"}
	}
	me, err := x.Owner(ctx, *tokens)
	if err != nil {
		return finding{name, ill, err.Error()}
	}
	state := "posting as @" + me.Handle
	if cfg.XSandbox() {
		state += " on the sandbox"
	}
	return finding{name, well, state}
}

// examineStripe makes a call that costs nothing: it tells whether the key is known.
func examineStripe(ctx context.Context, cfg config.Config) finding {
	const name = "Stripe"
	payments, err := newPayments(cfg, cfg.StripeSecretKey)
	if err != nil {
		return finding{name, ill, err.Error()}
	}
	if _, err := payments.Events(ctx, time.Now(), 1); err != nil {
		return finding{name, ill, err.Error() + " Correct STRIPE_SECRET_KEY or STRIPE_BASE_URL."}
	}
	state := "charges cards"
	switch {
	case cfg.StripeSandbox():
		state = "the sandbox: no card is charged"
	case !payments.Live():
		state = "test mode: no card is charged"
	}
	return finding{name, well, state}
}

func examineModels(ctx context.Context, cfg config.Config) finding {
	const name = "models"
	models, err := newModels(cfg)
	if err != nil {
		return finding{name, ill, err.Error()}
	}
	for _, model := range models.Names() {
		found := finding{name, well, ""}
		switch vendor, _, _ := strings.Cut(model, ":"); vendor {
		case "openai":
			found = examineURL(ctx, name, cfg.OpenAIBaseURL, "OPENAI_BASE_URL")
		case "ollama":
			found = examineURL(ctx, name, cfg.OllamaHost, "OLLAMA_HOST")
		}
		if found.state != well {
			return found
		}
	}
	return finding{name, well, strings.Join(models.Names(), ", ")}
}

func examineURL(ctx context.Context, name, address, setting string) finding {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err == nil {
		client := http.Client{Timeout: 5 * time.Second, CheckRedirect: stay}
		var resp *http.Response
		if resp, err = client.Do(req); err == nil {
			_ = resp.Body.Close()
			return finding{name, well, "it answers"}
		}
	}
	return finding{name, ill, "nothing answers; correct " + setting}
}

func examineSMTP(ctx context.Context, cfg config.Config) finding {
	address, err := url.Parse(cfg.SMTPURL)
	if err != nil || address.Host == "" {
		return finding{"SMTP", ill, "SMTP_URL is not of the form smtp://user:password@host:port"}
	}
	host := address.Host
	if address.Port() == "" {
		host = net.JoinHostPort(address.Hostname(), "587")
	}
	conn, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(ctx, "tcp", host)
	if err != nil {
		return finding{"SMTP", ill, "the mail server does not answer; correct SMTP_URL"}
	}
	_ = conn.Close()
	return finding{"SMTP", well, "it answers"}
}

func examineBrowser(ctx context.Context, cfg config.Config) finding {
	version, err := newBrowser(cfg, nil).Check(ctx)
	if err != nil {
		return finding{"browser", ill, err.Error() + " Only looks at our own pages need it."}
	}
	return finding{"browser", well, version}
}

func report(out io.Writer, cfg config.Config, findings []finding) error {
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	failed := 0
	for _, f := range findings {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\n", f.name, f.state, f.remedy)
		if f.state == ill {
			failed++
		}
	}
	_, _ = fmt.Fprintln(table, "\nsettings\t\t")
	for _, s := range cfg.Settings() {
		_, _ = fmt.Fprintf(table, "%s\t%s\t\n", s.Name, s.Value)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d parts fail", failed, len(findings))
	}
	return nil
}

// examineTarget says whether the chaos target answers. That it is broken is no trouble of ours: it is
// there for that, and heals itself.
func examineTarget(ctx context.Context, cfg config.Config) finding {
	const name = "the cell"
	prober := newProber(cfg)
	if prober == nil {
		return finding{name, well, "there is none: chaos is off (customerzero up has one; else start customerzero cell, and set CHAOS_TARGET_KEY for the worker)"}
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if _, err := prober.Inspect(ctx); err != nil {
		return finding{name, ill, err.Error() + "; start customerzero cell or up, or correct CHAOS_TARGET_CONTROL_URL"}
	}
	sample := prober.Probe(ctx)
	switch failing := sample.Failing; {
	case sample.Healthy():
		return finding{name, well, fmt.Sprintf("all %d checks are well, process %d", len(target.Checks()), sample.Process)}
	case failing.Has(target.CheckProcess):
		return finding{name, well, "its keeper answers, its process is dead: the healer, which customerzero worker runs, starts it"}
	default:
		return finding{name, well, fmt.Sprintf("its keeper answers, %d checks fail: %v", failing.Count(), failing.Checks())}
	}
}
