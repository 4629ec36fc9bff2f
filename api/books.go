package api

import (
	"context"
	"time"

	"customerzero/api/runs"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/diagnostic"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/onboarding"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/schedule"
	"customerzero/internal/domain/treasury"
	"customerzero/internal/domain/verification"
	"customerzero/workflows"
)

// AccountStore keeps who can log in, and who is. *store.Accounts implements it.
type AccountStore interface {
	Login(ctx context.Context, token string, at time.Time) (*account.Login, error)
	OpenSession(ctx context.Context, n account.NewSession, at time.Time) (account.Session, error)
	Sessions(ctx context.Context, accountID string, at time.Time) ([]account.Session, error)
	EndSession(ctx context.Context, accountID, id string) error
	EndSessions(ctx context.Context, accountID string) error
	AccountByEmail(ctx context.Context, email string) (*account.Account, error)
	AccountByName(ctx context.Context, name string) (*account.Account, error)
	XAccount(ctx context.Context, userID, handle string, at time.Time) (account.Account, error)
	SetNotices(ctx context.Context, accountID string, wanted bool) error
	IssueCode(ctx context.Context, n account.NewCode, at time.Time) (letterID string, err error)
	RedeemLogin(ctx context.Context, g account.Guess, n account.NewSession, at time.Time) (account.Session, error)
	RedeemAddress(ctx context.Context, g account.Guess, at time.Time) error
	RedeemClaim(ctx context.Context, token string, n account.NewSession, at time.Time) (account.Session, error)
}

// LoginStore keeps logins with X under way. *store.Accounts implements it.
type LoginStore interface {
	BeginXLogin(ctx context.Context, l account.XLogin, visitor string) error
	XLogin(ctx context.Context, id string) (account.XLogin, error)
	RequestToken(ctx context.Context, loginID string) (account.RequestToken, error)
	BringXLoginBack(ctx context.Context, r account.Returned, at time.Time) (account.XLogin, error)
}

// DiagnosisStore keeps what the diagnostic finds. *store.Diagnoses implements it.
type DiagnosisStore interface {
	BeginDiagnosis(ctx context.Context, d diagnostic.Run) error
	Diagnosis(ctx context.Context, id string) (diagnostic.Run, error)
	LatestDiagnosis(ctx context.Context, visitor string, since time.Time) (diagnostic.Run, error)
}

// BotStore keeps what the bot posts with. *store.Bot implements it.
type BotStore interface {
	Connection(ctx context.Context) (*bot.Connection, error)
	ConnectionByID(ctx context.Context, id string) (bot.Connection, error)
	ProposeConnection(ctx context.Context, tokens bot.Tokens, accountID *string, at time.Time) (bot.Connection, error)
	Disconnect(ctx context.Context, at time.Time) ([]post.Post, error)
	ProviderKeys(ctx context.Context) (*bot.ProviderKeys, error)
	PreviousKeys(ctx context.Context) (*bot.ProviderKeys, error)
	KeysByID(ctx context.Context, id string) (bot.ProviderKeys, error)
	ProposeKeys(ctx context.Context, keys bot.Keys, accountID *string, at time.Time) (bot.ProviderKeys, error)
	RollBackKeys(ctx context.Context, at time.Time) (bot.ProviderKeys, error)
	Brakes(ctx context.Context) (bot.PostingControls, error)
	SetBrakes(ctx context.Context, c bot.ControlsChange, by string, at time.Time) (was, is bot.PostingControls, err error)
}

// ScheduleStore is what else there is to do with posts that have yet to go out. *store.Posts
// implements it.
type ScheduleStore interface {
	QueuePost(ctx context.Context, p post.Post, now time.Time) (post.Post, error)
	ReviewPost(ctx context.Context, id string, d post.Decision, now time.Time) (post.Post, error)
	RestorePost(ctx context.Context, id string, gated bool, now time.Time) (post.Post, error)
	PostsBetween(ctx context.Context, from, to time.Time, viewer *post.Viewer, limit int) (found []post.Listed, cut bool, err error)
	Budget(ctx context.Context, month post.Month, holder *string) (post.Budget, error)
	ToCompare(ctx context.Context, since time.Time, viewer *post.Viewer) ([]post.Post, error)
	TextOpenBeside(ctx context.Context, text, id string) (bool, error)
	DuePosts(ctx context.Context, now time.Time) ([]post.Post, error)
	Overdue(ctx context.Context, now time.Time) (int, error)
	ToReview(ctx context.Context) (int, error)
}

// LetterStore is the outbox. *store.Emails implements it.
type LetterStore interface {
	DeadLetters(ctx context.Context, limit int) ([]email.Message, error)
	ReviveLetter(ctx context.Context, id string, at time.Time) (email.Message, error)
}

// VisitorStore keeps what visitors who let us count them did. *store.Visitors implements it.
type VisitorStore interface {
	NoteVisit(ctx context.Context, id string, e pricing.VisitEvent, at time.Time) (pricing.Visitor, error)
	Visitor(ctx context.Context, id string) (*pricing.Visitor, error)
	ForgetVisitor(ctx context.Context, id string) error
}

// CheckoutStore keeps prices and checkouts. *store.Checkouts implements it.
type CheckoutStore interface {
	BeginCheckout(ctx context.Context, a checkout.Request, at time.Time) (checkout.Receipt, error)
	Receipt(ctx context.Context, id string) (checkout.Receipt, error)
	NoteEvent(ctx context.Context, e checkout.Event, at time.Time) (checkoutID string, heeded bool, err error)
	MarkEventHandled(ctx context.Context, id string, at time.Time) error
	Checkouts(ctx context.Context, f checkout.Filter) ([]checkout.Listed, int, error)
}

// CallStore keeps what models were asked. *store.ModelCalls implements it.
type CallStore interface {
	Call(ctx context.Context, id string) (model.Call, error)
}

// TreasuryStore keeps what came in and went out. *store.Treasury implements it.
type TreasuryStore interface {
	Treasury(ctx context.Context, at time.Time) (treasury.Ledger, error)
}

// Webhooks reads what the payment service sends. Its error says whether it was forged.
type Webhooks interface {
	ReadEvent(payload []byte, signature string, at time.Time) (checkout.Event, error)
}

// Till says how payments are taken here.
type Till struct {
	Sandbox     bool // no card is charged
	Demo        bool // the demo has a test mode to work in
	Model       string
	FloorCents  int
	BudgetCents int // all discounts of a month together
}

// OnboardingStore keeps members' first steps. *store.Members implements it.
type OnboardingStore interface {
	Onboarding(ctx context.Context, memberID string, kind onboarding.Kind) (onboarding.Progress, error)
	SaveOnboarding(ctx context.Context, p onboarding.Progress, at time.Time) error
	CompleteOnboarding(ctx context.Context, memberID string, kind onboarding.Kind, at time.Time) (awarded int, err error)
}

// Runs starts flows and gives them orders. *client.Client implements it.
type Runs interface {
	PostRuns
	CheckoutRuns
	ChaosFlows
	VerificationFlows
	ExperimentFlows
	DepartureFlows
	runs.Runs
	SendEmail(ctx context.Context, letterID string) error
	BeginXLogin(ctx context.Context, loginID string) error
	FinishXLogin(ctx context.Context, loginID string) error
	StartDiagnosis(ctx context.Context, diagnosisID string) (runID string, err error)
	TryConnection(ctx context.Context, connectionID string) error
	ReplaceKeys(ctx context.Context, providerKeyID string) error
	ScheduleRecurringPost(ctx context.Context, r schedule.RecurringPost) error
	StartGeneration(ctx context.Context, generationID string) (runID string, err error)
	AwaitGeneration(ctx context.Context, generationID, runID string) error
}

// GenerationStore keeps what models are asked, and what they write. *store.Generations implements it.
type GenerationStore interface {
	BeginGeneration(ctx context.Context, g generation.Generation, candidates []generation.Candidate, whom string) error
	Generation(ctx context.Context, id string) (generation.Listed, error)
	EndGeneration(ctx context.Context, id string, at time.Time) error
	// CandidateForPost finds a generated text that the account may make a post of.
	CandidateForPost(ctx context.Context, id string, accountID *string) (generation.Candidate, error)
	Vote(ctx context.Context, v generation.Vote) error
	League(ctx context.Context) (standings []generation.Standing, votes int, err error)
}

// PostRuns starts the flows of posts and gives them orders.
type PostRuns interface {
	StartPost(ctx context.Context, p post.Post) (runID string, err error)
	EditPost(ctx context.Context, p post.Post, o workflows.EditCommand) error
	ReschedulePost(ctx context.Context, p post.Post, o workflows.RescheduleCommand) error
	CancelPost(ctx context.Context, p post.Post) error
	RetryPost(ctx context.Context, p post.Post) error
	WakePost(ctx context.Context, p post.Post) error
}

// CheckoutRuns starts the flows of checkouts and tells them what happened.
type CheckoutRuns interface {
	Quote(ctx context.Context, checkoutID string) error
	NotifyPayment(ctx context.Context, checkoutID string, m checkout.EventKind) error
	CancelCheckout(ctx context.Context, checkoutID string) error
	RefundCheckout(ctx context.Context, checkoutID string) error
}

// Setting is a secret of the configuration, and whether it is set.
type Setting struct {
	Name string
	Set  bool
}

// VerificationStore keeps what was seen of our own pages. *store.Verifications implements it.
type VerificationStore interface {
	RequestVerification(ctx context.Context, r verification.Run, visitor string) error
	Verification(ctx context.Context, id string) (verification.Run, error)
	Verifications(ctx context.Context, limit, offset int) ([]verification.Run, int, error)
	OpenVerification(ctx context.Context, openKey string) (*verification.Run, error) // nil: none
	// LastVerifications are those of our own front page that have ended, newest first.
	LastVerifications(ctx context.Context, url string, limit int) ([]verification.Run, error)
	VerificationDays(ctx context.Context, from string) ([]verification.Day, error)
	Shots(ctx context.Context, runIDs ...string) ([]verification.Shot, error)
	ApproveLook(ctx context.Context, approved []verification.Baseline) error
	Baselines(ctx context.Context, path string, limit, offset int) ([]verification.Baseline, int, error)
	BaselinesNamed(ctx context.Context, ids []string) ([]verification.Baseline, error)
	Browser(ctx context.Context) (verification.BrowserState, error)
	CellShots(ctx context.Context, chaosID string) ([]verification.TargetShot, error)
	Agreements(ctx context.Context) ([]verification.Agreement, error)
}

// PictureStore keeps pictures by their sha256. *blob.Store implements it.
type PictureStore interface {
	Get(ctx context.Context, key string) ([]byte, error)
}

// VerificationFlows starts looks at our own pages. *client.Client implements it.
type VerificationFlows interface {
	StartVerification(ctx context.Context, verificationID string) (runID string, err error)
	// AwaitVerification returns when the run has ended, or ctx has.
	AwaitVerification(ctx context.Context, verificationID, runID string) error
}
