package run

var flowsOfTheSite = map[string]Flow{
	"Verification": {
		Word: "verification", Title: "Looking whether a page works", Listing: Listed,
		Says:    "Asks the public endpoints, opens the page in a browser, compares it with its approved look, and says whether it works.",
		Subject: "VerificationID",
		Result: []Field{
			{"Verdict", "Verdict", word}, {"Checked", "By the checks", word}, {"Refused", "Was refused", given},
		},
	},
	"VerificationTidy": {
		Word: "verification-tidy", Title: "Removing old verifications", Listing: Asked,
		Says: "Removes the runs that are not kept, and the pictures that nothing names.",
	},
	"Experiment": {
		Word: "experiment", Title: "An experiment, from its start to its verdict", Listing: Listed,
		Says:    "Waits for the date the experiment promised, measures it then, and counts the votes once when it ends.",
		Subject: "ExperimentID",
		Waits:   map[string]string{"": "Waited for its date, or a founder's word"},
		Signals: map[string]string{"wake": "Heard that the experiment was changed"},
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

var stepsOfTheSite = map[string]Told{
	"BeginVerification":    {Title: "Took the verification up"},
	"MoveVerification":     {Title: "Went on to the next stage"},
	"AskEndpoints":         {Title: "Asked the public endpoints", Out: []Field{{"Answers", "Endpoints", size}}},
	"CapturePage":          {Title: "Opened the page in a browser", In: view},
	"GiveUpShot":           {Title: "Went on without a picture"},
	"CompareLook":          {Title: "Compared the look with the approved one"},
	"CommentLook":          {Title: "Asked a model what it sees"},
	"GiveUpComment":        {Title: "Went on without a comment"},
	"ConcludeVerification": {Title: "Came to a verdict", Out: []Field{{"Verdict", "Verdict", word}, {"Checked", "By the checks", word}}},
	"TidyPictures":         {Title: "Removed what is old", Out: []Field{{"Runs", "Runs", count}, {"Pictures", "Pictures", count}}},

	"BeginExperiment":   {Title: "Took the experiment up", Out: dueOfExperiment},
	"MeasureExperiment": {Title: "Measured it, and set the verdict", Out: measured},
	"CloseVotes":        {Title: "Counted the votes", Out: votes},

	"Sing": {Title: "Reached the database"},
}

var view = []Field{{"Theme", "Theme", word}, {"Viewport", "Window", word}}
