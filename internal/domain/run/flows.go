package run

// flows maps workflow names to their descriptions.
var flows = map[string]Flow{
	"Post": {
		Word: "post", Title: "Publishing a post", Listing: Listed,
		Description: "Waits for the post's time, sends it to X once, and checks the timeline before any retry.",
		Subject:     "PostID", Standing: "Status",
		Waits: map[string]string{
			"scheduled": "Waited for the scheduled time",
			"armed":     "Waited until no request to X could be running",
			"failed":    "Waited for a person to retry or cancel it (up to 30 days)",
			"unknown":   "Waited for a person to retry or cancel it (up to 30 days)",
		},
		Signals: map[string]string{
			"retry-requested": "A founder requested a retry in the console", "woken": "Notified that the bot can post again",
		},
		Updates: map[string]Description{
			"edit":       {Title: "The post was edited", Out: standingOfPost},
			"reschedule": {Title: "The post was rescheduled", Out: standingOfPost},
			"cancel":     {Title: "The post was cancelled", Out: standingOfPost},
			"retry":      {Title: "A retry was requested", Out: standingOfPost},
		},
		Result: []Field{{"Status", "Status", word}, {"Attempts", "Attempts", count}, {"Code", "Why", word}, {"TweetID", "ID on X", word}},
	},
	"Engagement": {
		Word: "engagement", Title: "Reading engagement", Listing: Asked,
		Description: "Reads the public counts of published posts, within the month's budget of reads.",
		Result:      readings,
	},
	"RecurringPost": {
		Word: "recurring-post", Title: "Planning a recurring post", Listing: Listed,
		Description: "Handles the scheduled times that have passed, and creates the next post in advance.",
		Subject:     "RecurringPostID",
		Result:      []Field{{"State", "State", word}, {"Posts", "Posts created or cancelled", count}},
	},
	"Generation": {
		Word: "generation", Title: "Generating texts",
		Description: "Requests a text from each selected model at the same time.",
		Result:      []Field{{"Done", "Texts written", count}, {"Unfit", "Unusable texts", count}, {"Failed", "Models that failed", count}},
	},

	// Checkout IDs are private, because they grant access to the receipt and to cancelling, so these runs
	// are unlisted.
	"Checkout": {
		Word: "checkout", Title: "Selling a membership",
		Description: "Decides a price, opens a payment page, and waits until it is paid, cancelled or expired. Discounts of unpaid checkouts are deleted.",
		Subject:     "CheckoutID", Standing: "State",
		Waits: map[string]string{"": "Waited for the payment"},
		Signals: map[string]string{
			"payment-settled": "Notified by the payment service", "cancelled": "The buyer cancelled",
		},
		Updates: map[string]Description{"quote": {Title: "A visitor waited for the price", Out: offered}},
		Result:  []Field{{"State", "Ended", word}},
	},
	"Refund": {
		Word: "refund", Title: "Recording a refund or a dispute",
		Description: "Refunds a payment if requested, and records what was refunded or disputed.",
		Subject:     "CheckoutID",
		Signals:     map[string]string{"refunded": "Notified of a refund or a dispute"},
		Result:      []Field{{"State", "State", word}},
	},
	"PaymentReconciliation": {
		Word: "payment-reconciliation", Title: "Reconciling payments", Listing: Asked,
		Description: "Reads the payment service's list of events, so that a lost webhook loses no payment.",
		Result:      reconciled,
	},

	// Flows with personal data show titles only.
	"Email": {
		Word: "email", Title: "Sending an email", Quiet: true,
		Description: "Sends an email, with retries until it expires.",
	},
	"XLogin": {
		Word: "x-login", Title: "A login with X", Quiet: true,
		Description: "Verifies a person's X account.",
		Waits:       map[string]string{"": "Waited for the return from X"},
		Updates:     map[string]Description{"authorize": {Title: "Redirected to X"}, "complete": {Title: "Returned from X"}},
	},
	"OAuthDiagnosis": {
		Word: "oauth-diagnosis", Title: "Diagnosing the login with X",
		Description: "Tests the steps of a login with X one by one, and reports the first problem.",
		Result:      diagnosed,
	},
	"Credentials": {
		Word: "credentials", Title: "Connecting the bot to its account", Quiet: true,
		Description: "Verifies the tokens with X, and uses them for posting.",
	},
	"ProviderKeys": {
		Word: "provider-keys", Title: "Changing the keys of the app at X", Quiet: true,
		Description: "Tests new keys before they replace the old ones, and deletes the old ones a day later.",
		Waits:       map[string]string{"": "Kept the old keys for a day"},
		Updates:     map[string]Description{"decide": {Title: "A founder waited for the decision"}},
		Children:    map[string]Description{"OAuthDiagnosis": {Title: "Tested the keys in a separate run"}},
	},
	"AccountDeletion": {
		Word: "account-deletion", Title: "Deleting an account", Quiet: true,
		Description: "Cancels the account's pending posts, then deletes its personal data.",
		Waits:       map[string]string{"": "Waited for posts being sent"},
	},

	"Verification": {
		Word: "verification", Title: "Checking a page", Listing: Listed,
		Description: "Requests the public endpoints, opens the page in a browser, compares it with its baseline, and gives a verdict.",
		Subject:     "VerificationID",
		Result:      []Field{{"Verdict", "Verdict", word}, {"Checked", "Checks", word}, {"Refused", "Was refused", given}},
	},
	"VerificationCleanup": {
		Word: "verification-cleanup", Title: "Removing old verifications", Listing: Asked,
		Description: "Deletes old runs and unused screenshots.",
	},
	"Experiment": {
		Word: "experiment", Title: "Running an experiment", Listing: Listed,
		Description: "Waits for the due date, measures the registered metric, and counts the votes when the experiment ends.",
		Subject:     "ExperimentID",
		Waits:       map[string]string{"": "Waited for its due date or a founder"},
		Signals:     map[string]string{"woken": "Notified that the experiment was changed"},
		Result:      append(append([]Field{}, measured...), votes...),
	},
	"Canary": {
		Word: "canary", Title: "Checking that workflows run", Listing: Asked,
		Description: "Ends when a worker has run it and reached the database.",
	},

	"ChaosRun": {
		Word: "chaos", Title: "Testing recovery from a fault", Listing: Listed,
		Description: "Injects a fault into the chaos target under a lease and watches it recover. The fault is always reverted.",
		Subject:     "ChaosID",
		Waits:       map[string]string{"": "Waited for the screenshot run"},
		Signals:     map[string]string{"switched-off": "Notified that chaos tests were switched off"},
		Children: map[string]Description{
			"ChaosScreenshots": {Title: "Started a separate run for screenshots"},
		},
		Result: verdictOfChaos,
	},
	"ChaosSweep": {
		Word: "chaos-sweep", Title: "Ending a lost chaos run", Listing: Asked,
		Description: "Reverts the fault of a lost run, and sets the verdict from its probes.",
		Subject:     "ChaosID", Result: verdictOfChaos,
	},
	"ChaosScreenshots": {
		Word: "chaos-screenshots", Title: "Taking screenshots of the chaos target", Listing: Asked,
		Description: "Takes screenshots of the chaos target while it is broken and after it recovers.",
		Subject:     "ChaosID",
	},
	"GameDay": {
		Word: "game-day", Title: "Game day", Listing: Listed,
		Description: "Starts a chaos run with a random fault on schedule, and waits for its result.",
		Subject:     "ChaosID",
		Children:    map[string]Description{"ChaosRun": {Title: "Started a chaos run", Out: verdictOfChaos}},
		Result:      []Field{{"Run.Verdict", "Verdict", word}, {"Run.DetectMS", "Time to detect", millis}, {"Run.HealMS", "Time to heal", millis}, {"Refused", "Was refused", given}},
	},
	"SelfHeal": {
		Word: "self-heal", Title: "Healing the chaos target", Listing: Listed,
		Description: "Monitors the chaos target and repairs it when it is unhealthy. It sees only probes and cannot see which fault was injected.",
	},
	"HistoryCheck": {
		Word: "history-check", Title: "Replaying a stored history", Listing: Asked,
		Description: "Replays the stored history of a run with the current code.", Result: replayed,
	},
}

// Activities maps activity names to their descriptions. Names are unique across all flows.
var Activities = map[string]Description{
	"BeginPost":       {Stage: Notice, Title: "Started the post", Out: standingOfPost},
	"LoadPost":        {Stage: Plan, Title: "Read the post's status", Out: whyOfPost},
	"ChangePost":      {Stage: Plan, Title: "Stored the change", Out: standingOfPost},
	"CancelPost":      {Stage: Record, Title: "Cancelled the post and released its slot", Out: whyOfPost},
	"PublishPost":     {Stage: Act, Title: "Armed the post and sent it to X", In: []Field{{"Attempt", "Attempt", positive}}, Out: published},
	"ReconcilePost":   {Stage: Check, Title: "Checked the timeline for the post", In: []Field{{"Last", "Last check", yesNo}}, Out: sentPost},
	"MarkPostUnknown": {Stage: Record, Title: "Marked the outcome as unknown", Out: whyOfPost},
	"RetryPost":       {Stage: Guard, Title: "Checked the timeline, then allowed a retry", Out: whyOfPost},
	"GiveUpPost":      {Stage: Record, Title: "Checked the timeline, then cancelled the post", Out: whyOfPost},
	"ClosePost":       {Stage: Record, Title: "Closed the post after 30 days", Out: whyOfPost},

	"ReadEngagement": {Stage: Check, Title: "Read public counts from X", Out: readings},

	"PlanRecurringPost": {Stage: Plan, Title: "Planned the next scheduled times", Out: []Field{{"State", "State", word}, {"PostIDs", "Posts", size}}},
	"NotifyPosts":       {Stage: Act, Title: "Notified the posts and the schedule", In: []Field{{"PostIDs", "Posts", size}}},

	"BeginGeneration": {Stage: Notice, Title: "Started the generation", Out: []Field{{"CandidateIDs", "Texts to write", size}}},
	"WriteText":       {Stage: Act, Title: "Had a text written by a model or a template", Out: []Field{{"State", "State", word}, {"Code", "Why", word}}},
	"GiveUpText":      {Stage: Record, Title: "Marked a text as failed", Out: []Field{{"State", "State", word}, {"Code", "Why", word}}},

	"BeginCheckout":         {Stage: Notice, Title: "Started the checkout", Out: []Field{{"State", "State", word}, {"ListCents", "List price", cents}}},
	"ProposePrice":          {Stage: Plan, Title: "Requested a discount from a model and applied the limits", Out: priced},
	"DecidePriceByRules":    {Stage: Plan, Title: "Decided the price by fixed rules", Out: priced},
	"CreateCoupon":          {Stage: Act, Title: "Created the discount at the payment service", In: []Field{{"DiscountPercent", "Discount", percent}}},
	"CreateCheckoutSession": {Stage: Act, Title: "Opened the payment page", Out: offered},
	"SettleCheckout":        {Stage: Check, Title: "Checked the payment page", In: []Field{{"Close", "Close as", word}}, Out: stateOfCheckout},
	"DeleteCoupon":          {Stage: Act, Title: "Deleted the discount"},
	"AbandonCheckout":       {Stage: Record, Title: "Ended the checkout without a payment page", Out: stateOfCheckout},
	"RefundPayment":         {Stage: Act, Title: "Refunded the payment"},
	"RecordRefund":          {Stage: Record, Title: "Recorded refunds and disputes", Out: stateOfCheckout},
	"ReconcilePayments":     {Stage: Check, Title: "Read the payment service's events", Out: reconciled},

	"BeginEmail": {Stage: Notice, Title: "Started the email"},
	"SendEmail":  {Stage: Act, Title: "Sent the email to the mail server"},
	"EndEmail":   {Stage: Record, Title: "Recorded the result"},

	"RequestXToken": {Stage: Act, Title: "Requested a login from X"},
	"FinishXLogin":  {Stage: Check, Title: "Verified the account with X"},
	"EndXLogin":     {Stage: Record, Title: "Ended the login"},

	"BeginDiagnosis":    {Stage: Notice, Title: "Started the diagnosis"},
	"CheckEnvironment":  {Stage: Guard, Title: "Checked the configuration", Out: diagnosed},
	"CheckSignature":    {Stage: Guard, Title: "Signed a request", Out: diagnosed},
	"CheckRequestToken": {Stage: Check, Title: "Requested a token from X", Out: diagnosed},
	"CheckAccount":      {Stage: Check, Title: "Verified the bot's account with X", Out: diagnosed},
	"EndDiagnosis":      {Stage: Record, Title: "Ended the diagnosis"},

	"TryConnection":    {Stage: Check, Title: "Verified the tokens with X"},
	"GiveUpConnection": {Stage: Record, Title: "Gave up: X did not respond"},
	"WakePosts":        {Stage: Act, Title: "Notified the waiting posts"},

	"OpenDiagnosis": {Stage: Notice, Title: "Opened a diagnosis of the keys"},
	"DecideKeys":    {Stage: Plan, Title: "Decided whether the keys are used"},
	"DropKeys":      {Stage: Record, Title: "Deleted the old keys"},

	"BeginAccountDeletion": {Stage: Notice, Title: "Started the account deletion"},
	"EndRecurringPosts":    {Stage: Act, Title: "Ended their recurring posts"},
	"ListOpenPosts":        {Stage: Plan, Title: "Listed their open posts"},
	"CancelOpenPost":       {Stage: Act, Title: "Cancelled a post"},
	"EraseMember":          {Stage: Act, Title: "Deleted the personal data"},

	"BeginVerification":    {Stage: Notice, Title: "Started the verification"},
	"MoveVerification":     {Stage: Plan, Title: "Entered the next stage"},
	"CheckEndpoints":       {Stage: Check, Title: "Requested the public endpoints", Out: []Field{{"Answers", "Endpoints", size}}},
	"CapturePage":          {Stage: Act, Title: "Opened the page in a browser", In: view},
	"GiveUpScreenshot":     {Stage: Record, Title: "Continued without a screenshot"},
	"CompareScreenshots":   {Stage: Check, Title: "Compared the screenshots with the baselines"},
	"ReviewPage":           {Stage: Check, Title: "Requested an AI review"},
	"GiveUpReview":         {Stage: Record, Title: "Continued without an AI review"},
	"ConcludeVerification": {Stage: Record, Title: "Set the verdict", Out: []Field{{"Verdict", "Verdict", word}, {"Checked", "Checks", word}}},
	"DeleteOldScreenshots": {Stage: Act, Title: "Deleted old runs and screenshots", Out: []Field{{"Runs", "Runs", count}, {"Pictures", "Pictures", count}}},

	"BeginExperiment":   {Stage: Notice, Title: "Started the experiment", Out: dueOfExperiment},
	"MeasureExperiment": {Stage: Check, Title: "Measured the metric and set the verdict", Out: measured},
	"CloseVotes":        {Stage: Record, Title: "Counted the votes", Out: votes},

	"RunCanary": {Stage: Check, Title: "Reached the database"},

	"BeginChaosRun":        {Stage: Notice, Title: "Started the chaos run", Out: []Field{{"LeaseMS", "Lease", millis}}},
	"CheckTarget":          {Stage: Guard, Title: "Checked that the chaos target is healthy", Out: []Field{{"Unfit", "Was unhealthy", given}}},
	"GrantLease":           {Stage: Guard, Title: "Set the lease of the fault"},
	"InjectFault":          {Stage: Act, Title: "Injected the fault"},
	"WatchTarget":          {Stage: Check, Title: "Watched the probes"},
	"EndLease":             {Stage: Act, Title: "Reverted the fault"},
	"FinishChaosRun":       {Stage: Record, Title: "Derived the verdict from the probes", Out: verdictOfChaos},
	"StopChaosRun":         {Stage: Record, Title: "Ended the lost run", Out: []Field{{"Begun", "Had begun", yesNo}}},
	"CaptureHealthyTarget": {Stage: Guard, Title: "Took a screenshot before the fault", Out: []Field{{"Ready", "Browser was ready", yesNo}}},
	"CaptureBrokenTarget":  {Stage: Check, Title: "Took screenshots during and after the fault"},
	"RequestRandomFault":   {Stage: Plan, Title: "Chose a random fault"},

	"FindOpenIncident": {Stage: Notice, Title: "Checked for an open incident", Out: []Field{{"IncidentID", "Incident", word}}},
	"WatchHealth":      {Stage: Notice, Title: "Watched the chaos target's health", Out: []Field{{"Unhealthy", "Unhealthy", yesNo}, {"UnhealthyAt", "Since", moment}}},
	"BeginIncident":    {Stage: Notice, Title: "Opened an incident", Out: []Field{{"IncidentID", "Incident", word}}},
	"RepairTarget": {
		Stage: Act,
		Title: "Repaired the chaos target",
		In:    []Field{{"Step.Kind", "How", word}, {"Step.Files", "Files", words}},
		Out:   []Field{{"ms", "Took", millis}, {"error", "Failed", given}},
	},
	"RecheckTarget":  {Stage: Check, Title: "Checked the repair", Out: []Field{{"HealthyAt", "Healthy at", moment}}},
	"UpdateIncident": {Stage: Record, Title: "Recorded the repair"},
	"RaiseAlarm":     {Stage: Act, Title: "Raised an alarm: repairs did not help"},
	"EndIncident":    {Stage: Record, Title: "Closed the incident"},

	"CheckHistory": {Stage: Check, Title: "Replayed the history", Out: replayed},
}

// Fields shared by several steps and results.
var (
	standingOfPost = []Field{{"Status", "Status", word}, {"DueAt", "Due at", moment}}
	sentPost       = []Field{{"Status", "Status", word}, {"Attempt", "Attempt", positive}, {"ArmedAt", "Armed at", moment}, {"Code", "Why", word}, {"TweetID", "ID on X", word}}
	published      = append([]Field{{"Status", "Status", word}}, sentPost[2:]...) // the attempt is in the input
	whyOfPost      = []Field{{"Status", "Status", word}, {"Code", "Why", word}}
	readings       = []Field{{"Due", "Posts due to be read", count}, {"Measured", "Posts read", count}}
	offered        = []Field{
		{"State", "State", word},
		{"ListCents", "List price", cents},
		{"DiscountPercent", "Discount", percent},
		{"ExpiresAt", "Can be paid until", moment},
		{"Demo", "Demo", yesNo},
	}
	stateOfCheckout = []Field{{"State", "State", word}}
	reconciled      = []Field{{"Events", "Missed events", count}, {"Woken", "Resumed checkouts", count}}
	priced          = []Field{{"ListCents", "List price", cents}, {"DiscountPercent", "Discount", percent}}
	diagnosed       = []Field{{"OK", "Works", yesNo}, {"Step", "Last step", word}, {"Code", "Found", word}}
	measured        = []Field{{"Status", "Status", word}, {"Verdict", "Verdict", word}, {"Measured", "Measured", number}, {"Threshold", "Threshold", number}}
	votes           = []Field{{"Up", "Votes for", count}, {"Down", "Votes against", count}}
	dueOfExperiment = []Field{{"Status", "Status", word}, {"DueAt", "Due at", moment}}
	view            = []Field{{"Theme", "Theme", word}, {"Viewport", "Window", word}}
	verdictOfChaos  = []Field{{"Verdict", "Verdict", word}, {"DetectMS", "Time to detect", millis}, {"HealMS", "Time to heal", millis}}
	replayed        = []Field{{"Passed", "Passed", yesNo}, {"Events", "Events", count}}
)
