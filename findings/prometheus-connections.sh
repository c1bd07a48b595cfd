#!/usr/bin/env bash
# Prometheus keeps 512 connections (--web.max-connections), whoever opened them and whether or not anything is sent on them. A
# client that opens the next one is connected (by the kernel), sends its request, and gets no response: not of a query, not of
# /-/healthy, and nothing is logged. It goes on once any of the others is closed, which Prometheus does itself after five idle
# minutes (--web.read-timeout). To a client it looks like a slow query; to a kubelet like a process that has stopped.
#
# What this printed, on Linux x64, when it was written:
#
#   2.42.0: of 511 connections: 200; of 512: nothing within 10 s; of 511 again: 200; logged: nothing
#
# Exits with 1 when it behaves in another way, and with 2 when it cannot be had. Needs Node.js and Debian's package `prometheus`.
set -euo pipefail

command -v prometheus >/dev/null || { echo 'there is no prometheus: apt-get install prometheus=2.42.0+ds-5+deb12u1'; exit 2; }
version=$(prometheus --version 2>&1 | sed -n 's/^prometheus, version \([0-9.]*\).*/\1/p')
[ "$version" = 2.42.0 ] || { echo "Prometheus is $version, not 2.42.0"; exit 2; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo 'global: {}' >prometheus.yml

cat >program.mjs <<'PROGRAM'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { connect, createServer } from 'node:net';

const probe = createServer().listen(0, '127.0.0.1');
await once(probe, 'listening');
const { port } = probe.address();
probe.close();

const args = ['--config.file=prometheus.yml', '--storage.tsdb.path=data', `--web.listen-address=127.0.0.1:${port}`];
const child = spawn('prometheus', args, { stdio: ['ignore', 'ignore', 'pipe'] });
let log = '';
child.stderr.setEncoding('utf8').on('data', (text) => (log += text));

/** On a connection of its own, which is closed afterwards. */
const healthy = () =>
  new Promise((settle) => {
    const request = get({ port, host: '127.0.0.1', path: '/-/healthy', agent: false, timeout: 10_000 });
    request.on('response', (response) => settle(String(response.resume().statusCode)));
    request.on('timeout', () => request.destroy(settle('nothing within 10 s')));
    request.on('error', () => settle('no connection'));
  });

while (!log.includes('Server is ready')) await once(child.stderr, 'data');
const open = [];
for (let count = 0; count < 511; count += 1) {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  open.push(socket);
}
const seen = [`of 511 connections: ${await healthy()}`];
const begun = log.length;
const last = connect(port, '127.0.0.1').on('error', () => undefined);
await once(last, 'connect');
seen.push(`of 512: ${await healthy()}`);
last.destroy();
seen.push(`of 511 again: ${await healthy()}`);
seen.push(`logged: ${log.slice(begun).trim() || 'nothing'}`);
console.log(seen.join('; '));
for (const socket of open) socket.destroy();
child.kill();
await once(child, 'exit');
PROGRAM

expected='of 511 connections: 200; of 512: nothing within 10 s; of 511 again: 200; logged: nothing'
seen=$(timeout 120 node program.mjs 2>&1) || true
echo "$version: $seen"
[ "$seen" = "$expected" ] || { echo "  before: $expected"; exit 1; }
