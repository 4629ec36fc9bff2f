package api

// StopWhen ends the delay when the channel is closed.
func (d *Drain) StopWhen(noticed <-chan struct{}) { d.until = noticed }
