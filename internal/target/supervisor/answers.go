package supervisor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/internal/platform/confined"
)

// How long a replica may take to answer, and how often it is asked. Giving up means starting
// another one, so a busy machine must be given the time.
const (
	answerTime  = 10 * time.Second
	answerEvery = 20 * time.Millisecond
)

// answers returns when the replica says that it is well. The first question is accepted as soon
// as there is somebody to do it, as the listener was there all the time.
func (p *process) answers(ctx context.Context, l *life) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	ask := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // it speaks for nobody else
	}
	again := time.NewTicker(answerEvery)
	defer again.Stop()
	said := make(chan bool, 1)
	for {
		go func() { said <- healthy(ctx, ask, p.address) }()
		select {
		case <-l.done:
			return problem.New(problem.Unavailable, "The replica ended as soon as it was started.")
		case yes := <-said:
			if yes {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return problem.New(problem.Unavailable, "The replica was started, but does not answer.")
		case <-again.C:
		}
	}
}

func healthy(ctx context.Context, ask *http.Client, address string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://%s/healthz", address), http.NoBody)
	if err != nil {
		return false
	}
	res, err := ask.Do(req)
	if err != nil {
		return false
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<16))
	return res.StatusCode == http.StatusOK
}

// dialable is where a listener is reached from this machine.
func dialable(address net.Addr) string {
	at, ok := address.(*net.TCPAddr)
	if ok && at.IP.IsUnspecified() {
		return fmt.Sprintf("localhost:%d", at.Port)
	}
	return address.String()
}

// statuses are those of the problems that a supervisor has.
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
