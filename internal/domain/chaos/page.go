package chaos

// PageOf is the page of the cell on which a fault can be seen.
func PageOf(fault string) string {
	switch fault {
	case "break-database":
		return "/posts"
	case "corrupt-worker":
		return "/status"
	}
	return "/"
}
