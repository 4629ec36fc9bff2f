package recurring

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"customerzero/internal/domain/localtime"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// What is replaced in the texts of a series.
const (
	datePlace   = "{date}"
	numberPlace = "{number}"
)

// MaxTexts bounds the texts that take turns.
const MaxTexts = 12

// Expand writes a text for the number-th post of a series, from 1 on, at a time of its zone.
func Expand(text string, at time.Time, zone *time.Location, number int) string {
	return strings.NewReplacer(
		datePlace, at.In(zone).Format("2 January 2006"), numberPlace, strconv.Itoa(number),
	).Replace(text)
}

// TextAt is the text whose turn it is for the number-th post, with shift others passed over.
func (s Series) TextAt(number, shift int, at time.Time, zone *time.Location) string {
	return Expand(s.Texts[(number-1+shift)%len(s.Texts)], at, zone, number)
}

// longest is what the widest date and number take.
func longest(text string) string {
	return strings.NewReplacer(datePlace, "30 September 2026", numberPlace, "9999").Replace(text)
}

// checkTexts refuses texts that X would not take, or not take twice.
func checkTexts(texts []string, times []localtime.Time) error {
	if len(texts) == 0 || len(texts) > MaxTexts {
		return problem.New(problem.Invalid, "A series has between 1 and %d texts.", MaxTexts)
	}
	var keys []string
	for _, text := range texts {
		if err := post.CheckText(longest(text)); err != nil {
			return err
		}
		key := post.TextKey(text)
		if slices.Contains(keys, key) {
			return problem.New(problem.TextDuplicate, "X refuses the same text twice: two of these texts are the same. Change one of them.")
		}
		keys = append(keys, key)
	}
	return checkAlone(texts, times)
}

// checkAlone refuses a single text that would be the same the next time.
func checkAlone(texts []string, times []localtime.Time) error {
	if len(texts) > 1 || strings.Contains(texts[0], numberPlace) {
		return nil
	}
	if !strings.Contains(texts[0], datePlace) {
		return problem.New(problem.TextDuplicate,
			"X refuses the same text twice: give several texts, or write {date} or {number} in this one.")
	}
	days := map[int]bool{}
	for _, t := range times {
		if days[t.Weekday] {
			return problem.New(problem.TextDuplicate,
				"X refuses the same text twice: with {date} alone, this one is the same twice a day. Write {number}, or give several texts.")
		}
		days[t.Weekday] = true
	}
	return nil
}
