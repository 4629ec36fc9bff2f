// Package config holds every setting of the product in one struct, read once from the
// environment. Every default runs on a laptop. Nothing else may read the environment.
package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
	"github.com/robfig/cron/v3"
)

// Config is every setting. The doc tags fill the README's table; a secret is never printed.
type Config struct {
	Addr      string `env:"ADDR" envDefault:"127.0.0.1:8080" doc:"Where the API and the pages listen"`
	PublicURL string `env:"PUBLIC_URL" doc:"How people reach the product; empty: http://ADDR"`
	DataDir   string `env:"DATA_DIR" envDefault:"data" doc:"Databases and files of the embedded default"`
	LogLevel  string `env:"LOG_LEVEL" envDefault:"info" doc:"debug, info, warn or error"`
	LogFormat string `env:"LOG_FORMAT" envDefault:"text" doc:"text, or json for machines that read it"`

	OpsAddr      string        `env:"OPS_ADDR" doc:"Where a process tells operators how it is: /metrics, /healthz and /readyz; empty: a worker tells nobody, and the API only at ADDR"`
	DrainDelay   time.Duration `env:"DRAIN_DELAY" envDefault:"0s" doc:"How long the API says that it is not ready before it stops, so that a proxy sends nobody to it any more"`
	OTLPEndpoint string        `env:"OTEL_EXPORTER_OTLP_ENDPOINT" doc:"A collector of traces, like http://127.0.0.1:4318; empty: nothing is traced"`
	TraceShare   float64       `env:"TRACE_SHARE" envDefault:"1" doc:"The share of requests that is traced, from 0 to 1"`

	DatabaseURL         string `env:"DATABASE_URL" secret:"true" doc:"postgres://…, or empty: SQLite in DATA_DIR"`
	DatabaseConnections int    `env:"DATABASE_CONNECTIONS" envDefault:"16" doc:"Connections of a process at most; all replicas together must stay below the server's max_connections"`

	TemporalAddress   string `env:"TEMPORAL_ADDRESS" doc:"host:port of a Temporal cluster; empty: 127.0.0.1:7233, started by up"`
	TemporalNamespace string `env:"TEMPORAL_NAMESPACE" envDefault:"default" doc:"Its namespace"`
	TemporalUIURL     string `env:"TEMPORAL_UI_URL" doc:"Its Web console; empty: http://127.0.0.1:8233"`
	WorkerDeployment  string `env:"WORKER_DEPLOYMENT" doc:"The name under which Temporal tells builds of our worker apart; empty: it does not"`
	WorkerBuild       string `env:"WORKER_BUILD" doc:"The name of this build; empty: the program's own version"`
	TemporalBin       string `env:"TEMPORAL_BIN" doc:"The Temporal server that up starts; empty: temporald beside this program"`

	Founders       []string `env:"FOUNDERS" doc:"X handles of the founding team, the only ones who log in with X; empty: founder_one and founder_two of the sandbox"`
	AdminKey       string   `env:"ADMIN_KEY" secret:"true" doc:"The founders' key for programs (header X-Admin-Key); empty: up makes one in DATA_DIR"`
	SecretKeys     string   `env:"SECRET_KEYS" secret:"true" doc:"Keys that seal stored secrets, <id>:<base64 of 32 bytes>, the first seals; empty: up makes one in DATA_DIR"`
	DevLogin       bool     `env:"DEV_LOGIN" doc:"1: a name alone logs in. Honoured only while nobody but this machine is served"`
	TrustedProxies []string `env:"TRUSTED_PROXIES" doc:"Addresses whose X-Forwarded-For is believed; empty: none"`

	XBaseURL        string        `env:"X_BASE_URL" doc:"X's API; empty: https://api.x.com with X_CONSUMER_KEY, else the sandbox"`
	XConsumerKey    string        `env:"X_CONSUMER_KEY" secret:"true" doc:"API key of the X app; taken up once, the admin panel changes it"`
	XConsumerSecret string        `env:"X_CONSUMER_SECRET" secret:"true" doc:"Its secret"`
	XAccessToken    string        `env:"X_ACCESS_TOKEN" secret:"true" doc:"Access token of the bot's account; taken up once, the page /credentials changes it"`
	XAccessSecret   string        `env:"X_ACCESS_SECRET" secret:"true" doc:"Its secret"`
	XUsername       string        `env:"X_USERNAME" envDefault:"customerzerobot" doc:"The bot's handle, without @"`
	XSandboxAddr    string        `env:"X_SANDBOX_ADDR" envDefault:"127.0.0.1:8090" doc:"Where the X sandbox listens, and the pages of all sandboxes"`
	PostSendTimeout time.Duration `env:"POST_SEND_TIMEOUT" envDefault:"10s" doc:"How long X may take to answer a post; all other waits follow from it"`

	StripeSecretKey     string        `env:"STRIPE_SECRET_KEY" secret:"true" doc:"Takes card payments; empty: the Stripe sandbox"`
	StripeWebhookSecret []string      `env:"STRIPE_WEBHOOK_SECRET" secret:"true" doc:"Signs what Stripe tells us at /webhooks/stripe; several while one is being replaced"`
	StripeBaseURL       string        `env:"STRIPE_BASE_URL" doc:"Stripe's API; empty: https://api.stripe.com with STRIPE_SECRET_KEY, else the sandbox"`
	StripePayHosts      []string      `env:"STRIPE_PAY_HOSTS" envDefault:"checkout.stripe.com" doc:"Hosts that buyers may be sent to, to pay"`
	StripeDemoKey       string        `env:"STRIPE_DEMO_KEY" secret:"true" doc:"A test key for the pricing demo, beside a live STRIPE_SECRET_KEY; empty: no demo then"`
	StripeSandboxHook   string        `env:"STRIPE_SANDBOX_HOOK" doc:"Where the Stripe sandbox tells what happened; empty: http://ADDR/webhooks/stripe"`
	PriceFloorCents     int           `env:"PRICE_FLOOR_CENTS" envDefault:"600" doc:"No personal price is lower"`
	DiscountBudgetCents int           `env:"DISCOUNT_BUDGET_CENTS" envDefault:"10000" doc:"All discounts of a month together"`
	OfferLife           time.Duration `env:"OFFER_LIFE" envDefault:"31m" doc:"How long a price can be paid; shorter with the Stripe sandbox only, Stripe itself takes no less than half an hour"`
	ReconcileEvery      time.Duration `env:"RECONCILE_EVERY" envDefault:"2m" doc:"How often payments are looked for whose webhook never came"`

	LLMModels       []string `env:"LLM_MODELS" envDefault:"builtin" doc:"Language models, the first is the usual one: builtin (for texts there are two), openai:<model>, ollama:<model>"`
	LLMPrices       []string `env:"LLM_PRICES" doc:"What they cost, like openai:gpt-4o-mini=15/60: US cents per million tokens in and out"`
	OpenAIBaseURL   string   `env:"OPENAI_BASE_URL" envDefault:"https://api.openai.com/v1" doc:"Any API of that form"`
	OpenAIKey       string   `env:"OPENAI_API_KEY" secret:"true" doc:"Its key"`
	OllamaHost      string   `env:"OLLAMA_HOST" doc:"http://host:port of an Ollama server"`
	SMTPURL         string   `env:"SMTP_URL" secret:"true" doc:"smtp://user:password@host:port; empty: the mail sandbox"`
	MailFrom        string   `env:"MAIL_FROM" doc:"Who writes, like Customer Zero <bot@example.com>; empty: bot@ the host of PUBLIC_URL"`
	SMTPSandboxAddr string   `env:"SMTP_SANDBOX_ADDR" envDefault:"127.0.0.1:8025" doc:"Where the mail sandbox listens; its pages are at /sandbox/mail"`

	CellAddr        string        `env:"CELL_ADDR" envDefault:"127.0.0.1:8085" doc:"Where the cell, the replica that chaos breaks, shows its pages"`
	CellControlAddr string        `env:"CELL_CONTROL_ADDR" envDefault:"127.0.0.1:8086" doc:"Where its keeper takes orders"`
	CellURL         string        `env:"CELL_URL" doc:"How people and probes reach the cell; empty: http://CELL_ADDR"`
	CellControlURL  string        `env:"CELL_CONTROL_URL" doc:"How the worker reaches its keeper; empty: http://CELL_CONTROL_ADDR"`
	CellKey         string        `env:"CELL_KEY" secret:"true" doc:"What the keeper believes; empty: up makes one in DATA_DIR"`
	ChaosLease      time.Duration `env:"CHAOS_LEASE" envDefault:"30s" doc:"How long a fault may stay in the cell at most"`
	GameDay         string        `env:"GAME_DAY" envDefault:"0 10 * * 1-5" doc:"When one random fault is run, as cron in UTC; off: never"`

	ExperimentReview string `env:"EXPERIMENT_REVIEW" envDefault:"all" doc:"Whose experiments wait for a founder's approval: all, visitors (members' appear at once) or none"`

	VerifyEvery   string        `env:"VERIFY_EVERY" envDefault:"15m" doc:"How often our own front page is looked at; off: only on demand"`
	VerifyTimeout time.Duration `env:"VERIFY_TIMEOUT" envDefault:"15s" doc:"How long one view of a page may take in a verification, between 5s and 2m"`
	VerifySites   []string      `env:"VERIFY_SITES" doc:"Other origins of ours that may be looked at, like https://blog.example.com"`
	VerifyDial    string        `env:"VERIFY_DIAL" doc:"host:port where the worker reaches PUBLIC_URL; empty: what its name says"`
	VisionModel   string        `env:"VISION_MODEL" doc:"The model of LLM_MODELS that comments on screenshots; empty: the built-in analysis"`
	Chromium      string        `env:"CHROMIUM" doc:"The browser; empty: looked for where Debian puts it"`
	BrowserDir    string        `env:"BROWSER_DIR" doc:"The browser's driver and axe, as make build puts them; empty: browser beside this program"`
	BrowserNode   string        `env:"BROWSER_NODE" doc:"The Node that runs the driver; empty: node of the PATH"`
}

// Load reads the environment.
func Load() (Config, error) {
	var c Config
	given, err := withSecretFiles(os.Environ())
	if err != nil {
		return c, err
	}
	if err = env.ParseWithOptions(&c, env.Options{Environment: given}); err != nil {
		return c, fmt.Errorf("a setting cannot be read: %w", err)
	}
	if c.DatabaseURL == "" {
		c.DatabaseURL = "sqlite:" + filepath.Join(c.DataDir, "customerzero.db")
	}
	if c.XBaseURL == "" && c.XConsumerKey != "" {
		c.XBaseURL = "https://api.x.com"
	}
	if c.StripeBaseURL == "" && c.StripeSecretKey != "" {
		c.StripeBaseURL = stripeURL
	}
	return c, c.check()
}

func (c *Config) check() error {
	for name, value := range map[string]string{"ADDR": c.Addr, "CELL_ADDR": c.CellAddr, "CELL_CONTROL_ADDR": c.CellControlAddr} {
		if _, _, err := net.SplitHostPort(value); err != nil {
			return fmt.Errorf("%s is not host:port, like 127.0.0.1:8080", name)
		}
	}
	for name, value := range map[string]string{
		"PUBLIC_URL": c.PublicURL, "TEMPORAL_UI_URL": c.TemporalUIURL, "X_BASE_URL": c.XBaseURL,
		"STRIPE_BASE_URL": c.StripeBaseURL, "STRIPE_SANDBOX_HOOK": c.StripeSandboxHook, "OPENAI_BASE_URL": c.OpenAIBaseURL, "OLLAMA_HOST": c.OllamaHost,
		"CELL_URL": c.CellURL, "CELL_CONTROL_URL": c.CellControlURL,
	} {
		if value != "" && !isHTTP(value) {
			return fmt.Errorf("%s is not a URL that begins with http:// or https://", name)
		}
	}
	for _, proxy := range c.TrustedProxies {
		_, errPrefix := netip.ParsePrefix(proxy)
		_, errAddr := netip.ParseAddr(proxy)
		if errPrefix != nil && errAddr != nil {
			return fmt.Errorf("TRUSTED_PROXIES holds something that is neither an address nor a network")
		}
	}
	if err := c.checkPayments(); err != nil {
		return err
	}
	if c.PostSendTimeout < 100*time.Millisecond || c.PostSendTimeout > time.Minute {
		return fmt.Errorf("POST_SEND_TIMEOUT is not between 100ms and 1m")
	}
	if err := c.checkChaos(); err != nil {
		return err
	}
	if !slices.Contains([]string{"all", "visitors", "none"}, c.ExperimentReview) {
		return fmt.Errorf("EXPERIMENT_REVIEW is not all, visitors or none")
	}
	if err := c.checkOperations(); err != nil {
		return err
	}
	return c.checkVerification()
}

// checkChaos holds the lease within what a keeper grants.
func (c *Config) checkChaos() error {
	if c.ChaosLease < time.Second || c.ChaosLease > 10*time.Minute {
		return fmt.Errorf("CHAOS_LEASE is not between 1s and 10m")
	}
	if c.GameDay == "" || c.GameDay == "off" {
		return nil
	}
	if _, err := cron.ParseStandard(c.GameDay); err != nil {
		return fmt.Errorf("GAME_DAY is neither off nor cron, like 0 10 * * 1-5")
	}
	return nil
}

func isHTTP(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// SQLite says whether the database is a file of ours.
func (c *Config) SQLite() bool { return strings.HasPrefix(c.DatabaseURL, "sqlite:") }

// XSandbox says whether X is the stand-in, or something else that is not X.
func (c *Config) XSandbox() bool {
	u, err := url.Parse(c.XBaseURL)
	return err != nil || (u.Host != "api.x.com" && u.Host != "api.twitter.com")
}

// Local says whether only this machine is served: what believes everybody, such as the
// sandboxes' logins, is safe here and nowhere else. A public name counts more than where we
// listen, because a proxy may stand in front.
func (c *Config) Local() bool {
	if public, err := url.Parse(c.PublicURL); err == nil && c.PublicURL != "" {
		return isLoopback(public.Hostname())
	}
	host, _, err := net.SplitHostPort(c.Addr)
	return err == nil && isLoopback(host)
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// Missing lists the secrets without which nobody but this machine may be served: in
// production none of them has a default.
func (c *Config) Missing() []string {
	if c.Local() {
		return nil
	}
	var missing []string
	for name, set := range map[string]bool{
		"PUBLIC_URL": c.PublicURL != "", "SECRET_KEYS": c.SecretKeys != "", "SMTP_URL": c.SMTPURL != "",
		"FOUNDERS": len(c.Founders) > 0, "X_CONSUMER_KEY": c.XConsumerKey != "", "X_CONSUMER_SECRET": c.XConsumerSecret != "",
		"STRIPE_SECRET_KEY": c.StripeSecretKey != "", "STRIPE_WEBHOOK_SECRET": len(c.StripeWebhookSecret) > 0,
	} {
		if !set {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	return missing
}
