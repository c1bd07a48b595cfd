#!/usr/bin/env bash
# A NATS server whose JetStream is on by the flag --jetstream, and not by its file, reads its file again (SIGHUP) because one user was
# added there. The older version ends JetStream with that, says so in its log alone, and goes on without: streams and their messages
# cannot be reached until it is started again. With JetStream in the file it goes on, and so does the newer version with either.
#
# What this printed, on Linux x64, when it was written:
#
#   v2.9.25, by the flag: before true, after false
#   v2.9.25, by the file: before true, after true
#   v2.15.3, by the flag: before true, after true
#   v2.15.3, by the file: before true, after true
#
# Exits with 1 when a version behaves in another way, and with 2 when it cannot be had. Needs Go, Node.js 20 and a network.
set -euo pipefail

folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"

cat >program.mjs <<'PROGRAM'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

const [server, file, by] = process.argv.slice(2);

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  return port;
}

const [port, http] = [await freePort(), await freePort()];

function write(users) {
  const list = users.map((name) => `{ user: ${name}, password: ${name} }`).join(', ');
  const own = by === 'file' ? 'jetstream: enabled' : '';
  writeFileSync(
    file,
    `listen: "127.0.0.1:${port}"\nhttp: "127.0.0.1:${http}"\nstore_dir: "${file}.data"\n${own}\naccounts { A { jetstream: enabled, users = [${list}] } }\n`,
  );
}

const isOn = async () => {
  const { disabled = false } = await (await fetch(`http://127.0.0.1:${http}/jsz`)).json();
  return !disabled;
};

write(['a']);
const flags = by === 'flag' ? ['--jetstream'] : [];
const child = spawn(server, ['-c', file, ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
const lines = createInterface({ input: child.stderr });
const said = (what) =>
  new Promise((resolve) => lines.on('line', (line) => line.includes(what) && resolve()));
const [ready, reloaded] = [said('Server is ready'), said('Reloaded server configuration')];
try {
  await ready;
  const before = await isOn();
  write(['a', 'b']);
  child.kill('SIGHUP');
  await reloaded;
  console.log(`before ${before}, after ${await isOn()}`);
} finally {
  child.kill('SIGTERM');
}
PROGRAM

changed=0
check() {
  local version=$1 by=$2 expected=$3 seen
  seen=$(timeout 60 node program.mjs "$folder/$version/nats-server" "$folder/$version-$by.conf" "$by" 2>&1) || true
  echo "$version, by the $by: $seen"
  [ "$seen" = "$expected" ] || { echo "  before: $expected"; changed=1; }
}

for version in v2.9.25 v2.15.3; do
  GOBIN="$folder/$version" GOFLAGS=-modcacherw go install "github.com/nats-io/nats-server/v2@$version" >/dev/null 2>&1 ||
    { echo "$version cannot be built"; exit 2; }
done
check v2.9.25 flag 'before true, after false'
check v2.9.25 file 'before true, after true'
check v2.15.3 flag 'before true, after true'
check v2.15.3 file 'before true, after true'
exit "$changed"
