package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

func (s *Server) registerFeeds(contract huma.API) {
	operation(contract, huma.Operation{
		OperationID: "getFeed", Method: http.MethodGet, Path: "/feeds/{name}", Tags: []string{"feeds"},
		Summary: "What is new: posts, experiments or chaos, as RSS (.xml) or JSON Feed (.json)", Responses: answersWith("application/rss+xml", "The feed", "application/feed+json"),
	}, s.getFeed)
	operation(contract, huma.Operation{
		OperationID: "getSitemap", Method: http.MethodGet, Path: "/sitemap.xml", Tags: []string{"feeds"},
		Summary: "The pages, for search engines", Responses: answersWith("application/xml", "The addresses"),
	}, s.getSitemap)
	operation(contract, huma.Operation{
		OperationID: "getRobots", Method: http.MethodGet, Path: "/robots.txt", Tags: []string{"feeds"},
		Summary: "What search engines may read", Responses: answersWith("text/plain", "The rules"),
	}, s.getRobots)
}

type (
	feedRequest struct {
		Name        string `path:"name" maxLength:"40" doc:"Like posts.xml or chaos.json"`
		IfNoneMatch string `header:"If-None-Match"`
	}
	feedReply struct {
		Status       int
		ContentType  string `header:"Content-Type"`
		CacheControl string `header:"Cache-Control"`
		ETag         string `header:"ETag"`
		Body         []byte
	}
)
