#!/usr/bin/env bash
# With rabbitmq-client, messages of a consumer still arrive after `await channel.basicCancel(...)` has resolved: all that the broker sent
# before its response and that came in the same piece of the stream. The client resolves a response at once, and hands each message over
# in a later turn of the event loop. Who gives back at that moment what is in hand forgets these. With amqplib nothing arrives
# after `await channel.cancel(...)`.
#
# What this printed, on Linux x64, when it was written (N is another number each time):
#
#   RabbitMQ 3.10.8, amqplib 0.10.9: 0 messages after the cancel
#   RabbitMQ 3.10.8, rabbitmq-client 5.0.8: N messages after the cancel, 0 after one more turn of the event loop
#
# Starts a node of Debian's package `rabbitmq-server` on the loopback. Exits with 1 when a client behaves in another way. Needs npm, a
# network and the package.
set -euo pipefail

folder=$(mktemp -d)
node=
stop() {
  [ -z "$node" ] || { kill "$node" && wait "$node"; } 2>/dev/null || true
  [ -z "$names" ] || kill "$names" 2>/dev/null || true
  rm -rf "$folder"
}
names=
trap stop EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --no-save --ignore-scripts --cache "$folder/cache" --prefix "$folder" \
  amqplib@0.10.9 rabbitmq-client@5.0.8 >/dev/null || { echo 'the client cannot be installed'; exit 2; }

free_port() { node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'; }

# A node whose files, names and ports are its own.
start_node() {
  local server=/usr/lib/rabbitmq/bin/rabbitmq-server amqp
  [ -x "$server" ] || { echo "there is no $server: apt-get install rabbitmq-server=3.10.8-1.1+deb12u1"; exit 2; }
  amqp=$(free_port)
  export HOME=$folder ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_PORT RABBITMQ_DIST_PORT
  ERL_EPMD_PORT=$(free_port) RABBITMQ_DIST_PORT=$(free_port)
  epmd -address 127.0.0.1 -port "$ERL_EPMD_PORT" >/dev/null 2>&1 &
  names=$!
  printf 'listeners.tcp.1 = 127.0.0.1:%s\n' "$amqp" >rabbitmq.conf
  echo '[].' >plugins
  RABBITMQ_NODENAME="finding@localhost" RABBITMQ_CONF_ENV_FILE=/dev/null RABBITMQ_CONFIG_FILE="$folder/rabbitmq.conf" \
    RABBITMQ_ENABLED_PLUGINS_FILE="$folder/plugins" RABBITMQ_MNESIA_BASE="$folder/data" RABBITMQ_LOG_BASE="$folder/log" \
    RABBITMQ_GENERATED_CONFIG_DIR="$folder/generated" RABBITMQ_ALLOW_INPUT=true RABBITMQ_SERVER_START_ARGS=-noinput \
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS='-kernel inet_dist_use_interface {127,0,0,1}' "$server" >server.log 2>&1 &
  node=$!
  for _ in $(seq 120); do
    grep -q 'Starting broker... completed' server.log 2>/dev/null && break
    sleep 1
  done
  url="amqp://guest:guest@127.0.0.1:$amqp"
}

[ "$#" -gt 0 ] || { start_node && set -- "$url"; }

cat >program.mjs <<'PROGRAM'
import { readFileSync } from 'node:fs';
import { connect } from 'amqplib';
import { Connection } from 'rabbitmq-client';

const MESSAGES = 5000;
const [url] = process.argv.slice(2);
const QUEUE = `findings-${process.pid}`;
const versionOf = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version;
const turn = () => new Promise((resolve) => setImmediate(resolve));

const admin = await connect(url);
const { version } = admin.connection.serverProperties;
const channel = await admin.createConfirmChannel();
await channel.assertQueue(QUEUE, { durable: true });
for (let number = 0; number < MESSAGES; number++) channel.sendToQueue(QUEUE, Buffer.from(String(number)));
await channel.waitForConfirms();

/** Cancels at the first message; returns how many came after that had resolved, and after one turn more. */
async function count(consume, cancel) {
  const seen = { all: 0 };
  let first;
  const begun = new Promise((resolve) => (first = resolve));
  const tag = await consume(() => {
    seen.all += 1;
    first();
  });
  await begun;
  await cancel(tag);
  const atOnce = seen.all;
  await turn();
  const afterTurn = seen.all;
  // A message that is under way for longer than this was not sent before the response.
  await new Promise((resolve) => setTimeout(resolve, 2000));
  return [seen.all - atOnce, seen.all - afterTurn];
}

const theirs = await admin.createChannel();
const [ofAmqplib] = await count(
  async (each) => (await theirs.consume(QUEUE, each)).consumerTag,
  (tag) => theirs.cancel(tag),
);
await theirs.close();
console.log(`RabbitMQ ${version}, amqplib ${versionOf('amqplib')}: ${ofAmqplib} messages after the cancel`);

const connection = new Connection(url);
const other = await connection.acquire();
const [late, later] = await count(
  async (each) => (await other.basicConsume({ queue: QUEUE }, each)).consumerTag,
  (tag) => other.basicCancel(tag),
);
await other.close();
await connection.close();
console.log(
  `RabbitMQ ${version}, rabbitmq-client ${versionOf('rabbitmq-client')}: ${late} messages after the cancel, ${later} after one more turn of the event loop`,
);
await channel.deleteQueue(QUEUE);
await admin.close();
process.exit(ofAmqplib === 0 && late > 0 && later === 0 ? 0 : 1);
PROGRAM

timeout 120 node program.mjs "$1"
