package run

var flowsOfTheCell = map[string]Flow{
	"ChaosRun": {
		Word: "chaos", Title: "Breaking the cell, to see it heal", Listing: Listed,
		Says:    "Breaks the cell under a lease and looks on while others heal it. However it ends, the fault is taken back.",
		Subject: "ChaosID",
		Waits:   map[string]string{"": "Gave the camera a moment to be there"},
		Signals: map[string]string{"switched-off": "Heard that the founders switched chaos off"},
		Children: map[string]Description{
			"ChaosScreenshots": {Title: "Let a run of its own take pictures of the cell"},
		},
		Result: verdictOfChaos,
	},
	"ChaosSweep": {
		Word: "chaos-sweep", Title: "Ending a chaos run that nobody carries", Listing: Asked,
		Says:    "Takes the fault of a lost run back, and lets the run come to what its probes say.",
		Subject: "ChaosID", Result: verdictOfChaos,
	},
	"ChaosScreenshots": {
		Word: "chaos-screenshots", Title: "Taking pictures of the cell", Listing: Asked,
		Says:    "Takes pictures of the cell while it is broken and when it is healed.",
		Subject: "ChaosID",
	},
	"GameDay": {
		Word: "game-day", Title: "A fault that nobody chose", Listing: Listed,
		Says:     "Runs a random fault by the clock, and waits for what it comes to.",
		Subject:  "ChaosID",
		Children: map[string]Description{"ChaosRun": {Title: "Let a chaos run break the cell", Out: verdictOfChaos}},
		Result: []Field{
			{"Run.Verdict", "Verdict", word},
			{"Run.DetectMS", "Time to detect", millis},
			{"Run.HealMS", "Time to heal", millis},
			{"Refused", "Was refused", given},
		},
	},
	"SelfHeal": {
		Word: "self-heal", Title: "Watching the cell, and mending it", Listing: Listed,
		Says: "Watches the cell for ever and mends it when it is sick. It sees probes only: nobody tells it what was broken.",
	},
	"HistoryCheck": {
		Word: "history-check", Title: "Replaying a stored history", Listing: Asked,
		Says: "Replays the stored history of a run with the code of today.", Result: replayed,
	},
}

var (
	verdictOfChaos = []Field{
		{"Verdict", "Verdict", word}, {"DetectMS", "Time to detect", millis}, {"HealMS", "Time to heal", millis},
	}
	replayed = []Field{{"Passed", "Passed", yesNo}, {"Events", "Events", count}}
)

var stepsOfTheCell = map[string]Description{
	"BeginChaosRun":        {Title: "Took the run up", Out: []Field{{"LeaseMS", "Lease", millis}}},
	"CheckTarget":          {Title: "Looked whether the cell is well", Out: []Field{{"Unfit", "Was not well", given}}},
	"GrantLease":           {Title: "Noted until when the fault may stay"},
	"InjectFault":          {Title: "Broke the cell"},
	"WatchTarget":          {Title: "Watched the probes"},
	"EndLease":             {Title: "Took the fault back"},
	"FinishChaosRun":       {Title: "Read the verdict from the probes", Out: verdictOfChaos},
	"StopChaosRun":         {Title: "Ended the run that nobody carried", Out: []Field{{"Begun", "Had begun", yesNo}}},
	"CaptureHealthyTarget": {Title: "Took a picture before", Out: []Field{{"Ready", "Camera was ready", yesNo}}},
	"CaptureBrokenTarget":  {Title: "Took pictures while it was broken and when it was well"},
	"RequestRandomFault":   {Title: "Drew a fault"},

	"FindOpenIncident": {Title: "Looked for an incident that is open", Out: []Field{{"IncidentID", "Incident", word}}},
	"WatchHealth":      {Title: "Watched the cell's health", Out: []Field{{"Unhealthy", "Sick", yesNo}, {"UnhealthyAt", "Since", moment}}},
	"BeginIncident":    {Title: "Called the cell sick", Out: []Field{{"IncidentID", "Incident", word}}},
	"RepairTarget": {
		Title: "Mended the cell",
		In:    []Field{{"Step.Kind", "How", word}, {"Step.Files", "Files", words}},
		Out:   []Field{{"ms", "Took", millis}, {"error", "Did not work", given}},
	},
	"RecheckTarget":  {Title: "Looked whether it helped", Out: []Field{{"HealthyAt", "Well again at", moment}}},
	"UpdateIncident": {Title: "Noted what was done"},
	"RaiseAlarm":     {Title: "Called people: mending did not help"},
	"EndIncident":    {Title: "Closed the incident"},

	"CheckHistory": {Title: "Replayed the history", Out: replayed},
}
