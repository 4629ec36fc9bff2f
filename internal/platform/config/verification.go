package config

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"
)

// checkVerification holds the settings of looks at our own pages to what they may be.
func (c *Config) checkVerification() error {
	if _, err := c.VerifyInterval(); err != nil {
		return err
	}
	if c.VerifyTimeout < 5*time.Second || c.VerifyTimeout > 2*time.Minute {
		return fmt.Errorf("VERIFY_TIMEOUT is not between 5s and 2m")
	}
	for _, site := range c.VerifySites {
		if !isOrigin(strings.TrimSpace(site)) {
			return fmt.Errorf("VERIFY_SITES holds something that is no origin, like https://blog.example.com")
		}
	}
	if c.VerifyDial != "" {
		if _, _, err := net.SplitHostPort(c.VerifyDial); err != nil {
			return fmt.Errorf("VERIFY_DIAL is not host:port, like api:8080")
		}
	}
	if c.VisionModel != "" && !slices.ContainsFunc(c.LLMModels, func(name string) bool { return strings.TrimSpace(name) == c.VisionModel }) {
		return fmt.Errorf("VISION_MODEL is none of LLM_MODELS")
	}
	return nil
}

// VerifyInterval is how often our own front page is looked at; 0: only on demand.
func (c *Config) VerifyInterval() (time.Duration, error) {
	if c.VerifyEvery == "" || c.VerifyEvery == "off" {
		return 0, nil
	}
	every, err := time.ParseDuration(c.VerifyEvery)
	if err != nil || every < time.Minute || every > 24*time.Hour {
		return 0, fmt.Errorf("VERIFY_EVERY is neither off nor between 1m and 24h")
	}
	return every, nil
}

func isOrigin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && isHTTP(s) && u.User == nil && u.Path == "" && u.RawQuery == "" && u.Fragment == ""
}
