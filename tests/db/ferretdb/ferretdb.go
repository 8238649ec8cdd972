// SPDX-License-Identifier: GPL-2.0-or-later

// FerretDB in a process of its own: documents in files of SQLite below a folder, on a free port, which it prints.
package main

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"net/url"
	"os"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: "127.0.0.1:0"},
		Logger:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		Handler:   "sqlite",
		SQLiteURL: "file:" + os.Args[1] + "/",
	})
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		where, _ := url.Parse(server.MongoDBURI()) // waits until it listens
		fmt.Println("port", where.Port())
	}()
	log.Fatal(server.Run(context.Background()))
}
