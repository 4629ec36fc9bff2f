package browser

import (
	"encoding/json"
	"fmt"
)

// world is a JavaScript world of our own in the page: it sees the same document, and nothing
// that the page's scripts did to the language.
type world struct {
	visit *visit
	id    any
}

func (v *visit) world() (*world, error) {
	tree, err := v.send("Page.getFrameTree", nil)
	if err != nil {
		return nil, err
	}
	inner, _ := tree["frameTree"].(map[string]any)
	frame, _ := inner["frame"].(map[string]any)
	made, err := v.send("Page.createIsolatedWorld", map[string]any{"frameId": frame["id"], "worldName": "look"})
	if err != nil {
		return nil, err
	}
	return &world{v, made["executionContextId"]}, nil
}

// run evaluates a script and reads its result, which it must give as JSON text, into out.
func (w *world) run(script string, out any) error {
	said, err := w.visit.send("Runtime.evaluate", map[string]any{
		"expression": script, "contextId": w.id, "returnByValue": true, "awaitPromise": true,
	})
	if err != nil {
		return err
	}
	if failed, ok := said["exceptionDetails"].(map[string]any); ok {
		return fmt.Errorf("a script of ours failed in the page: %v", failed["exception"])
	}
	result, _ := said["result"].(map[string]any)
	return json.Unmarshal([]byte(word(result, "value")), out)
}

func (v *visit) send(method string, params map[string]any) (map[string]any, error) {
	said, err := v.devices.Send(method, params)
	if err != nil {
		return nil, err
	}
	answer, _ := said.(map[string]any)
	return answer, nil
}
