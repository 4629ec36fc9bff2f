package run

// What is somebody's own has titles only.
var flowsOfPeople = map[string]Flow{
	"Email": {
		Word: "email", Title: "Sending a letter", Quiet: true,
		Says: "Sends a letter, for as long as it is worth sending.",
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
}

var diagnosed = []Field{{"OK", "Works", yesNo}, {"Step", "Last step", word}, {"Code", "Found", word}}

var stepsOfPeople = map[string]Description{
	"BeginEmail": {Title: "Took the letter up"},
	"SendEmail":  {Title: "Handed the letter to the mail server"},
	"EndEmail":   {Title: "Noted what became of the letter"},

	"RequestXToken": {Title: "Asked X for a login"},
	"FinishXLogin":  {Title: "Asked X who it was"},
	"EndXLogin":     {Title: "Ended the login"},

	"BeginDiagnosis":    {Title: "Took the diagnosis up"},
	"CheckEnvironment":  {Title: "Looked whether there are keys", Out: diagnosed},
	"CheckSignature":    {Title: "Signed a request", Out: diagnosed},
	"CheckRequestToken": {Title: "Asked X for a token", Out: diagnosed},
	"CheckAccount":      {Title: "Asked X whose account the bot posts to", Out: diagnosed},
	"EndDiagnosis":      {Title: "Ended the diagnosis"},

	"TryConnection":    {Title: "Asked X whose keys these are"},
	"GiveUpConnection": {Title: "Gave the keys up: X did not answer"},
	"WakePosts":        {Title: "Description the posts that had waited"},

	"OpenDiagnosis": {Title: "Opened a diagnosis of the keys"},
	"DecideKeys":    {Title: "Decided whether the keys are used"},
	"DropKeys":      {Title: "Dropped the old keys"},

	"BeginAccountDeletion": {Title: "Took the farewell up"},
	"EndRecurringPosts":    {Title: "Ended their series"},
	"ListOpenPosts":        {Title: "Looked for their posts that wait"},
	"CancelOpenPost":       {Title: "Gave a post up"},
	"EraseMember":          {Title: "Forgot who it was"},
}

var flowsOfTheSite = map[string]Flow{
	"Verification": {
		Word: "verification", Title: "Looking whether a page works", Listing: Listed,
		Says:    "Asks the public endpoints, opens the page in a browser, compares it with its approved look, and says whether it works.",
		Subject: "VerificationID",
		Result: []Field{
			{"Verdict", "Verdict", word}, {"Checked", "By the checks", word}, {"Refused", "Was refused", given},
		},
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
}

var (
	measured = []Field{
		{"Status", "Status", word},
		{"Verdict", "Verdict", word},
		{"Measured", "Measured", number},
		{"Threshold", "Threshold", number},
	}
	votes           = []Field{{"Up", "Votes for", count}, {"Down", "Votes against", count}}
	dueOfExperiment = []Field{{"Status", "Status", word}, {"DueAt", "Its date", moment}}
)

var stepsOfTheSite = map[string]Description{
	"BeginVerification":    {Title: "Took the verification up"},
	"MoveVerification":     {Title: "Went on to the next stage"},
	"CheckEndpoints":       {Title: "Asked the public endpoints", Out: []Field{{"Answers", "Endpoints", size}}},
	"CapturePage":          {Title: "Opened the page in a browser", In: view},
	"GiveUpScreenshot":     {Title: "Went on without a picture"},
	"CompareScreenshots":   {Title: "Compared the look with the approved one"},
	"ReviewPage":           {Title: "Asked a model what it sees"},
	"GiveUpReview":         {Title: "Went on without a comment"},
	"ConcludeVerification": {Title: "Came to a verdict", Out: []Field{{"Verdict", "Verdict", word}, {"Checked", "By the checks", word}}},
	"DeleteOldScreenshots": {Title: "Removed what is old", Out: []Field{{"Runs", "Runs", count}, {"Pictures", "Pictures", count}}},

	"BeginExperiment":   {Title: "Took the experiment up", Out: dueOfExperiment},
	"MeasureExperiment": {Title: "Measured it, and set the verdict", Out: measured},
	"CloseVotes":        {Title: "Counted the votes", Out: votes},

	"RunCanary": {Title: "Reached the database"},
}

var view = []Field{{"Theme", "Theme", word}, {"Viewport", "Window", word}}
