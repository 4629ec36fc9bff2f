package verification

import (
	"fmt"
	"strings"
)

// slowest is how long an endpoint may take, and the page when somebody asks whether it is fast.
const slowest = 2000 // ms

const statusOK = 200

// EndpointCheck judges what an endpoint said.
func EndpointCheck(e Endpoint, a Answer) Check {
	c := Check{Kind: CheckEndpoint, Subject: "GET " + e.Path, State: Fail}
	switch troubles := endpointTroubles(e, a); {
	case a.Status == 0 && a.Error == "":
		c.Message = "There was no answer."
	case a.Status == 0:
		c.Message = sentence("No answer: " + tidy(a.Error, 200))
	case len(troubles) > 0:
		c.Message = strings.Join(troubles, " ")
	default:
		c.State, c.Message = Pass, fmt.Sprintf("It answered %d in %s.", a.Status, took(a.TookMS))
	}
	return c
}

func endpointTroubles(e Endpoint, a Answer) (troubles []string) {
	if a.Status != statusOK {
		troubles = append(troubles, fmt.Sprintf("It answered %d.", a.Status))
	}
	kind, _, _ := strings.Cut(a.ContentType, ";")
	switch kind = tidy(kind, 80); {
	case a.Status != statusOK: // an error may be written in any way
	case kind == "":
		troubles = append(troubles, "It named no content type, not "+e.ContentType+".")
	case !strings.EqualFold(kind, e.ContentType):
		troubles = append(troubles, "It answered "+kind+", not "+e.ContentType+".")
	}
	if a.TookMS > slowest {
		troubles = append(troubles, "It took "+took(a.TookMS)+".")
	}
	return troubles
}
