package deletion

// Item is a kind of thing that is stored about somebody.
type Item struct {
	What string `json:"what"`
	Why  string `json:"why,omitempty"`
}

// Goes lists what is deleted. The account page shows the same lists.
func Goes() []Item {
	return []Item{
		{What: "Your e-mail address, your sessions and tokens, and codes and links to log in"},
		{What: "Your answers to the questionnaire, and your timetable"},
		{What: "Posts that wait: they are cancelled, and their texts deleted, like those of drafts and of posts that failed"},
		{What: "Your series: they end, and their texts are deleted"},
		{What: "Texts that models wrote for you and that did not go out, and what you asked for"},
		{What: "Your votes in experiments that are open"},
		{What: "Experiments of yours that were never public"},
		{What: "Letters to you that were not sent, and to whom the others went"},
		{What: "What your visits counted for your price"},
		{What: "Your name, wherever we wrote down what you did"},
	}
}

// Stays lists what is kept, without a name, and why.
func Stays() []Item {
	return []Item{
		{"Your membership, under a made-up name that nobody can take", "Shares and credits are counted by it"},
		{"Payments, their receipts, and the book of your credits", "We have to keep books"},
		{"Posts that went out, without \"sponsored by\"", "They stand on X, and their runs prove that they did"},
		{"Posts whose outcome nobody knows", "They may stand on X"},
		{"Your votes in experiments that have ended", "Their count was frozen, and equals its rows"},
		{"Public experiments that you submitted, without your name", "Others voted on them"},
		{"That an account was deleted, when, and by which run", "So that we can show that it was done"},
	}
}
