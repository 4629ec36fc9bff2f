package post

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/suggest"
)

// MaxImport is the most posts in a file; a month has no more slots.
const MaxImport = MonthlyPosts

// Row is one record of an import. Line is the line on which it begins (the header is line 1); Err is why
// it is refused.
type Row struct {
	Line       int
	Text       string
	At         time.Time
	Member     string
	MadeWithAI bool
	Err        error
}

var columns = []string{"text", "scheduled_at", "timezone", "member", "made_with_ai"}

// ParseCSV parses a file of posts. Invalid CSV or an unknown column refuses the whole file with line and
// column; a row that cannot be posted has its Err set.
func ParseCSV(file []byte, now time.Time) ([]Row, error) {
	if !utf8.Valid(file) {
		return nil, badUTF8(file)
	}
	reader := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(file, []byte("\ufeff"))))
	heading, err := reader.Read()
	if err != nil {
		return nil, badCSV(err)
	}
	position, err := readHeading(heading)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return flagRepeats(rows), nil
		}
		if err != nil {
			return nil, badCSV(err)
		}
		if len(rows) == MaxImport {
			return nil, problem.New(problem.CSVInvalid, "The file has more than %d posts. Split the file.", MaxImport)
		}
		line, _ := reader.FieldPos(0)
		rows = append(rows, readRow(record, position, line, now))
	}
}

func readHeading(heading []string) (map[string]int, error) {
	position := map[string]int{}
	for i, name := range heading {
		name = strings.ToLower(strings.TrimSpace(name))
		if !slices.Contains(columns, name) {
			return nil, problem.New(problem.CSVInvalid, "Line 1, column %d: unknown column %.40q. The columns are %s.%s",
				i+1, name, strings.Join(columns, ", "), suggest.DidYouMean(name, columns))
		}
		if _, twice := position[name]; twice {
			return nil, problem.New(problem.CSVInvalid, "Line 1, column %d: duplicate column %s.", i+1, name)
		}
		position[name] = i
	}
	if _, ok := position["text"]; !ok {
		return nil, problem.New(problem.CSVInvalid, "Line 1: the column text is missing.")
	}
	return position, nil
}

func readRow(record []string, position map[string]int, line int, now time.Time) Row {
	field := func(name string) string {
		if i, ok := position[name]; ok {
			return strings.TrimSpace(record[i])
		}
		return ""
	}
	row := Row{Line: line, Text: field("text"), Member: field("member"), MadeWithAI: isYes(field("made_with_ai"))}
	row.At, row.Err = ParseWhen(field("scheduled_at"), field("timezone"), now)
	if err := CheckText(row.Text); err != nil {
		row.Err = err
	}
	return row
}

func isYes(s string) bool { return slices.Contains([]string{"1", "true", "yes"}, strings.ToLower(s)) }

// flagRepeats marks rows whose text already appears earlier in the file.
func flagRepeats(rows []Row) []Row {
	first := map[string]int{}
	for i, row := range rows {
		key := TextKey(row.Text)
		if line, seen := first[key]; seen && row.Err == nil {
			rows[i].Err = problem.New(problem.TextDuplicate, "The same text is on line %d.", line)
		} else if row.Err == nil {
			first[key] = row.Line
		}
	}
	return rows
}

func badCSV(err error) error {
	if errors.Is(err, io.EOF) {
		return problem.New(problem.CSVInvalid, "The file is empty. The first line must name the columns: %s.", strings.Join(columns, ","))
	}
	if p, ok := errors.AsType[*csv.ParseError](err); ok {
		return problem.New(problem.CSVInvalid, "Line %d, column %d: %v. Nothing was imported.", p.Line, p.Column, p.Err)
	}
	return problem.New(problem.CSVInvalid, "The file could not be read as CSV. Nothing was imported.")
}

func badUTF8(file []byte) error {
	line, column := 1, 1
	for len(file) > 0 {
		r, size := utf8.DecodeRune(file)
		if r == utf8.RuneError && size == 1 {
			break
		}
		column++
		if r == '\n' {
			line, column = line+1, 1
		}
		file = file[size:]
	}
	return problem.New(problem.CSVInvalid, "Line %d, column %d: not UTF-8. Save the file as UTF-8. Nothing was imported.", line, column)
}
