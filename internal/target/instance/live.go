package instance

import (
	"errors"
	"html/template"
	"io"
	"os"
)

// maxFile bounds what is read of a critical file: a fault may write anything there.
const maxFile = 1 << 20

var errTooLarge = errors.New("the file is far too large")

// live is the folder of the critical files. No name and no symbolic link leads out of it.
type live struct{ dir string }

// read reads a file as it is now.
func (l live) read(name string) ([]byte, error) {
	root, err := os.OpenRoot(l.dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = errTooLarge
	}
	return text, err
}

// page reads the layout and the page that stands in it.
func (l live) page(layout, name string) (*template.Template, error) {
	page := template.New(layout)
	for _, file := range []string{layout, name} {
		text, err := l.read(file)
		if err != nil {
			return nil, err
		}
		if _, err := page.Parse(string(text)); err != nil {
			return nil, err
		}
	}
	return page, nil
}
