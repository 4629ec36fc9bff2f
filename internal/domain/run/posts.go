package run

var flowsOfPosts = map[string]Flow{
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
		Result: []Field{
			{"Status", "Status", word}, {"Attempts", "Attempts", count}, {"Code", "Why", word}, {"TweetID", "ID on X", word},
		},
	},
	"Engagement": {
		Word: "engagement", Title: "Reading how posts were received", Listing: Asked,
		Says:   "Reads the public counts of published posts, within the month's budget of reads.",
		Result: readings,
	},
	"RecurringPost": {
		Word: "series", Title: "Planning a series of posts", Listing: Listed,
		Says:    "Gives the times of a series that have passed their turn, and writes the next post ahead.",
		Subject: "RecurringPostID",
		Result:  []Field{{"State", "Series is", word}, {"Posts", "Posts written or given up", count}},
	},
	"Generation": {
		Word: "generation", Title: "Letting models write texts",
		Says: "Lets each model that was chosen write a text, all at the same time.",
		Result: []Field{
			{"Done", "Texts written", count}, {"Unfit", "Texts that did not fit", count}, {"Failed", "Models that failed", count},
		},
	},
}

var (
	standingOfPost = []Field{{"Status", "Status", word}, {"DueAt", "Its time", moment}}
	sentPost       = []Field{
		{"Status", "Status", word},
		{"Attempt", "Attempt", positive},
		{"ArmedAt", "Armed at", moment},
		{"Code", "Why", word},
		{"TweetID", "ID on X", word},
	}
	published = append([]Field{{"Status", "Status", word}}, sentPost[2:]...) // the attempt is in what was asked
	whyOfPost = []Field{{"Status", "Status", word}, {"Code", "Why", word}}
	readings  = []Field{{"Due", "Posts due to be read", count}, {"Measured", "Posts read", count}}
)

var stepsOfPosts = map[string]Description{
	"BeginPost":       {Title: "Took the post up", Out: standingOfPost},
	"LoadPost":        {Title: "Read again where the post stands", Out: whyOfPost},
	"ChangePost":      {Title: "Wrote the change down", Out: standingOfPost},
	"CancelPost":      {Title: "Gave the post and its slot up", Out: whyOfPost},
	"PublishPost":     {Title: "Armed the post and asked X to publish it", In: []Field{{"Attempt", "Attempt", positive}}, Out: published},
	"ReconcilePost":   {Title: "Looked for the post on the timeline", In: []Field{{"Last", "Last look", yesNo}}, Out: sentPost},
	"MarkPostUnknown": {Title: "Noted that nobody can tell whether it is public", Out: whyOfPost},
	"RetryPost":       {Title: "Looked for the post, and let it be tried again", Out: whyOfPost},
	"GiveUpPost":      {Title: "Looked for the post, and gave it up", Out: whyOfPost},
	"ClosePost":       {Title: "Closed the post: its month is over", Out: whyOfPost},

	"ReadEngagement": {Title: "Read public counts from X", Out: readings},

	"PlanRecurringPost": {Title: "Planned the next times", Out: []Field{{"State", "Series is", word}, {"PostIDs", "Posts", size}}},
	"NotifyPosts":       {Title: "Description the posts and the schedule", In: []Field{{"PostIDs", "Posts", size}}},

	"BeginGeneration": {Title: "Took the question up", Out: []Field{{"CandidateIDs", "Texts to write", size}}},
	"WriteText":       {Title: "Asked a model for a text", Out: []Field{{"State", "Text is", word}, {"Code", "Why", word}}},
	"GiveUpText":      {Title: "Gave a text up", Out: []Field{{"State", "Text is", word}, {"Code", "Why", word}}},
}
