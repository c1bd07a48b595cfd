#!/usr/bin/env bash
# Unquoted scalars of manifests have one value in kubectl, Helm and kube-apiserver, which share one Go library, and another in the
# JavaScript client of Kubernetes: a file mode of a volume, as manifests have it, is octal in the first and decimal in the second, and
# both are accepted by the API where the decimal number is a mode, too. The library `yaml` with its schema for YAML 1.1, which is
# what the Go library is said to read, agrees neither with the one nor with the other: it reads a time as a number, a date as a
# timestamp, and a short hash of a commit that is digits around an `e` as infinity, which is null in JSON.
#
# What this printed, with Node.js 20.20.2, when it was written, is at the end.
#
# Exits with 1 when one of them reads otherwise, and with 2 when it cannot be had. Needs Go, npm and a network.
set -euo pipefail

folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --no-save --ignore-scripts --cache "$folder/cache" --prefix "$folder" \
  @kubernetes/client-node@1.4.0 yaml@2.9.1 >/dev/null || { echo 'the libraries cannot be installed'; exit 2; }

cat >main.go <<'PROGRAM'
package main

import (
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

func main() {
	for _, scalar := range os.Args[1:] {
		json, err := yaml.YAMLToJSON([]byte("v: " + scalar + "\n"))
		if err != nil {
			panic(err)
		}
		fmt.Println(string(json))
	}
}
PROGRAM
export GOFLAGS=-modcacherw
{ go mod init example && go get sigs.k8s.io/yaml@v1.6.0 && go build -o kubernetes .; } >/dev/null 2>&1 ||
  { echo 'sigs.k8s.io/yaml cannot be built'; exit 2; }

cat >program.mjs <<'PROGRAM'
import { execFileSync } from 'node:child_process';
import { loadYaml } from '@kubernetes/client-node';
import { parse } from 'yaml';

const scalars = process.argv.slice(2);
const go = execFileSync('./kubernetes', scalars, { encoding: 'utf8' }).trim().split('\n');
const value = (object) => JSON.stringify(object.v);
const columns = (cells) => cells.map((cell, at) => cell.padEnd([13, 25, 31, 0][at])).join('');
console.log(
  columns(['scalar', 'sigs.k8s.io/yaml v1.6.0', '@kubernetes/client-node 1.4.0', 'yaml 2.9.1, version 1.1']),
);
for (const [at, scalar] of scalars.entries()) {
  const text = `v: ${scalar}\n`;
  console.log(columns([scalar, value(JSON.parse(go[at])), value(loadYaml(text)), value(parse(text, { version: '1.1' }))]));
}
PROGRAM

seen=$(node program.mjs 0440 on 1_000 22:30 2026-11-29 1234e567 2>&1) || true
before=$(
  cat <<'BEFORE'
scalar       sigs.k8s.io/yaml v1.6.0  @kubernetes/client-node 1.4.0  yaml 2.9.1, version 1.1
0440         288                      440                            288
on           true                     "on"                           true
1_000        1000                     "1_000"                        1000
22:30        "22:30"                  "22:30"                        1350
2026-11-29   "2026-11-29"             "2026-11-29T00:00:00.000Z"     "2026-11-29T00:00:00.000Z"
1234e567     "1234e567"               "1234e567"                     null
BEFORE
)
echo "$seen"
[ "$seen" = "$before" ] || { printf 'before:\n%s\n' "$before"; exit 1; }
