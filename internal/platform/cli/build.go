package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	temporallog "go.temporal.io/sdk/log"

	"customerzero/activities"
	"customerzero/api"
	"customerzero/api/auth"
	"customerzero/api/httpapi"
	"customerzero/internal/clients/smtp"
	"customerzero/internal/clients/x"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/post"
	"customerzero/internal/platform/config"
	"customerzero/internal/platform/keyring"
	"customerzero/internal/platform/telemetry"
	"customerzero/internal/platform/temporal/launcher"
	"customerzero/internal/store"
	"customerzero/internal/target/faults"
	"customerzero/ui"
	"customerzero/worker"
	"customerzero/workflows"
	flows "customerzero/workflows/client"
)

// openStore opens the database. Its error contains the next step.
func openStore(ctx context.Context, cfg config.Config) (*store.DB, error) {
	db, err := store.Open(cfg.DatabaseURL)
	if errors.Is(err, store.ErrAddress) {
		return nil, err
	}
	if err != nil {
		return nil, databaseError(cfg, err)
	}
	db.UseConnections(cfg.DatabaseConnections)
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := db.Ping(ctx); err != nil {
		_ = db.Close()
		return nil, databaseError(cfg, err)
	}
	return db, nil
}

func databaseError(cfg config.Config, err error) error {
	slog.Debug("database", "error", err)
	if store.OutOfSpace(err) {
		return fmt.Errorf("the database cannot be opened (%w)", err)
	}
	if cfg.SQLite() {
		return fmt.Errorf("the database file under %s cannot be opened; restore it from a backup or move it away (%w)", cfg.DataDir, err)
	}
	return fmt.Errorf("no response from the database at DATABASE_URL; start it, or correct DATABASE_URL")
}

// checkIntact refuses a damaged SQLite file: a process would be ready and then fail some requests.
func checkIntact(ctx context.Context, cfg config.Config, db *store.DB) error {
	err := db.CheckIntact(ctx)
	if errors.Is(err, store.ErrDamaged) {
		return fmt.Errorf("%w; nothing was changed: move the files customerzero.db* out of %s, and restore a backup with customerzero restore", err, cfg.DataDir)
	}
	return err
}

func dialTemporal(ctx context.Context, cfg config.Config, address string, with ...func(*client.Options)) (client.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	options := client.Options{
		HostPort: address, Namespace: cfg.TemporalNamespace, ConnectionOptions: launcher.Connection(address),
		Logger: temporallog.NewStructuredLogger(quiet), Interceptors: telemetry.Flows(),
	}
	for _, add := range with {
		add(&options)
	}
	dialled, err := client.DialContext(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("no response from Temporal at %s; start it, or correct TEMPORAL_ADDRESS", address)
	}
	if err := launcher.EnsureSearchAttributes(ctx, dialled, cfg.TemporalNamespace, workflows.SearchAttributes()); err != nil {
		dialled.Close()
		if _, unknown := errors.AsType[*serviceerror.NamespaceNotFound](err); unknown {
			return nil, fmt.Errorf("the namespace %[2]q does not exist in Temporal at %[1]s; create it, or correct TEMPORAL_NAMESPACE", address, cfg.TemporalNamespace)
		}
		return nil, fmt.Errorf("the namespace %q of Temporal at %s cannot be used: %w", cfg.TemporalNamespace, address, err)
	}
	return dialled, nil
}

// quiet is the log for noisy libraries: it drops messages below warnings. withConfig replaces it.
var quiet = slog.Default()

func newX(cfg config.Config, db *store.DB) *worker.X {
	return &worker.X{Store: db.Bot, BaseURL: cfg.XBaseURL, Timeout: cfg.PostSendTimeout}
}

// seed stores the configured X credentials, unless founders have entered others.
func seed(ctx context.Context, cfg config.Config, db *store.DB) error {
	now := time.Now()
	if cfg.XConsumerKey != "" && cfg.XConsumerSecret != "" {
		keys := bot.Keys{ConsumerKey: cfg.XConsumerKey, ConsumerSecret: cfg.XConsumerSecret}
		if err := db.Bot.SeedKeys(ctx, keys, now); err != nil {
			return err
		}
	}
	if cfg.XAccessToken == "" || cfg.XAccessSecret == "" {
		return nil
	}
	tokens := bot.Tokens{AccessToken: cfg.XAccessToken, AccessSecret: cfg.XAccessSecret}
	return db.Bot.SeedConnection(ctx, tokens, cfg.XUsername, now)
}

// unlock gives the database its keys and stores the configured secrets. A process that cannot decrypt the
// stored secrets must not start.
func unlock(ctx context.Context, cfg config.Config, db *store.DB) error {
	ring, err := openKeys(cfg)
	if err != nil {
		return err
	}
	db.UseKeys(ring)
	if err := db.CheckKeys(ctx); err != nil {
		return err
	}
	if err := db.Experiments.DateExample(ctx, time.Now()); err != nil {
		return err
	}
	return seed(ctx, cfg, db)
}

func newRuns(cfg config.Config, c client.Client) *flows.Client {
	return &flows.Client{
		Temporal: c, Timing: post.TimingFor(cfg.PostSendTimeout), ReconcileEvery: cfg.ReconcileEvery, OfferLife: cfg.OfferLife,
		GameDay: cfg.GameDay, VerifyEvery: cfg.VerifyInterval(), Queued: cfg.WorkerDeployment != "",
	}
}

func newWorker(cfg config.Config, c client.Client, db *store.DB, deps *verificationDeps, timings *worker.Timings) (worker.Workers, error) {
	sender, err := newEmailSender(cfg, db)
	if err != nil {
		return nil, err
	}
	models, err := newModels(cfg)
	if err != nil {
		return nil, err
	}
	checkouts, err := newCheckout(cfg, c, db, models)
	if err != nil {
		return nil, err
	}
	deployment, err := worker.NewDeployment(cfg.WorkerDeployment, cfg.WorkerBuild)
	if err != nil {
		return nil, err
	}
	x, founders, callback := newX(cfg, db), account.ParseFounders(cfg.Founders), publicURL(cfg)+auth.CallbackPath
	prober, _ := newProber(cfg)
	return worker.New(c, worker.Activities{
		Post:   &activities.Post{Posts: db.Posts, Accounts: x, Timing: post.TimingFor(cfg.PostSendTimeout), Now: time.Now},
		Canary: &activities.Canary{Database: db},
		Email:  &activities.Email{Emails: db.Emails, Sender: sender, Now: time.Now},
		XLogin: &activities.XLogin{Logins: db.Accounts, X: x, Founders: founders, Callback: callback, Now: time.Now},
		OAuthDiagnosis: &activities.OAuthDiagnosis{
			Runs: db.Diagnoses, X: x, Callback: callback, Founders: len(founders), Sandbox: cfg.XSandbox(), Now: time.Now,
		},
		Checkout:      checkouts,
		RecurringPost: &activities.RecurringPost{Store: db.RecurringPosts, Posts: db.Posts, Runs: newRuns(cfg, c), Now: time.Now},
		Generation:    &activities.Generation{Store: db.Generations, ModelCalls: db.ModelCalls, Models: models, Now: time.Now},
		Credentials:   &activities.Credentials{Store: db.Bot, Diagnoses: db.Diagnoses, Audits: db.AuditLog, Posts: db.Posts, X: x, Runs: newRuns(cfg, c), Now: time.Now},
		Chaos: &activities.Chaos{
			Store: db.Chaos, Target: prober, Runs: newRuns(cfg, c), Replayer: worker.NewReplayer(c),
			Faults: faults.Descriptions(), Lease: cfg.ChaosLease, Now: time.Now,
		},
		SelfHeal: &activities.SelfHeal{Store: db.Chaos, Target: prober, Now: time.Now},
		Verification: &activities.Verification{
			Store: db.Verifications, Shots: db.Verifications, ModelCalls: db.ModelCalls, Browser: deps.browser, Vision: deps.vision, Pictures: deps.pictures,
			HTTP: deps.client(), Sites: origins(cfg), Timeout: cfg.VerifyTimeout, Now: time.Now,
		},
		ChaosScreenshots: &activities.ChaosScreenshots{
			Store: db.Verifications, Chaos: db.Chaos, Target: prober, Browser: deps.browser, Pictures: deps.pictures, TargetURL: targetURL(cfg), Now: time.Now,
		},
		Experiment:      &activities.Experiment{Store: db.Experiments, Now: time.Now},
		AccountDeletion: &activities.AccountDeletion{Store: db.Deletions, Posts: db.Posts, RecurringPosts: db.RecurringPosts, Runs: newRuns(cfg, c), Now: time.Now},
	}, post.TimingFor(cfg.PostSendTimeout).Close, timings, deployment), nil
}

func newDispatcher(cfg config.Config, db *store.DB, runs *flows.Client) *worker.Dispatcher {
	dispatcher := &worker.Dispatcher{
		Posts: db.Posts, Emails: db.Emails, Checkouts: db.Checkouts, Store: db, RecurringPost: db.RecurringPosts, Runs: runs, Every: time.Second,
		Verifications: db.Verifications, Experiments: db.Experiments, AccountDeletions: db.Deletions, Generations: db.Generations,
		Diagnoses: db.Diagnoses, Logins: db.Accounts, Credentials: db.Bot,
	}
	if _, exists := newProber(cfg); exists {
		dispatcher.Chaos = db.Chaos
	}
	return dispatcher
}

func newServer(cfg config.Config, db *store.DB, runs *flows.Client, mailURL string) (*api.Server, error) {
	pictures, err := openPictures(cfg)
	if err != nil {
		return nil, err
	}
	hostname, _ := os.Hostname()
	return &api.Server{
		Deps: httpapi.Deps{
			Posts: db.Posts, Members: db.Members, ClientErrors: db.ClientErrors, Runs: runs, Now: time.Now,
			Accounts: db.Accounts, Diagnoses: db.Diagnoses, Bot: db.Bot, Emails: db.Emails, Audits: db.AuditLog, Marks: db.Keys(),
			Founders: account.ParseFounders(cfg.Founders), Consent: consentURL(cfg), Settings: secretSettings(cfg),
			PostingTimes: db.PostingTimes, RecurringPosts: db.RecurringPosts,
			Chaos: db.Chaos, Faults: faults.Descriptions(), ChaosLease: cfg.ChaosLease, TargetURL: targetURL(cfg),
			Limits: db.Limits, Visitors: db.Visitors, ModelCalls: db.ModelCalls, Checkouts: db.Checkouts, Treasury: db.Treasury, Webhooks: webhooks{cfg.StripeWebhookSecret},
			Generations: db.Generations, Writers: writers(cfg), Deletions: db.Deletions,
			Experiments: db.Experiments, Review: experiment.Review(cfg.ExperimentReview),
			Verifications: db.Verifications, Pictures: pictures, Sites: origins(cfg), VerifyEvery: cfg.VerifyInterval(),
			Pricing: httpapi.PricingConfig{
				Sandbox: cfg.StripeSandbox() || isTest(cfg.StripeSecretKey), Demo: isTest(demoKey(cfg)),
				Model: pricingModel(cfg), FloorCents: cfg.PriceFloorCents, BudgetCents: cfg.DiscountBudgetCents,
			},
			DevLogin: cfg.DevLogin, TweetWait: cfg.PostSendTimeout,
			Site: httpapi.Site{
				PublicURL: publicURL(cfg),
				Username:  cfg.XUsername, Sandbox: cfg.XSandbox(), XBaseURL: cfg.XBaseURL,
				Local: cfg.Local(), Hostname: cmp.Or(hostname, "unknown"), MailURL: mailURL, StripeURL: stripePages(cfg),
				TemporalURL: cfg.TemporalUIURL, Namespace: cfg.TemporalNamespace,
			},
		},
		UI: ui.Files(), AdminKey: cfg.AdminKey, TrustedProxies: cfg.TrustedProxies,
		Health: &api.Health{Database: db.CheckReachable, Temporal: runs.Ping, Canary: runs.RunCanary, Now: time.Now, Drain: &api.Drain{Delay: cfg.DrainDelay}},
	}, nil
}

// apiNames are the API's names on a listener that other machines may reach. A public site needs none: its pages and
// its API are for everyone.
func apiNames(cfg config.Config, at net.Addr) []string {
	if !cfg.Local() && !httpapi.IsLoopback(at.String()) {
		return nil
	}
	return []string{publicURL(cfg), cfg.StripeSandboxHook}
}

// consentURL returns the URL of X's consent page. The sandbox's page is served under PUBLIC_URL, because
// the browser may not reach the sandbox itself.
func consentURL(cfg config.Config) func(token string) string {
	page := x.AppConfig{BaseURL: cfg.XBaseURL}
	if cfg.XSandbox() {
		page.AuthorizeURL = publicURL(cfg) + "/sandbox/x/oauth/authorize"
	}
	return x.NewApp(page).ConsentURL
}

// secretSettings lists which secrets are set.
func secretSettings(cfg config.Config) []httpapi.Setting {
	var secrets []httpapi.Setting
	for _, s := range cfg.Settings() {
		if s.Secret { // no process runs without keys, which may be in DATA_DIR
			secrets = append(secrets, httpapi.Setting{Name: s.Name, Set: s.Value == "set" || s.Name == "SECRET_KEYS"})
		}
	}
	return secrets
}

// httpServer serves requests under the names of its listener and under own, which httpapi.GuardHosts describes.
func httpServer(handler http.Handler, at net.Addr, own ...string) *http.Server {
	return api.HTTPServer(httpapi.GuardHosts(handler, at, own...), slog.NewLogLogger(quiet.Handler(), slog.LevelWarn))
}

// emailSender sends the outbox's e-mails.
type emailSender struct {
	sender *smtp.Sender
	marks  *keyring.Ring
	site   string
	bot    string // its handle
}

func newEmailSender(cfg config.Config, db *store.DB) (*emailSender, error) {
	sender, err := smtp.NewSender(smtp.Config{URL: cfg.SMTPURL, From: cfg.MailFrom, PublicURL: publicURL(cfg)})
	if err != nil {
		return nil, errors.New("SMTP_URL or MAIL_FROM is invalid; SMTP_URL must have the form smtp://user:password@host:port")
	}
	return &emailSender{sender, db.Keys(), publicURL(cfg), "@" + cfg.XUsername}, nil
}

func (p *emailSender) Send(ctx context.Context, l email.Message, c email.Content) error {
	facts := smtp.Facts{ // the store does not know the URLs
		"Bot": p.bot, "QueueURL": p.site + "/bot-operations", "SchedulerURL": p.site + "/scheduler", "ChaosURL": p.site + "/chaos-monkey",
		"PrivacyURL": p.site + "/privacy", "PaymentsURL": p.site + "/treasury", "RunURL": p.site + "/runs/" + c.Facts["Run"],
		"AccountURL": p.site + "/account", "IdeaURL": p.site + "/experiments/" + c.Facts["Slug"],
	}
	maps.Copy(facts, c.Facts)
	return p.sender.Send(ctx, smtp.Email{
		ID: l.ID, Kind: l.Kind, To: c.To, Facts: facts, Unsubscribe: p.unsubscribe(l),
	})
}

// unsubscribe returns the link to unsubscribe, with a proof of the account.
func (p *emailSender) unsubscribe(l email.Message) string {
	if l.AccountID == nil {
		return ""
	}
	query := url.Values{"account": {*l.AccountID}, "proof": {p.marks.Mark(*l.AccountID, account.UnsubscribePurpose)}}
	return p.site + "/unsubscribe?" + query.Encode()
}
