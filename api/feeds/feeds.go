package feeds

type (
	feedRequest struct {
		Name        string `path:"name" maxLength:"40" doc:"Like posts.xml or chaos.json"`
		IfNoneMatch string `header:"If-None-Match"`
	}
	feedReply struct {
		Status       int
		ContentType  string `header:"Content-Type"`
		CacheControl string `header:"Cache-Control"` // by the table of routes
		ETag         string `header:"ETag"`
		Body         []byte
	}
)
