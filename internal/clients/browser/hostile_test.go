package browser

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
)

// flood sends more than anybody may.
func flood(size int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		chunk := make([]byte, 64<<10)
		for range size / len(chunk) {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}
}

// sendTo redirects.
func sendTo(where string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, where, http.StatusFound) }
}

// Proves: F22, F23, V13.2.4
func TestHostilePages(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		page   http.HandlerFunc
		within time.Duration // 0: it does not need to be cut off
		code   problem.Code  // empty: it is seen all the same
		says   string
		is     func(*testing.T, verification.Facts)
	}{
		"an endless script": {page: html(`<script>while (true) {}</script>`), within: time.Second, code: problem.PageSlow, says: "The page took more than 1s."},
		"an endless script after it has loaded": {
			page: html(well + `<script>addEventListener("load", () => setTimeout(() => { while (true) {} }, 20))</script>`), within: 2 * time.Second, code: problem.PageSlow,
		},
		"dialogs": {page: html(well + `<script>alert(1); confirm(2); prompt(3); onbeforeunload = () => "stay"</script>`), is: func(t *testing.T, f verification.Facts) {
			require.Equal(t, []string{"A dialog was closed."}, f.Notes)
		}},
		"endless dialogs": {page: html(`<script>for (;;) alert(1)</script>`), within: time.Second, code: problem.PageSlow},
		"a download that begins by itself": {page: html(well + `<a id="a" download="x.bin" href="/file">x</a><script>document.getElementById("a").click()</script>`), is: func(t *testing.T, f verification.Facts) {
			require.Equal(t, []string{"A download was refused."}, f.Notes)
		}},
		"a download instead of a page": {page: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Disposition", "attachment")
			_, _ = w.Write([]byte("file"))
		}, code: problem.PageUnreachable, says: "That is a download, and not a page."},
		"infinite scroll": {page: html(`<div id="end" style="height:900px">.</div><script>
			new IntersectionObserver(() => { for (let i = 0; i < 9; i++) document.body.append(document.getElementById("end").cloneNode(true)) }, { rootMargin: "9999px" }).observe(document.getElementById("end"))
			setInterval(() => document.body.append(document.getElementById("end").cloneNode(true)), 10)</script>`), is: func(t *testing.T, f verification.Facts) {
			require.LessOrEqual(t, f.Height, 6000)
			require.True(t, f.Cut)
		}},
		"a page of a million pixels": {page: html(`<div style="height:1000000px;width:1000000px">.</div>`), is: func(t *testing.T, f verification.Facts) {
			require.Equal(t, []int{2560, 6000}, []int{f.Width, f.Height})
			require.True(t, f.Cut)
		}},
		"endless redirects":            {page: sendTo("/endless-redirects"), code: problem.PageUnreachable, says: "The page redirects without an end."},
		"a redirect to another place":  {page: sendTo("http://169.254.169.254/latest"), code: problem.PageUnreachable, says: "The page leads to a place that may not be opened."},
		"a redirect to TLS elsewhere":  {page: sendTo("https://10.0.0.1/"), code: problem.PageUnreachable, says: "The page leads to a place that may not be opened."},
		"a redirect to a file":         {page: sendTo("file:///etc/passwd"), code: problem.PageUnreachable},
		"a script that goes elsewhere": {page: html(`<script>location = "http://169.254.169.254/latest"</script>`), code: problem.PageUnreachable},
		"a response of 500 MB":         {page: flood(500 << 20), code: problem.PageHeavy, says: "The page sent more than it may."},
		"an answer that never comes":   {page: hang(nil), within: time.Second, code: problem.PageSlow},
		"a picture that never comes":   {page: html(well + `<img alt="" src="/never">`), within: time.Second, code: problem.PageSlow},
		"an answer that breaks off":    {page: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, code: problem.PageUnreachable},
		"a fetch that never ends":      {page: html(well + `<script>fetch("/never")</script>`), is: func(t *testing.T, f verification.Facts) { require.GreaterOrEqual(t, f.TookMS, 2000) }},
		"second windows":               {page: html(well + `<script>for (let i = 0; i < 3; i++) open("/well", "", "noopener")</script>`), is: func(t *testing.T, f verification.Facts) { require.Contains(t, f.Notes, "A second window was closed.") }},
		"it goes from page to page":    {page: html(`<script>setTimeout(() => location.reload(), 10)</script>` + well), within: 6 * time.Second, code: "either"},
		"it takes itself away":         {page: html(well + `<script>addEventListener("load", () => document.documentElement.remove())</script>`), within: 6 * time.Second, code: "either"},
		"a frame from another place": {page: html(well + `<iframe title="x" src="http://10.0.0.1/"></iframe>`), is: func(t *testing.T, f verification.Facts) {
			require.Contains(t, f.Failed, "GET http://10.0.0.1/: not allowed")
		}},
		"very many elements":             {page: html(well + `<script>document.querySelector("main").innerHTML += "<time>x</time>".repeat(3000)</script>`), within: 15 * time.Second, code: "either"},
		"a worker that never ends":       {page: html(well + `<script>new Worker(URL.createObjectURL(new Blob(["for(;;){}"])))</script>`), is: func(*testing.T, verification.Facts) {}},
		"it asks for what nobody grants": {page: html(well + `<script>navigator.geolocation.getCurrentPosition(() => document.title = "here"); Notification.requestPermission(); navigator.serviceWorker?.register("/sw.js").catch(() => {})</script>`), is: func(t *testing.T, f verification.Facts) { require.Equal(t, "Mugs", f.Title) }},
	}
	site := pages{"/well": html(well), "/never": hang(nil), "/file": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment")
		_, _ = w.Write([]byte("file"))
	}}
	for name, tt := range cases {
		site["/"+slug(name)] = tt.page
	}
	origin := serve(t, site)
	b := open(t, Options{Jobs: 3}, origin)
	t.Cleanup(func() { works(t, b, origin) })
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			look := wide(origin + "/" + slug(name))
			look.Axe = true
			if tt.within > 0 {
				look.Within = tt.within
			}
			seen, err := b.Look(t.Context(), look)
			switch tt.code {
			case "":
				require.NoError(t, err)
				decode(t, seen.PNG)
				tt.is(t, seen.Facts)
			case "either":
				if err != nil {
					require.NotEqual(t, problem.Internal, problem.CodeOf(err), "%v", err)
				}
			default:
				require.Error(t, err)
				require.Equal(t, tt.code, problem.CodeOf(err), "%v", err)
				require.NotContains(t, err.Error(), origin)
				if tt.says != "" {
					require.Equal(t, tt.says, err.Error())
				}
			}
		})
	}
}

// Proves: F22, F23
func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	origin := serve(t, pages{})
	closed := fmt.Sprintf("http://127.0.0.1:%d", 61997)
	b := open(t, Options{}, origin, closed)
	_, err := b.Look(t.Context(), wide(closed+"/"))
	require.Equal(t, problem.PageUnreachable, problem.CodeOf(err))
	require.EqualError(t, err, "The page could not be reached: the site did not answer.")
	_, err = b.Look(t.Context(), wide("http://127.0.0.1:61996/"))
	require.EqualError(t, err, "The page leads to a place that may not be opened.")
	_, err = b.Look(t.Context(), wide("file:///etc/passwd"))
	require.Equal(t, problem.PageUnreachable, problem.CodeOf(err), "%v", err)
}
