package httpapi

import (
	"context"
	"time"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/diagnostic"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/onboarding"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/run"
	"customerzero/internal/domain/schedule"
	"customerzero/internal/domain/treasury"
	"customerzero/internal/domain/verification"
	"customerzero/workflows"
)

// Deps is what the features work with. Each has a copy, made when the server's handler is made.
type Deps struct {
	Accounts       AccountStore
	Audits         AuditStore
	Bot            BotStore
	Chaos          ChaosStore
	Checkouts      CheckoutStore
	ClientErrors   ClientErrorStore
	Deletions      DeletionStore
	Diagnoses      DiagnosisStore
	Emails         EmailStore
	Experiments    ExperimentStore
	Generations    GenerationStore
	Limits         Limits
	Marks          Marker
	Members        MemberStore
	ModelCalls     ModelCallStore
	Pictures       PictureStore
	PostingTimes   PostingTimesStore
	Posts          PostStore
	RecurringPosts RecurringPostStore
	Runs           Runs
	Treasury       TreasuryStore
	Verifications  VerificationStore
	Visitors       VisitorStore
	Webhooks       Webhooks

	ChaosLease  time.Duration                    // how long a fault may stay; 0: chaos.DefaultLease
	Consent     func(requestToken string) string // X's page that asks for it
	DevLogin    bool                             // believes everybody's name. Only a laptop may set it
	Faults      []chaos.Fault                    // how the chaos target can be broken, in the order of the buttons
	Founders    account.Founders
	Meters      *Meters // of what is done here; nil: nobody reads them
	Now         func() time.Time
	Review      experiment.Review // whose experiments wait for a founder
	Settings    []Setting         // the secrets of the configuration
	Site        Site
	Sites       []string               // origins that may be looked at, the first is our own
	Stopping    func() <-chan struct{} // closed when this process stops
	TargetURL   string                 // where people see the chaos target; empty: nowhere
	Till        Till
	TweetWait   time.Duration // how long POST /tweet waits for its post to end
	VerifyEvery time.Duration // between runs of the schedule; 0: there is none
	Writers     []string      // the models that write texts; the first is asked where nobody says which
}

// Setting is a secret of the configuration, and whether it is set.
type Setting struct {
	Name string
	Set  bool
}

// Till says how payments are taken here.
type Till struct {
	Sandbox     bool // no card is charged
	Demo        bool // the demo has a test mode to work in
	Model       string
	FloorCents  int
	BudgetCents int // all discounts of a month together
}

// AccountStore keeps who can log in, who is, and logins with X that are not finished. *store.Accounts implements it.
type AccountStore interface {
	AccountByEmail(ctx context.Context, email string) (*account.Account, error)
	AccountByName(ctx context.Context, name string) (*account.Account, error)
	BeginXLogin(ctx context.Context, l account.XLogin, visitor string) error
	BringXLoginBack(ctx context.Context, r account.Returned, at time.Time) (account.XLogin, error)
	EndSession(ctx context.Context, accountID, id string) error
	EndSessions(ctx context.Context, accountID string) error
	IssueCode(ctx context.Context, n account.NewCode, at time.Time) (emailID string, err error)
	Login(ctx context.Context, token string, at time.Time) (*account.Login, error)
	OpenSession(ctx context.Context, n account.NewSession, at time.Time) (account.Session, error)
	RedeemActivationLink(ctx context.Context, token string, n account.NewSession, at time.Time) (account.Session, error)
	RedeemAddress(ctx context.Context, g account.Guess, at time.Time) error
	RedeemLogin(ctx context.Context, g account.Guess, n account.NewSession, at time.Time) (account.Session, error)
	RequestToken(ctx context.Context, loginID string) (account.RequestToken, error)
	Sessions(ctx context.Context, accountID string, at time.Time) ([]account.Session, error)
	SetNotices(ctx context.Context, accountID string, wanted bool) error
	XLogin(ctx context.Context, id string) (account.XLogin, error)
	XAccount(ctx context.Context, userID, handle string, at time.Time) (account.Account, error)
}

// AuditStore keeps what founders did. *store.AuditLog implements it.
type AuditStore interface {
	Audit(ctx context.Context, e audit.Entry) error
	// Audited does something in the database and notes it, as one.
	Audited(ctx context.Context, do func(ctx context.Context) ([]audit.Entry, error)) error
	AuditEntries(ctx context.Context, limit, offset int) ([]audit.Entry, int, error)
}

// BotStore keeps what the bot posts with. *store.Bot implements it.
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

// ChaosStore keeps how the chaos target was broken, and how it was healed. *store.Chaos implements it.
type ChaosStore interface {
	// RequestChaos writes a run down, unless something refuses it: then nothing is used up.
	RequestChaos(ctx context.Context, r chaos.Run, visitor string) error
	ChaosRun(ctx context.Context, id string) (chaos.Run, error)
	ChaosRuns(ctx context.Context, f chaos.Filter, limit, offset int) ([]chaos.Run, int, error)
	EachChaosRun(ctx context.Context, each func(chaos.Run) error) error
	EndedChaosSince(ctx context.Context, since time.Time) ([]chaos.Run, error)
	OpenChaos(ctx context.Context) (*chaos.Run, error) // nil: none
	LastChaos(ctx context.Context) (*chaos.Run, error) // nil: none yet
	ReplaysOf(ctx context.Context, id string) ([]string, error)
	ChaosParts(ctx context.Context, id string) ([]chaos.Part, error)
	HistoryCheck(ctx context.Context, workflowID, runID string) (*chaos.HistoryCheck, error) // nil: never
	SetChaosSwitch(ctx context.Context, on bool, by, reason string, at time.Time) (was, is chaos.KillSwitch, err error)
	TargetState(ctx context.Context) (heal.TargetState, error)
	Incidents(ctx context.Context, limit, offset int) ([]heal.Incident, int, error)
	OpenIncident(ctx context.Context) (*heal.Incident, error)                       // nil: none
	IncidentDuring(ctx context.Context, from, to time.Time) (*heal.Incident, error) // nil: none
	ChaosDuring(ctx context.Context, from, to time.Time) (*chaos.Run, error)        // nil: none
}

// CheckoutStore keeps prices and checkouts. *store.Checkouts implements it.
type CheckoutStore interface {
	BeginCheckout(ctx context.Context, a checkout.Request, at time.Time) (checkout.Receipt, error)
	Checkouts(ctx context.Context, f checkout.Filter) ([]checkout.Listed, int, error)
	MarkEventHandled(ctx context.Context, id string, at time.Time) error
	NoteEvent(ctx context.Context, e checkout.Event, at time.Time) (checkoutID string, handled bool, err error)
	Receipt(ctx context.Context, id string) (checkout.Receipt, error)
}

// ClientErrorStore keeps what broken pages say. *store.ClientErrors implements it.
type ClientErrorStore interface {
	// ClientErrors lists the newest first: the one of a reference, or all if it is empty.
	ClientErrors(ctx context.Context, reference string, limit int) ([]problem.ClientError, error)
	SaveClientError(ctx context.Context, report problem.ClientError) error
}

// DeletionStore keeps account deletions, and gathers what is stored about an account. *store.Deletions implements it.
type DeletionStore interface {
	// RequestDeletion ends every session, and lets nobody log in again. Asked again, it gives the
	// deletion that there is.
	RequestDeletion(ctx context.Context, accountID, id string, at time.Time) (account.Deletion, error)
	ExportAccount(ctx context.Context, accountID string, at time.Time) (account.Export, error)
}

// DiagnosisStore keeps what the diagnostic finds. *store.Diagnoses implements it.
type DiagnosisStore interface {
	BeginDiagnosis(ctx context.Context, d diagnostic.Run) error
	Diagnosis(ctx context.Context, id string) (diagnostic.Run, error)
	LatestDiagnosis(ctx context.Context, visitor string, since time.Time) (diagnostic.Run, error)
}

// EmailStore is the outbox. *store.Emails implements it.
type EmailStore interface {
	FailedEmails(ctx context.Context, limit int) ([]email.Message, error)
	RetryEmail(ctx context.Context, id string, at time.Time) (email.Message, error)
}

// ExperimentStore keeps experiments, votes and notes. *store.Experiments implements it. Experiments are named
// by their slug, by their number or by their ID, where key stands.
type ExperimentStore interface {
	Experiments(ctx context.Context, q experiment.Query) ([]experiment.Listed, int, error)
	ExperimentTotals(ctx context.Context) (experiment.Totals, error)
	Experiment(ctx context.Context, key string) (experiment.Listed, error)
	ExperimentNamed(ctx context.Context, key string) (experiment.Experiment, error) // without what is counted
	Notes(ctx context.Context, id string) ([]experiment.Note, error)                // the newest day first
	VotesOf(ctx context.Context, memberID string) (map[string]int, error)
	// SubmitExperiment counts it for whom; a refusal uses nothing up.
	SubmitExperiment(ctx context.Context, e experiment.Experiment, whom string) (experiment.Experiment, error)
	EditExperiment(ctx context.Context, id string, version int, edit experiment.Edit, at time.Time) (experiment.Experiment, error)
	MoveExperiment(ctx context.Context, id string, version int, to experiment.Status, reason string, at time.Time) (experiment.Experiment, error)
	// RegisterMetric with nil takes the registration back.
	RegisterMetric(ctx context.Context, id string, version int, r *experiment.Registration, at time.Time) (experiment.Experiment, error)
	CastVote(ctx context.Context, id, memberID string, value int, at time.Time) (experiment.VoteCounts, error)
	WithdrawVote(ctx context.Context, id, memberID string, at time.Time) (experiment.VoteCounts, error)
	// WriteNote writes a day's note with version 0, or over the one of that version.
	WriteNote(ctx context.Context, n experiment.Note, version int, at time.Time) (experiment.Note, error)
	DeleteNote(ctx context.Context, id, date string, version int, at time.Time) error
	// ReadMetric reads a metric from since until then.
	ReadMetric(ctx context.Context, metric experiment.Metric, since, until time.Time) (experiment.Reading, error)
}

// GenerationStore keeps what models are asked, and what they write. *store.Generations implements it.
type GenerationStore interface {
	BeginGeneration(ctx context.Context, g generation.Generation, candidates []generation.Candidate, whom string) error
	// CandidateForPost finds a generated text that the account may make a post of.
	CandidateForPost(ctx context.Context, id string, accountID *string) (generation.Candidate, error)
	EndGeneration(ctx context.Context, id string, at time.Time) error
	Generation(ctx context.Context, id string) (generation.Listed, error)
	Leaderboard(ctx context.Context) (standings []generation.Standing, votes int, err error)
	Vote(ctx context.Context, v generation.Vote) error
}

// Marker makes keyed digests. *keyring.Ring implements it.
type Marker interface {
	Mark(value, place string) string
	Marked(mark, value, place string) bool
}

// MemberStore is the registry, with members' credits and first steps. *store.Members implements it.
type MemberStore interface {
	Account(ctx context.Context, id string, month post.Month) (member.Account, error)
	AddMember(ctx context.Context, m member.Member, w *account.Welcome) error
	CompleteOnboarding(ctx context.Context, memberID string, kind onboarding.Kind, at time.Time) (awarded int, err error)
	CreditEntries(ctx context.Context, memberID string, limit, offset int) (entries []member.CreditEntry, total, balance int, err error)
	MemberNamed(ctx context.Context, username string) (member.Member, error)
	Members(ctx context.Context, month post.Month) ([]member.Account, error)
	Onboarding(ctx context.Context, memberID string, kind onboarding.Kind) (onboarding.Progress, error)
	RenameMember(ctx context.Context, memberID, username string) error
	SaveOnboarding(ctx context.Context, p onboarding.Progress, at time.Time) error
}

// ModelCallStore keeps what models were asked. *store.ModelCalls implements it.
type ModelCallStore interface {
	Call(ctx context.Context, id string) (model.Call, error)
}

// PictureStore keeps pictures by their sha256. *blob.Store implements it.
type PictureStore interface {
	Get(ctx context.Context, key string) ([]byte, error)
}

// PostStore keeps posts and slots. *store.Posts implements it, and the chaos target what it needs of it.
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
	RecentlyPublished(ctx context.Context, text string, since time.Time) (bool, error)
	RestorePost(ctx context.Context, id string, gated bool, now time.Time) (post.Post, error)
	ReviewPost(ctx context.Context, id string, d post.Decision, now time.Time) (post.Post, error)
	SponsoredPublished(ctx context.Context) (int, error)
	SuccessSince(ctx context.Context, since time.Time) (published, failed int, err error)
	TextOpenBeside(ctx context.Context, text, id string) (bool, error)
	ToCompare(ctx context.Context, since time.Time, viewer *post.Viewer) ([]post.Post, error)
	ToReview(ctx context.Context) (int, error)
}

// PostingTimesStore keeps when queues post. *store.PostingTimes implements it.
type PostingTimesStore interface {
	PostingTimes(ctx context.Context, holder string) (schedule.PostingTimes, error)
	SavePostingTimes(ctx context.Context, t schedule.PostingTimes, now time.Time) (schedule.PostingTimes, error)
	TakenTimes(ctx context.Context, holder, besides string, now time.Time) ([]time.Time, error)
}

// RecurringPostStore keeps posts that recur. *store.RecurringPosts implements it.
type RecurringPostStore interface {
	CreateRecurringPost(ctx context.Context, r schedule.RecurringPost, now time.Time) (made schedule.RecurringPost, told []string, err error)
	ChangeRecurringPost(ctx context.Context, id string, c schedule.RecurringChange, now time.Time) (changed schedule.RecurringPost, told []string, err error)
	EndRecurringPost(ctx context.Context, id string, now time.Time) (ended schedule.RecurringPost, told []string, err error)
	ListedRecurringPost(ctx context.Context, id string) (schedule.ListedRecurringPost, error)
	RecurringPosts(ctx context.Context, limit, offset int) ([]schedule.ListedRecurringPost, int, error)
	ScheduledTimes(ctx context.Context, recurringPostID string, limit int) ([]schedule.ListedScheduledTime, error)
	PlannedTimes(ctx context.Context, from, to, now time.Time) (planned []schedule.PlannedPost, names map[string]string, err error)
}

// TreasuryStore keeps what came in and went out. *store.Treasury implements it.
type TreasuryStore interface {
	Treasury(ctx context.Context, at time.Time) (treasury.Ledger, error)
}

// VerificationStore keeps what was seen of our own pages. *store.Verifications implements it.
type VerificationStore interface {
	Agreements(ctx context.Context) ([]verification.Agreement, error)
	ApproveBaselines(ctx context.Context, approved []verification.Baseline) error
	Baselines(ctx context.Context, path string, limit, offset int) ([]verification.Baseline, int, error)
	BaselinesNamed(ctx context.Context, ids []string) ([]verification.Baseline, error)
	Browser(ctx context.Context) (verification.BrowserState, error)
	ChaosScreenshots(ctx context.Context, chaosID string) ([]verification.TargetScreenshot, error)
	// LastVerifications are those of our own front page that have ended, newest first.
	LastVerifications(ctx context.Context, url string, limit int) ([]verification.Run, error)
	OpenVerification(ctx context.Context, openKey string) (*verification.Run, error) // nil: none
	RequestVerification(ctx context.Context, r verification.Run, visitor string) error
	Screenshots(ctx context.Context, runIDs ...string) ([]verification.Shot, error)
	Verification(ctx context.Context, id string) (verification.Run, error)
	VerificationDays(ctx context.Context, from string) ([]verification.Day, error)
	Verifications(ctx context.Context, limit, offset int) ([]verification.Run, int, error)
}

// VisitorStore keeps what visitors who let us count them did. *store.Visitors implements it.
type VisitorStore interface {
	ForgetVisitor(ctx context.Context, id string) error
	RecordVisit(ctx context.Context, id string, e pricing.VisitEvent, at time.Time) (pricing.Visitor, error)
	Visitor(ctx context.Context, id string) (*pricing.Visitor, error)
}

// Webhooks reads what the payment service sends. Its error says whether it was forged.
type Webhooks interface {
	ReadEvent(payload []byte, signature string, at time.Time) (checkout.Event, error)
}

// Runs starts, signals and reads flows. *client.Client implements it.
type Runs interface {
	AwaitGeneration(ctx context.Context, generationID, runID string) error
	// AwaitVerification returns when the run has ended, or ctx has.
	AwaitVerification(ctx context.Context, verificationID, runID string) error
	BeginXLogin(ctx context.Context, loginID string) error
	CancelCheckout(ctx context.Context, checkoutID string) error
	CancelPost(ctx context.Context, p post.Post) error
	// CheckHistory replays the history of a run with the code of today, and writes down what
	// came of it.
	CheckHistory(ctx context.Context, workflowID, runID string) (chaos.HistoryCheck, error)
	EditPost(ctx context.Context, p post.Post, o workflows.EditCommand) error
	FinishXLogin(ctx context.Context, loginID string) error
	// NewestRuns lists runs of a flow, newest first; empty: of every public one.
	NewestRuns(ctx context.Context, flow string, limit int) ([]run.Brief, error)
	// NotifyExperiment starts the flow of an experiment that became active, or tells the one there
	// is that its row has changed. Safe to repeat.
	NotifyExperiment(ctx context.Context, experimentID string) error
	NotifyPayment(ctx context.Context, checkoutID string, m checkout.EventKind) error
	Quote(ctx context.Context, checkoutID string) error
	RefundCheckout(ctx context.Context, checkoutID string) error
	ReplaceKeys(ctx context.Context, providerKeyID string) error
	ReschedulePost(ctx context.Context, p post.Post, o workflows.RescheduleCommand) error
	RetryPost(ctx context.Context, p post.Post) error
	ScheduleRecurringPost(ctx context.Context, r schedule.RecurringPost) error
	SendEmail(ctx context.Context, emailID string) error
	// StartAccountDeletion starts the flow that forgets a member, and names its run. Safe to repeat.
	StartAccountDeletion(ctx context.Context, deletionID string) (runID string, err error)
	StartChaos(ctx context.Context, chaosID string) (runID string, err error)
	StartDiagnosis(ctx context.Context, diagnosisID string) (runID string, err error)
	StartGeneration(ctx context.Context, generationID string) (runID string, err error)
	StartPost(ctx context.Context, p post.Post) (runID string, err error)
	StartVerification(ctx context.Context, verificationID string) (runID string, err error)
	// StopChaos takes the fault that is there back. It is no failure when there is none.
	StopChaos(ctx context.Context) error
	// Timeline reads a run, the newest of its workflow if runID is empty.
	Timeline(ctx context.Context, workflowID, runID string) (run.Timeline, error)
	TryConnection(ctx context.Context, connectionID string) error
	WakePost(ctx context.Context, p post.Post) error
}
