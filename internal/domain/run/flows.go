package run

// flows maps workflow names to their descriptions.
var flows = map[string]Flow{
	"Post": {
		Word: "post", Title: "A post, from its time to its end", Listing: Listed,
		Says:    "Waits until the post's time, asks X once to publish it, and looks for it on the timeline before anything is sent again.",
		Subject: "PostID", Standing: "Status",
		Waits: map[string]string{
			"scheduled": "Waited until it may go out",
			"armed":     "Waited until no call to X could be under way",
			"failed":    "Left it to people, who may retry or cancel it for a month",
			"unknown":   "Left it to people, who may retry or cancel it for a month",
		},
		Signals: map[string]string{
			"retry-requested": "A founder asked in the console to try again", "woken": "Heard that the bot may post again",
		},
		Updates: map[string]Description{
			"edit":       {Title: "Somebody changed the post", Out: standingOfPost},
			"reschedule": {Title: "Somebody moved the post to another time", Out: standingOfPost},
			"cancel":     {Title: "Somebody cancelled the post", Out: standingOfPost},
			"retry":      {Title: "Somebody asked to try again", Out: standingOfPost},
		},
		Result: []Field{{"Status", "Status", word}, {"Attempts", "Attempts", count}, {"Code", "Why", word}, {"TweetID", "ID on X", word}},
	},
	"Engagement": {
		Word: "engagement", Title: "Reading how posts were received", Listing: Asked,
		Says:   "Reads the public counts of published posts, within the month's budget of reads.",
		Result: readings,
	},
	"RecurringPost": {
		Word: "recurring-post", Title: "Planning a recurring post", Listing: Listed,
		Says:    "Gives the times of a recurring post that have passed their turn, and writes the next post ahead.",
		Subject: "RecurringPostID",
		Result:  []Field{{"State", "Recurring post is", word}, {"Posts", "Posts written or given up", count}},
	},
	"Generation": {
		Word: "generation", Title: "Letting models write texts",
		Says:   "Lets each model that was chosen write a text, all at the same time.",
		Result: []Field{{"Done", "Texts written", count}, {"Unfit", "Texts that did not fit", count}, {"Failed", "Models that failed", count}},
	},

	// Checkout IDs are private, because they grant access to the receipt and to cancelling, so these runs
	// are unlisted.
	"Checkout": {
		Word: "checkout", Title: "Selling a membership",
		Says:    "Decides a price, opens a payment page, and waits until it is paid, cancelled or over. Unless it is paid, no discount of it can be used.",
		Subject: "CheckoutID", Standing: "State",
		Waits: map[string]string{"": "Waited for the payment"},
		Signals: map[string]string{
			"payment-settled": "Heard of news from the payment service", "cancelled": "The buyer gave up",
		},
		Updates: map[string]Description{"quote": {Title: "Somebody waited for the price", Out: offered}},
		Result:  []Field{{"State", "Ended", word}},
	},
	"Refund": {
		Word: "refund", Title: "Sending money back",
		Says:    "Sends a payment back if it is asked to, and books what went back.",
		Subject: "CheckoutID",
		Signals: map[string]string{"refunded": "Heard of news of the refund"},
		Result:  []Field{{"State", "Checkout is", word}},
	},
	"PaymentReconciliation": {
		Word: "payment-reconciliation", Title: "Looking for payments that nobody told us of", Listing: Asked,
		Says:   "Reads the payment service's own list of events, so that a lost message loses no payment.",
		Result: reconciled,
	},

	// Flows with personal data show titles only.
	"Email": {
		Word: "email", Title: "Sending an email", Quiet: true,
		Says: "Sends an email, for as long as it is worth sending.",
	},
	"XLogin": {
		Word: "x-login", Title: "A login with X", Quiet: true,
		Says:    "Lets somebody prove with X who they are.",
		Waits:   map[string]string{"": "Waited for the person to come back from X"},
		Updates: map[string]Description{"authorize": {Title: "Somebody set out for X"}, "complete": {Title: "Somebody came back from X"}},
	},
	"OAuthDiagnosis": {
		Word: "oauth-diagnosis", Title: "Trying the login with X",
		Says:   "Takes the steps of a login with X one by one, and says what is wrong where it ends.",
		Result: diagnosed,
	},
	"Credentials": {
		Word: "credentials", Title: "Connecting the bot to its account", Quiet: true,
		Says: "Asks X whose keys these are, and makes them the ones that the bot posts with.",
	},
	"ProviderKeys": {
		Word: "provider-keys", Title: "Changing the keys of the app at X", Quiet: true,
		Says:     "Tries new keys before they replace the old ones, and drops the old ones a day later.",
		Waits:    map[string]string{"": "Kept the old keys for a day"},
		Updates:  map[string]Description{"decide": {Title: "Somebody waited for the decision"}},
		Children: map[string]Description{"OAuthDiagnosis": {Title: "Tried the keys, in a run of its own"}},
	},
	"AccountDeletion": {
		Word: "account-deletion", Title: "Forgetting a member who left", Quiet: true,
		Says:  "Takes back what somebody who leaves has left waiting, and then forgets who it was.",
		Waits: map[string]string{"": "Waited for what is being sent"},
	},

	"Verification": {
		Word: "verification", Title: "Looking whether a page works", Listing: Listed,
		Says:    "Asks the public endpoints, opens the page in a browser, compares it with its approved look, and says whether it works.",
		Subject: "VerificationID",
		Result:  []Field{{"Verdict", "Verdict", word}, {"Checked", "By the checks", word}, {"Refused", "Was refused", given}},
	},
	"VerificationCleanup": {
		Word: "verification-cleanup", Title: "Removing old verifications", Listing: Asked,
		Says: "Removes the runs that are not kept, and the pictures that nothing names.",
	},
	"Experiment": {
		Word: "experiment", Title: "An experiment, from its start to its verdict", Listing: Listed,
		Says:    "Waits for the date the experiment promised, measures it then, and counts the votes once when it ends.",
		Subject: "ExperimentID",
		Waits:   map[string]string{"": "Waited for its date, or a founder's word"},
		Signals: map[string]string{"woken": "Heard that the experiment was changed"},
		Result:  append(append([]Field{}, measured...), votes...),
	},
	"Canary": {
		Word: "canary", Title: "Proving that flows can run", Listing: Asked,
		Says: "Ends when a worker took it and reached the database.",
	},

	"ChaosRun": {
		Word: "chaos", Title: "Breaking the chaos target, to see it heal", Listing: Listed,
		Says:    "Breaks the chaos target under a lease and looks on while others heal it. However it ends, the fault is taken back.",
		Subject: "ChaosID",
		Waits:   map[string]string{"": "Gave the camera a moment to be there"},
		Signals: map[string]string{"switched-off": "Heard that the founders switched chaos off"},
		Children: map[string]Description{
			"ChaosScreenshots": {Title: "Let a run of its own take pictures of the chaos target"},
		},
		Result: verdictOfChaos,
	},
	"ChaosSweep": {
		Word: "chaos-sweep", Title: "Ending a chaos run that nobody carries", Listing: Asked,
		Says:    "Takes the fault of a lost run back, and lets the run come to what its probes say.",
		Subject: "ChaosID", Result: verdictOfChaos,
	},
	"ChaosScreenshots": {
		Word: "chaos-screenshots", Title: "Taking pictures of the chaos target", Listing: Asked,
		Says:    "Takes pictures of the chaos target while it is broken and when it is healed.",
		Subject: "ChaosID",
	},
	"GameDay": {
		Word: "game-day", Title: "A fault that nobody chose", Listing: Listed,
		Says:     "Runs a random fault by the clock, and waits for what it comes to.",
		Subject:  "ChaosID",
		Children: map[string]Description{"ChaosRun": {Title: "Let a chaos run break the chaos target", Out: verdictOfChaos}},
		Result:   []Field{{"Run.Verdict", "Verdict", word}, {"Run.DetectMS", "Time to detect", millis}, {"Run.HealMS", "Time to heal", millis}, {"Refused", "Was refused", given}},
	},
	"SelfHeal": {
		Word: "self-heal", Title: "Watching the chaos target, and mending it", Listing: Listed,
		Says: "Watches the chaos target for ever and mends it when it is sick. It sees probes only: nobody tells it what was broken.",
	},
	"HistoryCheck": {
		Word: "history-check", Title: "Replaying a stored history", Listing: Asked,
		Says: "Replays the stored history of a run with the code of today.", Result: replayed,
	},
}

// Activities maps activity names to their descriptions. Names are unique across all flows.
var Activities = map[string]Description{
	"BeginPost":       {Stage: Notice, Title: "Took the post up", Out: standingOfPost},
	"LoadPost":        {Stage: Plan, Title: "Read again where the post stands", Out: whyOfPost},
	"ChangePost":      {Stage: Plan, Title: "Wrote the change down", Out: standingOfPost},
	"CancelPost":      {Stage: Record, Title: "Gave the post and its slot up", Out: whyOfPost},
	"PublishPost":     {Stage: Act, Title: "Armed the post and asked X to publish it", In: []Field{{"Attempt", "Attempt", positive}}, Out: published},
	"ReconcilePost":   {Stage: Check, Title: "Looked for the post on the timeline", In: []Field{{"Last", "Last look", yesNo}}, Out: sentPost},
	"MarkPostUnknown": {Stage: Record, Title: "Noted that nobody can tell whether it is public", Out: whyOfPost},
	"RetryPost":       {Stage: Guard, Title: "Looked for the post, and let it be tried again", Out: whyOfPost},
	"GiveUpPost":      {Stage: Record, Title: "Looked for the post, and gave it up", Out: whyOfPost},
	"ClosePost":       {Stage: Record, Title: "Closed the post: its month is over", Out: whyOfPost},

	"ReadEngagement": {Stage: Check, Title: "Read public counts from X", Out: readings},

	"PlanRecurringPost": {Stage: Plan, Title: "Planned the next times", Out: []Field{{"State", "Recurring post is", word}, {"PostIDs", "Posts", size}}},
	"NotifyPosts":       {Stage: Act, Title: "Notified the posts and the schedule", In: []Field{{"PostIDs", "Posts", size}}},

	"BeginGeneration": {Stage: Notice, Title: "Took the question up", Out: []Field{{"CandidateIDs", "Texts to write", size}}},
	"WriteText":       {Stage: Act, Title: "Asked a model for a text", Out: []Field{{"State", "Text is", word}, {"Code", "Why", word}}},
	"GiveUpText":      {Stage: Record, Title: "Gave a text up", Out: []Field{{"State", "Text is", word}, {"Code", "Why", word}}},

	"BeginCheckout":         {Stage: Notice, Title: "Took the checkout up", Out: []Field{{"State", "State", word}, {"ListCents", "List price", cents}}},
	"ProposePrice":          {Stage: Plan, Title: "Asked a model for a discount, and held it within the limits", Out: priced},
	"DecidePriceByRules":    {Stage: Plan, Title: "Decided the price by our rules: no model answered", Out: priced},
	"CreateCoupon":          {Stage: Act, Title: "Made the discount at the payment service", In: []Field{{"DiscountPercent", "Discount", percent}}},
	"CreateCheckoutSession": {Stage: Act, Title: "Opened the payment page", Out: offered},
	"SettleCheckout":        {Stage: Check, Title: "Asked the payment service what became of the page", In: []Field{{"Close", "To be", word}}, Out: stateOfCheckout},
	"DeleteCoupon":          {Stage: Act, Title: "Took the discount back"},
	"AbandonCheckout":       {Stage: Record, Title: "Ended the checkout without a page", Out: stateOfCheckout},
	"RefundPayment":         {Stage: Act, Title: "Sent the money back"},
	"RecordRefund":          {Stage: Record, Title: "Booked the refund", Out: stateOfCheckout},
	"ReconcilePayments":     {Stage: Check, Title: "Read the payment service's events", Out: reconciled},

	"BeginEmail": {Stage: Notice, Title: "Took the email up"},
	"SendEmail":  {Stage: Act, Title: "Handed the email to the mail server"},
	"EndEmail":   {Stage: Record, Title: "Noted what became of the email"},

	"RequestXToken": {Stage: Act, Title: "Asked X for a login"},
	"FinishXLogin":  {Stage: Check, Title: "Asked X who it was"},
	"EndXLogin":     {Stage: Record, Title: "Ended the login"},

	"BeginDiagnosis":    {Stage: Notice, Title: "Took the diagnosis up"},
	"CheckEnvironment":  {Stage: Guard, Title: "Looked whether there are keys", Out: diagnosed},
	"CheckSignature":    {Stage: Guard, Title: "Signed a request", Out: diagnosed},
	"CheckRequestToken": {Stage: Check, Title: "Asked X for a token", Out: diagnosed},
	"CheckAccount":      {Stage: Check, Title: "Asked X whose account the bot posts to", Out: diagnosed},
	"EndDiagnosis":      {Stage: Record, Title: "Ended the diagnosis"},

	"TryConnection":    {Stage: Check, Title: "Asked X whose keys these are"},
	"GiveUpConnection": {Stage: Record, Title: "Gave the keys up: X did not answer"},
	"WakePosts":        {Stage: Act, Title: "Notified the posts that had waited"},

	"OpenDiagnosis": {Stage: Notice, Title: "Opened a diagnosis of the keys"},
	"DecideKeys":    {Stage: Plan, Title: "Decided whether the keys are used"},
	"DropKeys":      {Stage: Record, Title: "Dropped the old keys"},

	"BeginAccountDeletion": {Stage: Notice, Title: "Took the farewell up"},
	"EndRecurringPosts":    {Stage: Act, Title: "Ended their recurring posts"},
	"ListOpenPosts":        {Stage: Plan, Title: "Looked for their posts that wait"},
	"CancelOpenPost":       {Stage: Act, Title: "Gave a post up"},
	"EraseMember":          {Stage: Act, Title: "Forgot who it was"},

	"BeginVerification":    {Stage: Notice, Title: "Took the verification up"},
	"MoveVerification":     {Stage: Plan, Title: "Went on to the next stage"},
	"CheckEndpoints":       {Stage: Check, Title: "Asked the public endpoints", Out: []Field{{"Answers", "Endpoints", size}}},
	"CapturePage":          {Stage: Act, Title: "Opened the page in a browser", In: view},
	"GiveUpScreenshot":     {Stage: Record, Title: "Went on without a picture"},
	"CompareScreenshots":   {Stage: Check, Title: "Compared the look with the approved one"},
	"ReviewPage":           {Stage: Check, Title: "Asked a model what it sees"},
	"GiveUpReview":         {Stage: Record, Title: "Went on without a comment"},
	"ConcludeVerification": {Stage: Record, Title: "Came to a verdict", Out: []Field{{"Verdict", "Verdict", word}, {"Checked", "By the checks", word}}},
	"DeleteOldScreenshots": {Stage: Act, Title: "Removed what is old", Out: []Field{{"Runs", "Runs", count}, {"Pictures", "Pictures", count}}},

	"BeginExperiment":   {Stage: Notice, Title: "Took the experiment up", Out: dueOfExperiment},
	"MeasureExperiment": {Stage: Check, Title: "Measured it, and set the verdict", Out: measured},
	"CloseVotes":        {Stage: Record, Title: "Counted the votes", Out: votes},

	"RunCanary": {Stage: Check, Title: "Reached the database"},

	"BeginChaosRun":        {Stage: Notice, Title: "Took the run up", Out: []Field{{"LeaseMS", "Lease", millis}}},
	"CheckTarget":          {Stage: Guard, Title: "Looked whether the chaos target is well", Out: []Field{{"Unfit", "Was not well", given}}},
	"GrantLease":           {Stage: Guard, Title: "Noted until when the fault may stay"},
	"InjectFault":          {Stage: Act, Title: "Broke the chaos target"},
	"WatchTarget":          {Stage: Check, Title: "Watched the probes"},
	"EndLease":             {Stage: Act, Title: "Took the fault back"},
	"FinishChaosRun":       {Stage: Record, Title: "Read the verdict from the probes", Out: verdictOfChaos},
	"StopChaosRun":         {Stage: Record, Title: "Ended the run that nobody carried", Out: []Field{{"Begun", "Had begun", yesNo}}},
	"CaptureHealthyTarget": {Stage: Guard, Title: "Took a picture before", Out: []Field{{"Ready", "Camera was ready", yesNo}}},
	"CaptureBrokenTarget":  {Stage: Check, Title: "Took pictures while it was broken and when it was well"},
	"RequestRandomFault":   {Stage: Plan, Title: "Drew a fault"},

	"FindOpenIncident": {Stage: Notice, Title: "Looked for an incident that is open", Out: []Field{{"IncidentID", "Incident", word}}},
	"WatchHealth":      {Stage: Notice, Title: "Watched the chaos target's health", Out: []Field{{"Unhealthy", "Unhealthy", yesNo}, {"UnhealthyAt", "Since", moment}}},
	"BeginIncident":    {Stage: Notice, Title: "Called the chaos target sick", Out: []Field{{"IncidentID", "Incident", word}}},
	"RepairTarget": {
		Stage: Act,
		Title: "Repaired the chaos target",
		In:    []Field{{"Step.Kind", "How", word}, {"Step.Files", "Files", words}},
		Out:   []Field{{"ms", "Took", millis}, {"error", "Did not work", given}},
	},
	"RecheckTarget":  {Stage: Check, Title: "Looked whether it helped", Out: []Field{{"HealthyAt", "Well again at", moment}}},
	"UpdateIncident": {Stage: Record, Title: "Noted what was done"},
	"RaiseAlarm":     {Stage: Act, Title: "Called people: mending did not help"},
	"EndIncident":    {Stage: Record, Title: "Closed the incident"},

	"CheckHistory": {Stage: Check, Title: "Replayed the history", Out: replayed},
}

// Fields shared by several steps and results.
var (
	standingOfPost = []Field{{"Status", "Status", word}, {"DueAt", "Its time", moment}}
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
	reconciled      = []Field{{"Events", "Events that had been missed", count}, {"Woken", "Checkouts that go on", count}}
	priced          = []Field{{"ListCents", "List price", cents}, {"DiscountPercent", "Discount", percent}}
	diagnosed       = []Field{{"OK", "Works", yesNo}, {"Step", "Last step", word}, {"Code", "Found", word}}
	measured        = []Field{{"Status", "Status", word}, {"Verdict", "Verdict", word}, {"Measured", "Measured", number}, {"Threshold", "Threshold", number}}
	votes           = []Field{{"Up", "Votes for", count}, {"Down", "Votes against", count}}
	dueOfExperiment = []Field{{"Status", "Status", word}, {"DueAt", "Its date", moment}}
	view            = []Field{{"Theme", "Theme", word}, {"Viewport", "Window", word}}
	verdictOfChaos  = []Field{{"Verdict", "Verdict", word}, {"DetectMS", "Time to detect", millis}, {"HealMS", "Time to heal", millis}}
	replayed        = []Field{{"Passed", "Passed", yesNo}, {"Events", "Events", count}}
)
