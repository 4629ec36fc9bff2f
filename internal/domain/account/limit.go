package account

import "time"

// Limit is how often something may happen in a window of time.
type Limit struct {
	Name  string // the bucket's name begins with it
	Most  int
	Per   time.Duration
	Doing string // completes "Too many …"
}

// The limits of logging in. X bills a call of each diagnosis, hence a limit for everybody together. Those that name a visitor count by network address, of which
// only a keyed digest is kept.
var (
	CodesPerSubject    = Limit{"code-subject", 5, time.Hour, "codes for this account"}
	CodesPerVisitor    = Limit{"code-visitor", 20, time.Hour, "codes from your network"}
	GuessesPerVisitor  = Limit{"guess-visitor", 60, time.Hour, "tries from your network"}
	LoginsPerVisitor   = Limit{"x-login-visitor", 40, 10 * time.Minute, "logins from your network"}
	LoginsOverall      = Limit{"x-login", 300, 10 * time.Minute, "logins"}
	DiagnosisPerPerson = Limit{"diagnosis-visitor", 1, time.Minute, "diagnoses"}
	DiagnosesOverall   = Limit{"diagnosis", 30, time.Hour, "diagnoses"}
	CredentialTries    = Limit{"credentials", 10, 10 * time.Minute, "tries"}
	QuotesPerVisitor   = Limit{"quote-visitor", 120, 10 * time.Minute, "prices for your network"}
	QuotesOverall      = Limit{"quote", 3000, 10 * time.Minute, "prices"}
	VisitorsPerNetwork = Limit{"visitors", 600, time.Hour, "visitors from your network"}
	// GenerationsPerAccount counts texts: a question to three models is three.
	GenerationsPerAccount = Limit{"generation", 30, time.Hour, "generated texts"}
	// GenerationsOverall bounds what models cost in a day, however many members there are.
	GenerationsOverall = Limit{"generation-day", 2000, 24 * time.Hour, "texts by models, for everybody together"}
	// PricesByModels bounds the same for prices. Whoever comes later gets one by our rules.
	PricesByModels = Limit{"price-model-day", 5000, 24 * time.Hour, "prices by models"}
	// RunsPerVisitor counts looks at runs: each reads a history.
	RunsPerVisitor = Limit{"run-visitor", 600, 10 * time.Minute, "looks at runs from your network"}
	// ExportsPerAccount: a file is some work, and changes little within minutes.
	ExportsPerAccount = Limit{"export-account", 10, time.Hour, "downloads of your data"}
	// ReportsOverall counts what broken pages report.
	ReportsOverall = Limit{"page-report", 90, time.Minute, "reports come in just now"}
)
