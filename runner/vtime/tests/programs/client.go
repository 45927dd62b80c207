// A client of net/http. Its second argument says by what it waits.
// What a client does: see clients/main.rs.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"
)

// A way of limiting a request and of waiting.
type way struct {
	limit func() (*http.Client, context.Context, context.CancelFunc)
	wait  func(time.Duration)
}

func byClient() (*http.Client, context.Context, context.CancelFunc) {
	return &http.Client{Timeout: 30 * time.Second}, context.Background(), func() {}
}

func byContext() (*http.Client, context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	return http.DefaultClient, ctx, cancel
}

func untilDone(d time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	<-ctx.Done()
}

// Counts ten ticks, beside a timer that must never be the first.
func ticks(d time.Duration) {
	ticker := time.NewTicker(d / 10)
	defer ticker.Stop()
	for i := 0; i < 10; i++ {
		select {
		case <-ticker.C:
		case <-time.After(d):
			fail(errors.New("a ticker that does not tick"))
		}
	}
}

var ways = map[string]way{
	"context": {byContext, untilDone},
	"sleep":   {byClient, time.Sleep},
	"ticker":  {byContext, ticks},
}

func fail(err error) {
	fmt.Println(err)
	os.Exit(1)
}

func toldWait(value string) time.Duration {
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(seconds) * time.Second
	}
	date, err := http.ParseTime(value)
	if err != nil {
		fail(err)
	}
	return time.Until(date)
}

func (w way) exchange(url string) (int, string, string, error) {
	client, ctx, cancel := w.limit()
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return 0, "", "", err
	}
	reply, err := client.Do(request)
	if err != nil {
		return 0, "", "", err
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	return reply.StatusCode, reply.Header.Get("Retry-After"), string(body), err
}

func (w way) get(url string) (string, error) {
	for {
		status, value, body, err := w.exchange(url)
		if err != nil || status == 200 {
			return body, err
		}
		w.wait(toldWait(value))
	}
}

func main() {
	base, w := os.Args[1], ways[os.Args[2]]
	for _, path := range []string{"/date", "/wait"} {
		if _, err := w.get(base + path); err != nil {
			fail(err)
		}
	}
	_, err := w.get(base + "/silent")
	if timeout, ok := err.(interface{ Timeout() bool }); !ok || !timeout.Timeout() {
		fail(fmt.Errorf("instead of a timeout: %v", err))
	}
	for _, path := range []string{"/delay", "/parts", "/end"} {
		if body, err := w.get(base + path); err != nil || body != "done" {
			fail(fmt.Errorf("%s: %s, %v", path, body, err))
		}
	}
}
