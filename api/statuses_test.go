package api

import (
	"net/http"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/problem"
)

// StatusesOf are those under which a problem may be told: that of the table, and those of the
// library's own refusals, which have no code of their own.
func StatusesOf(code problem.Code) []int {
	statuses := []int{httpapi.StatusOf(code)}
	if code == problem.Invalid {
		statuses = append(statuses, http.StatusBadRequest, http.StatusNotAcceptable)
	}
	if code == problem.NotFound {
		statuses = append(statuses, http.StatusMethodNotAllowed)
	}
	return statuses
}
