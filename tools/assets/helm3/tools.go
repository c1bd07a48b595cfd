//go:build tools

// Keeps what is built from here in go.mod.
package tools

import _ "helm.sh/helm/v3/cmd/helm"
