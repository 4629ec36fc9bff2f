package httpapi

import (
	"context"
	"time"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/run"
	"customerzero/internal/domain/schedule"
	"customerzero/internal/store"
	"customerzero/workflows"
)

// Deps holds the dependencies of the features. Each feature gets a copy when the server builds its handler. Stores
// that the chaos target or a test replaces are interfaces.
type Deps struct {
	Accounts       AccountStore
	Audits         *store.AuditLog
	Bot            BotStore
	Chaos          ChaosStore
	Checkouts      *store.Checkouts
	ClientErrors   *store.ClientErrors
	Deletions      *store.Deletions
	Diagnoses      *store.Diagnoses
	Emails         *store.Emails
	Experiments    *store.Experiments
	Generations    *store.Generations
	Limits         Limits
	Marks          Marker
	Members        *store.Members
	ModelCalls     *store.ModelCalls
	Pictures       PictureStore
	PostingTimes   *store.PostingTimes
	Posts          PostStore
	RecurringPosts *store.RecurringPosts
	Runs           Runs
	Treasury       *store.Treasury
	Verifications  *store.Verifications
	Visitors       *store.Visitors
	Webhooks       Webhooks

	ChaosLease  time.Duration                    // maximum lifetime of a fault; 0 means chaos.DefaultLease
	Consent     func(requestToken string) string // URL of X's consent page for a request token
	DevLogin    bool                             // log in by username without a code; loopback only
	Faults      []chaos.Fault                    // available faults, in the order of the buttons
	Founders    account.Founders
	Meters      *Meters // nil if the metrics are not scraped
	Now         func() time.Time
	Review      experiment.Review // whose experiments need a founder's approval
	Settings    []Setting         // secrets of the configuration
	Site        Site
	Sites       []string               // origins that may be verified; the first is the product's own
	Stopping    func() <-chan struct{} // closed when this process stops
	TargetURL   string                 // public URL of the chaos target; empty if it has none
	Pricing     PricingConfig
	TweetWait   time.Duration // how long POST /tweet waits for the outcome
	VerifyEvery time.Duration // interval of scheduled verifications; 0 means none are scheduled
	Writers     []string      // models and templates that write texts; the first is the default
}

// Setting reports whether a secret of the configuration is set.
type Setting struct {
	Name string
	Set  bool
}

// PricingConfig configures prices and payments.
type PricingConfig struct {
	Sandbox     bool // no card is charged
	Demo        bool // a Stripe test key for the demo is configured
	Model       string
	FloorCents  int
	BudgetCents int // sum of all discounts in a month
}

// AccountStore stores accounts, sessions, login codes and unfinished logins with X. *store.Accounts implements it.
type AccountStore interface {
	AccountByEmail(ctx context.Context, email string) (*account.Account, error)
	AccountByName(ctx context.Context, name string) (*account.Account, error)
	BeginXLogin(ctx context.Context, l account.XLogin, asker account.Asker) error
	BringXLoginBack(ctx context.Context, r account.Returned, at time.Time) (account.XLogin, error)
	EndSession(ctx context.Context, accountID, id string) error
	EndSessions(ctx context.Context, accountID string) error
	IssueCode(ctx context.Context, n account.NewCode, at time.Time) (emailID string, err error)
	Login(ctx context.Context, token string, at time.Time) (*account.Login, error)
	OpenSession(ctx context.Context, n account.NewSession, at time.Time) (account.Session, error)
	RedeemActivationLink(ctx context.Context, token string, n account.NewSession, at time.Time) (account.Session, error)
	RedeemAddress(ctx context.Context, g account.Guess, undo account.Undo, keep string, at time.Time) error
	RedeemLogin(ctx context.Context, g account.Guess, n account.NewSession, at time.Time) (account.Session, error)
	RequestToken(ctx context.Context, loginID string) (account.RequestToken, error)
	Sessions(ctx context.Context, accountID string, at time.Time) ([]account.Session, error)
	SetNotices(ctx context.Context, accountID string, wanted bool) error
	UndoAddress(ctx context.Context, token string, at time.Time) error
	XLogin(ctx context.Context, id string) (account.XLogin, error)
	XAccount(ctx context.Context, userID, handle string, at time.Time) (account.Account, error)
}

// BotStore stores the bot's credentials and the posting controls. *store.Bot implements it.
type BotStore interface {
	Connection(ctx context.Context) (*bot.Connection, error)
	ConnectionByID(ctx context.Context, id string) (bot.Connection, error)
	Controls(ctx context.Context) (bot.PostingControls, error)
	Disconnect(ctx context.Context, at time.Time) ([]post.Post, error)
	KeysByID(ctx context.Context, id string) (bot.ProviderKeys, error)
	PreviousKeys(ctx context.Context) (*bot.ProviderKeys, error)
	ProposeConnection(ctx context.Context, tokens bot.Tokens, accountID *string, at time.Time) (bot.Connection, error)
	ProposeKeys(ctx context.Context, keys bot.Keys, accountID *string, at time.Time) (bot.ProviderKeys, error)
	ProviderKeys(ctx context.Context) (*bot.ProviderKeys, error)
	RollBackKeys(ctx context.Context, at time.Time) (bot.ProviderKeys, error)
	SetControls(ctx context.Context, c bot.ControlsChange, by string, at time.Time) (was, is bot.PostingControls, err error)
}

// ChaosStore stores chaos runs, incidents and the state of the chaos target. *store.Chaos implements it.
type ChaosStore interface {
	// RequestChaos stores a run. A refused run consumes no limit.
	RequestChaos(ctx context.Context, r chaos.Run, asker account.Asker) error
	ChaosRun(ctx context.Context, id string) (chaos.Run, error)
	ChaosRuns(ctx context.Context, f chaos.Filter, limit, offset int) ([]chaos.Run, int, error)
	EachChaosRun(ctx context.Context, each func(chaos.Run) error) error
	EndedChaosSince(ctx context.Context, since time.Time) ([]chaos.Run, error)
	OpenChaos(ctx context.Context) (*chaos.Run, error) // nil if none is open
	LastChaos(ctx context.Context) (*chaos.Run, error) // nil before the first
	ReplaysOf(ctx context.Context, id string) ([]string, error)
	ChaosParts(ctx context.Context, id string) ([]chaos.Part, error)
	HistoryCheck(ctx context.Context, workflowID, runID string) (*chaos.HistoryCheck, error) // nil if it was never checked
	SetChaosSwitch(ctx context.Context, on bool, by, reason string, at time.Time) (was, is chaos.KillSwitch, err error)
	TargetState(ctx context.Context) (heal.TargetState, error)
	Incidents(ctx context.Context, limit, offset int) ([]heal.Incident, int, error)
	OpenIncident(ctx context.Context) (*heal.Incident, error)                       // nil if none is open
	IncidentDuring(ctx context.Context, from, to time.Time) (*heal.Incident, error) // nil if there was none
	ChaosDuring(ctx context.Context, from, to time.Time) (*chaos.Run, error)        // nil if there was none
}

// Marker makes keyed digests. *keyring.Ring implements it.
type Marker interface {
	Mark(value, place string) string
	Marked(mark, value, place string) bool
}

// PictureStore stores images by their sha256. *blob.Store implements it.
type PictureStore interface {
	Get(ctx context.Context, key string) ([]byte, error)
}

// PostStore stores posts and slots. *store.Posts implements it; the chaos target implements the methods it needs.
type PostStore interface {
	Budget(ctx context.Context, month post.Month, holder *string) (post.Budget, error)
	CancelPost(ctx context.Context, id string, now time.Time) (post.Post, error)
	ChangePost(ctx context.Context, id string, c post.Change, now time.Time) (post.Post, error)
	CountByStatus(ctx context.Context, viewer *post.Viewer) (map[post.Status]int, error)
	CreatePost(ctx context.Context, p post.Post, now time.Time) (post.Post, error)
	DuePosts(ctx context.Context, now time.Time) ([]post.Post, error)
	LastAttempt(ctx context.Context) (*post.Attempt, error)
	ListedPost(ctx context.Context, id string) (post.Listed, error)
	MonthUsage(ctx context.Context, month post.Month) (post.MonthUsage, error)
	Overdue(ctx context.Context, now time.Time) (int, error)
	Posts(ctx context.Context, f post.Filter) ([]post.Listed, int, error)
	PostsBetween(ctx context.Context, from, to time.Time, viewer *post.Viewer, limit int) (found []post.Listed, cut bool, err error)
	PublishedPosts(ctx context.Context, limit, offset int) ([]post.Listed, int, error)
	QueuePost(ctx context.Context, p post.Post, now time.Time) (post.Post, error)
	ReadUsage(ctx context.Context, month post.Month) (post.ReadUsage, error)
	RestorePost(ctx context.Context, id string, gated bool, now time.Time) (post.Post, error)
	ReviewPost(ctx context.Context, id string, d post.Decision, now time.Time) (post.Post, error)
	SameText(ctx context.Context, text, id string, now time.Time) (*post.Post, error)
	SponsoredPublished(ctx context.Context) (int, error)
	SuccessSince(ctx context.Context, since time.Time) (published, failed int, err error)
	ToCompare(ctx context.Context, since time.Time, viewer *post.Viewer) ([]post.Post, error)
	ToReview(ctx context.Context) (int, error)
}

// Webhooks verifies and parses events of the payment service. problem.Invalid means signed but malformed; any other
// error means that the signature does not verify.
type Webhooks interface {
	ReadEvent(payload []byte, signature string, at time.Time) (checkout.Event, error)
}

// Runs starts, signals and reads workflows. *client.Client implements it.
type Runs interface {
	AwaitGeneration(ctx context.Context, generationID, runID string) error
	// AwaitVerification returns when the run or ctx has ended.
	AwaitVerification(ctx context.Context, verificationID, runID string) error
	BeginXLogin(ctx context.Context, loginID string) error
	CancelCheckout(ctx context.Context, checkoutID string) error
	CancelPost(ctx context.Context, p post.Post) error
	// CheckHistory replays the history of a run with the current code and stores the result.
	CheckHistory(ctx context.Context, workflowID, runID string) (chaos.HistoryCheck, error)
	EditPost(ctx context.Context, p post.Post, o workflows.EditCommand) error
	FinishXLogin(ctx context.Context, loginID string) error
	// NewestRuns lists runs of a flow, newest first. An empty flow means every public one.
	NewestRuns(ctx context.Context, flow string, limit int) ([]run.Brief, error)
	// NotifyExperiment starts the workflow of an active experiment, or signals the running one that its row has
	// changed. Safe to repeat.
	NotifyExperiment(ctx context.Context, experimentID string) error
	NotifyPayment(ctx context.Context, checkoutID string, m checkout.EventKind) error
	Quote(ctx context.Context, checkoutID string) error
	RefundCheckout(ctx context.Context, checkoutID string) error
	ReplaceKeys(ctx context.Context, providerKeyID string) error
	ReschedulePost(ctx context.Context, p post.Post, o workflows.RescheduleCommand) error
	RetryPost(ctx context.Context, p post.Post) error
	ScheduleRecurringPost(ctx context.Context, r schedule.RecurringPost) error
	SendEmail(ctx context.Context, emailID string) error
	// StartAccountDeletion starts the workflow of a stored deletion request. Safe to repeat.
	StartAccountDeletion(ctx context.Context, deletionID string) (runID string, err error)
	StartChaos(ctx context.Context, chaosID string) (runID string, err error)
	StartDiagnosis(ctx context.Context, diagnosisID string) (runID string, err error)
	StartGeneration(ctx context.Context, generationID string) (runID string, err error)
	StartPost(ctx context.Context, p post.Post) (runID string, err error)
	StartVerification(ctx context.Context, verificationID string) (runID string, err error)
	// StopChaos reverts the current fault. It succeeds if there is none.
	StopChaos(ctx context.Context) error
	// Timeline reads a run. An empty runID means the newest run of the workflow.
	Timeline(ctx context.Context, workflowID, runID string) (run.Timeline, error)
	TryConnection(ctx context.Context, connectionID string) error
	WakePost(ctx context.Context, p post.Post) error
}
