package smtp

import (
	"net/http"

	"customerzero/internal/sandbox/faults"
	"customerzero/internal/sandbox/pages"
)

const maxBody = 1 << 10 // of a request, in bytes

// routeFaults adds the switchboard. Other sites' pages may not use it.
func (s *Server) routeFaults(mux *http.ServeMux) {
	const path = root + "/faults"
	own := http.NewCrossOriginProtection()
	own.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusForbidden, "This is not for other sites.")
	}))
	mux.HandleFunc("GET "+path, s.showFaults)
	mux.Handle("PUT "+path, own.Handler(http.HandlerFunc(s.putFaults)))
	mux.Handle("DELETE "+path, own.Handler(http.HandlerFunc(s.clearFaults)))
}

func (s *Server) showFaults(w http.ResponseWriter, _ *http.Request) {
	pages.WriteJSON(w, http.StatusOK, s.faults.list())
}

func (s *Server) putFaults(w http.ResponseWriter, r *http.Request) {
	wanted, err := faults.Decode[Faults](http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		err = s.SetFaults(wanted)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	s.showFaults(w, r)
}

func (s *Server) clearFaults(w http.ResponseWriter, _ *http.Request) {
	s.ClearFaults()
	w.WriteHeader(http.StatusNoContent)
}

func refuse(w http.ResponseWriter, status int, why string) {
	pages.WriteJSON(w, status, map[string]string{"error": why})
}
