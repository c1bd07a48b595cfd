#!/usr/bin/env bash
# A stream of NATS JetStream that keeps one message for each subject. One subject is written twice, and then purged: the server
# confirms that, and has nothing there any more. The server is killed (SIGKILL) and started again: newer versions have the subject's
# last but one message, which had been replaced before it was purged. Not without a message of another subject in the stream, and not
# where the server is ended with SIGTERM.
#
# What this printed, on Linux x64, when it was written:
#
#   v2.9.25: nothing is there; after SIGKILL: nothing
#   v2.15.3: nothing is there; after SIGKILL: "first"
#
# Exits with 1 when a version behaves in another way, and with 2 when it cannot be had. Needs Go, npm and a network.
set -euo pipefail

folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --no-save --ignore-scripts --cache "$folder/cache" --prefix "$folder" \
  @nats-io/transport-node@3.3.1 @nats-io/jetstream@3.3.1 >/dev/null || { echo 'the client cannot be installed'; exit 2; }

cat >program.mjs <<'PROGRAM'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';

const [server, data] = process.argv.slice(2);
const probe = createServer().listen(0, '127.0.0.1');
await once(probe, 'listening');
const { port } = probe.address();
probe.close();

/** Starts the server, and ends it when `use` has resolved. */
async function withServer(signal, use) {
  const args = ['-a', '127.0.0.1', '-p', String(port), '--jetstream', '--store_dir', data];
  const child = spawn(server, args, { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const connection = await connect({ servers: `127.0.0.1:${port}`, waitOnFirstConnect: true, reconnectTimeWait: 100 });
  const manager = await jetstreamManager(connection, { checkAPI: false });
  try {
    return await use(manager.streams, jetstream(connection));
  } finally {
    child.kill(signal);
    await ended;
    await connection.close();
  }
}

const last = async (streams) => (await streams.getMessage('S', { last_by_subj: 's.a' }))?.string();

const before = await withServer('SIGKILL', async (streams, client) => {
  await streams.add({ name: 'S', subjects: ['s.*'], max_msgs_per_subject: 1 });
  for (const [subject, text] of [['s.b', 'other'], ['s.a', 'first'], ['s.a', 'second']]) await client.publish(subject, text);
  const { success } = await streams.purge('S', { filter: 's.a' });
  if (!success) throw new Error('the purge is not confirmed');
  return (await last(streams)) ?? 'nothing';
});
const after = await withServer('SIGTERM', last);
console.log(`${before} is there; after SIGKILL: ${after === undefined ? 'nothing' : JSON.stringify(after)}`);
process.exit();
PROGRAM

changed=0
check() {
  local version=$1 expected=$2 seen
  GOBIN="$folder/$version" GOFLAGS=-modcacherw go install "github.com/nats-io/nats-server/v2@$version" >/dev/null 2>&1 ||
    { echo "$version cannot be built"; exit 2; }
  seen=$(timeout 60 node program.mjs "$folder/$version/nats-server" "$folder/data-$version" 2>&1) || true
  echo "$version: $seen"
  [ "$seen" = "$expected" ] || { echo "  before: $expected"; changed=1; }
}

check v2.9.25 'nothing is there; after SIGKILL: nothing'
check v2.15.3 'nothing is there; after SIGKILL: "first"'
exit "$changed"
