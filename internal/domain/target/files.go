package target

// The critical files of a cell, by their names under its directory.
const (
	FileSettings  = "config/cell.json"
	FileFavicon   = "public/favicon.svg"
	FileOGImage   = "public/og-image.png"
	FileRobots    = "public/robots.txt"
	FileSecurity  = "public/security.txt"
	FileManifest  = "public/site.webmanifest"
	FileStyle     = "public/style.css"
	FileErrorPage = "templates/error.html"
	FileHome      = "templates/home.html"
	FileLayout    = "templates/layout.html"
	FilePosts     = "templates/posts.html"
	FileStatus    = "templates/status.html"
	FileRules     = "worker/rules.json"
)

// Files are the thirteen critical files, in order of their names. Their places in the list are
// stored with probes: add at the end of Checks, never here.
func Files() []string {
	return []string{
		FileSettings, FileFavicon, FileOGImage, FileRobots, FileSecurity, FileManifest, FileStyle,
		FileErrorPage, FileHome, FileLayout, FilePosts, FileStatus, FileRules,
	}
}

// File is one line of the manifest.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // in hex
}
