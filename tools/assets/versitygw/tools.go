//go:build tools

// Keeps what is built from here in go.mod.
package tools

import _ "github.com/versity/versitygw/cmd/versitygw"
