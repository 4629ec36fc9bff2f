package post

import "time"

// CodePaused says that a post waits because a founder has paused the bot.
const CodePaused = "bot_paused"

// PausedWait is how long a post waits before it looks again by itself.
const PausedWait = time.Hour

// PausedBot says that the bot is paused, and why where that is known.
func PausedBot(why string) string {
	if why == "" {
		return "The bot is paused."
	}
	return "The bot is paused: " + why + "."
}

// PausedReason is what people read at a post that waits for it.
func PausedReason(why string) string {
	return PausedBot(why) + " The post waits, and goes out when a founder lets it go on."
}
