#!/usr/bin/env bash
# Records plans of OpenTofu in goldens/plans/: `bash tools/plans/record.sh [FOLDER]`. Builds it and a provider with Go from published
# modules of exact versions, in FOLDER (default: a temporary one, removed at the end), which takes some minutes. Needs a network.
set -euo pipefail

TOFU=1.12.6
PROVIDER_LOCAL=1.4.0 # the latest that is a Go module: its file can be changed outside

here=$(cd "$(dirname "$0")" && pwd)
goldens=$(cd "$here/../../goldens" && pwd)/plans
work=${1:-}
if [ -z "$work" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work" "$goldens"

build() { # MODULE@VERSION, PACKAGE, FILE
  [ -x "$work/bin/$3" ] && return
  local source
  source=$(cd "$work" && GOFLAGS=-modcacherw go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
  cp -r "$source" "$work/src-$3"
  chmod -R u+w "$work/src-$3"
  (cd "$work/src-$3" && go build -o "$work/bin/$3" "$2")
}
build "github.com/opentofu/opentofu@v$TOFU" ./cmd/tofu tofu
build "github.com/hashicorp/terraform-provider-local@v$PROVIDER_LOCAL" . terraform-provider-local

cat > "$work/rc" <<EOF
provider_installation {
  dev_overrides {
    "hashicorp/local" = "$work/bin"
  }
  direct {}
}
EOF
export TF_CLI_CONFIG_FILE=$work/rc TF_IN_AUTOMATION=1 PATH=$work/bin:$PATH

# plan NAME [OPTION…]: records the plan of what main.tf says now. A plan that fails is recorded, too.
plan() {
  local name=$1
  shift
  tofu plan -input=false -no-color -out=p "$@" > log 2>&1 || true
  tofu show -json p | node "$here/pretty.mjs" > "$goldens/$name.json"
}
main() { cat > main.tf; }
apply() { tofu apply -input=false -no-color -auto-approve > log 2>&1 || { cat log; exit 1; }; }
# An empty folder, for another state.
begin() {
  cd "$(mktemp -d -p "$work")"
}

begin
main <<'EOF'
resource "terraform_data" "web" { input = "1" }
output "url" { value = terraform_data.web.output }
EOF
plan tofu-create
apply
plan tofu-no-change

main <<'EOF'
resource "terraform_data" "web" { input = "1" }
output "url" { value = "http://${terraform_data.web.output}" }
output "token" {
  value     = "hunter2"
  sensitive = true
}
EOF
plan tofu-outputs-only
apply
main <<'EOF'
resource "terraform_data" "web" { input = "1" }
output "url" { value = "http://${terraform_data.web.output}" }
EOF
plan tofu-output-removed
main <<'EOF'
resource "terraform_data" "web" { input = "2" }
output "url" { value = "http://${terraform_data.web.output}" }
output "token" {
  value     = "hunter3"
  sensitive = true
}
EOF
plan tofu-update-with-outputs

begin
main <<'EOF'
resource "terraform_data" "old" { input = "1" }
EOF
apply
main <<'EOF'
resource "terraform_data" "web" { input = "1" }
moved {
  from = terraform_data.old
  to   = terraform_data.web
}
EOF
plan tofu-move
plan tofu-move-refresh-only -refresh-only
main <<'EOF'
resource "terraform_data" "web" { input = "2" }
moved {
  from = terraform_data.old
  to   = terraform_data.web
}
EOF
plan tofu-move-and-update
main <<'EOF'
removed { from = terraform_data.old }
EOF
plan tofu-forget
main <<'EOF'
EOF
plan tofu-delete

begin
main <<'EOF'
resource "terraform_data" "web" {
  input            = "1"
  triggers_replace = "1"
  lifecycle { destroy = false }
}
EOF
apply
sed -i 's/triggers_replace = "1"/triggers_replace = "2"/' main.tf
plan tofu-forget-and-create
main <<'EOF'
EOF
plan tofu-forget-destroy-false

begin
main <<'EOF'
resource "terraform_data" "web" { triggers_replace = "1" }
EOF
apply
sed -i 's/"1"/"2"/' main.tf
plan tofu-replace
main <<'EOF'
resource "terraform_data" "web" {
  triggers_replace = "2"
  lifecycle { create_before_destroy = true }
}
EOF
plan tofu-replace-create-first

begin
main <<'EOF'
import {
  to = terraform_data.web
  id = "an-id"
}
resource "terraform_data" "web" {}
EOF
plan tofu-import
sed -i 's/"web" {}/"web" { input = "1" }/' main.tf
plan tofu-import-and-update
sed -i 's/input/triggers_replace/' main.tf
plan tofu-import-and-replace

begin
main <<'EOF'
resource "local_file" "page" {
  content  = "hello"
  filename = "page.html"
}
EOF
apply
rm page.html
plan tofu-changed-outside
plan tofu-refresh-only -refresh-only

begin
main <<'EOF'
resource "terraform_data" "web" { input = "1" }
check "health" {
  assert {
    condition     = terraform_data.web.output == "2"
    error_message = "it says hunter2"
  }
}
EOF
apply
plan tofu-check-fails
main <<'EOF'
resource "terraform_data" "web" {
  input = "1"
  lifecycle {
    precondition {
      condition     = var.ok
      error_message = "it says hunter2"
    }
  }
}
variable "ok" { default = false }
EOF
plan tofu-precondition-fails

begin
main <<'EOF'
resource "terraform_data" "web" { input = "1" }
data "terraform_remote_state" "other" {
  backend = "local"
  config  = { path = terraform_data.web.id }
}
EOF
plan tofu-read-during-apply

begin
main <<'EOF'
resource "terraform_data" "web" { input = "1" }
resource "terraform_data" "db" { input = "1" }
EOF
plan tofu-target -target=terraform_data.web
