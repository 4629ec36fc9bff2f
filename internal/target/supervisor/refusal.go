package supervisor

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"syscall"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/internal/platform/confined"
)

// statuses are those of the problems that a keeper has.
var statuses = map[problem.Code]int{
	problem.Invalid:      http.StatusBadRequest,
	problem.FaultUnknown: http.StatusNotFound,
	problem.CellRefused:  http.StatusConflict,
	problem.Unavailable:  http.StatusServiceUnavailable,
}

// refusalOf puts an error into words that name nothing of the machine. A disk that takes nothing
// counts first: it is the reason of the rest.
func refusalOf(err error) (int, target.Refusal) {
	refused, isProblem := errors.AsType[*problem.Error](err)
	switch {
	case isAny(err, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG):
		return http.StatusInsufficientStorage, target.Refusal{Error: "There is no room left on the disk of the cell."}
	case isAny(err, syscall.EROFS, syscall.EACCES, syscall.EPERM):
		return http.StatusInternalServerError, target.Refusal{Error: "The directory of the cell cannot be written to."}
	case isProblem && statuses[refused.Code] != 0:
		return statuses[refused.Code], target.Refusal{Error: refused.Message}
	case errors.Is(err, confined.ErrNotPlain):
		return http.StatusConflict, target.Refusal{Error: "Something in the directory of the cell is a link, or no plain file. It is not touched."}
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable, target.Refusal{Error: "The keeper was busy for too long."}
	}
	return http.StatusInternalServerError, target.Refusal{Error: "The keeper could not do it. Its log says why."}
}

func isAny(err error, kinds ...syscall.Errno) bool {
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
