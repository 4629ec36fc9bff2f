package experiments

import (
	"context"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/problem"
)

const mostPoints = 60

const wholeDay = 24 * time.Hour

// measure returns the registered metric with its current value. Once the verdict is set, the value is the one that
// it was based on.
func (a *API) measure(ctx context.Context, e experiment.Experiment) (*RegisteredMetric, error) {
	info, measured := experiment.MetricInfoOf(e.Metric)
	if !measured || e.Threshold == nil || e.DueAt == nil {
		return nil, nil //nolint:nilnil // no metric is registered
	}
	shown := &RegisteredMetric{
		Metric: string(e.Metric), Label: info.Label, Unit: info.Unit, Description: info.Description, AtMost: info.AtMost,
		Threshold: *e.Threshold, DueAt: *e.DueAt, WouldBe: string(e.Verdict), Points: []MetricPoint{},
	}
	if e.StartedAt == nil {
		return shown, nil
	}
	until := a.measuredUntil(e)
	reading, err := a.Experiments.ReadMetric(ctx, e.Metric, *e.StartedAt, until)
	if err != nil {
		return nil, err
	}
	shown.Sample = reading.Sample
	switch {
	case e.Verdict != "":
		shown.Value, shown.MeasuredAt = e.Measured, e.EndedAt
	case reading.Any:
		shown.Value = &reading.Value
		fallthrough
	default:
		shown.WouldBe = string(experiment.Judge(e.Metric, *e.Threshold, reading))
	}
	shown.Points, err = a.metricPoints(ctx, e, until)
	return shown, err
}

func (a *API) measuredUntil(e experiment.Experiment) time.Time {
	until := a.Now()
	for _, end := range []*time.Time{e.DueAt, e.EndedAt} {
		if end != nil && end.Before(until) {
			until = *end
		}
	}
	return until
}

// metricPoints reads the metric at the end of each of the last days in UTC, since the experiment became active.
func (a *API) metricPoints(ctx context.Context, e experiment.Experiment, until time.Time) ([]MetricPoint, error) {
	points := []MetricPoint{}
	midnight := e.StartedAt.UTC().Truncate(wholeDay).Add(wholeDay)
	if first := until.UTC().Truncate(wholeDay).Add(-(mostPoints - 2) * wholeDay); midnight.Before(first) {
		midnight = first
	}
	for over := false; !over; midnight = midnight.Add(wholeDay) {
		at := midnight
		if over = !at.Before(until); over {
			at = until
		}
		reading, err := a.Experiments.ReadMetric(ctx, e.Metric, *e.StartedAt, at)
		if err != nil {
			return nil, err
		}
		if reading.Any {
			points = append(points, MetricPoint{At: at, Value: reading.Value})
		}
	}
	return points, nil
}

func (a *API) WriteLabNote(ctx context.Context, req *writeLabNoteRequest) (LabNote, error) {
	found, err := a.experimentNamed(ctx, req.Slug)
	if err != nil {
		return LabNote{}, err
	}
	wanted := experiment.Note{ExperimentID: found.ID, Date: req.Date, Content: req.Body.Content, Author: httpapi.CallerOf(ctx).Name()}
	var note experiment.Note
	err = httpapi.Audited(ctx, a.Audits, a.Now(), audit.WriteLabNote, func(ctx context.Context) (_ string, err error) {
		note, err = a.Experiments.WriteNote(ctx, wanted, req.Body.Version, a.Now())
		return noted(found.Experiment, "has the lab note of "+req.Date), err
	})
	return showLabNote(note, found.Experiment), err
}

func (a *API) DeleteLabNote(ctx context.Context, req *deleteLabNoteRequest) (httpapi.Done, error) {
	found, err := a.experimentNamed(ctx, req.Slug)
	if err != nil {
		return httpapi.Done{}, err
	}
	if _, err := time.Parse(time.DateOnly, req.Date); err != nil {
		return httpapi.Done{}, problem.New(problem.NotFound, "There is no lab note for that day.")
	}
	err = httpapi.Audited(ctx, a.Audits, a.Now(), audit.DeleteLabNote, func(ctx context.Context) (string, error) {
		err := a.Experiments.DeleteNote(ctx, found.ID, req.Date, req.Version, a.Now())
		return noted(found.Experiment, "lost the lab note of "+req.Date), err
	})
	return httpapi.Done{Success: true}, err
}
