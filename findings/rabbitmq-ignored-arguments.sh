#!/usr/bin/env bash
# RabbitMQ rejects a declaration of a queue that exists if an argument differs, but only of arguments that a queue of its type can have.
# Another one, with which no new queue of the type can be declared, is accepted and ignored: `x-max-priority` and `x-queue-mode`
# for a quorum queue, `x-delivery-limit` and `x-max-age` for a classic one. So an application that gains such an argument starts as
# long as the queue is there, without what it asked for, and fails where the queue is made anew. A name that RabbitMQ does not
# know is accepted in both cases.
#
# What this printed, on Linux x64, when it was written:
#
#   RabbitMQ 3.10.8, classic, x-max-length: existing rejected, new accepted
#   RabbitMQ 3.10.8, classic, x-max-priority: existing rejected, new accepted
#   RabbitMQ 3.10.8, classic, x-delivery-limit: existing accepted, new rejected
#   RabbitMQ 3.10.8, classic, x-max-age: existing accepted, new rejected
#   RabbitMQ 3.10.8, classic, x-unknown: existing accepted, new accepted
#   RabbitMQ 3.10.8, quorum, x-max-length: existing rejected, new accepted
#   RabbitMQ 3.10.8, quorum, x-max-priority: existing accepted, new rejected
#   RabbitMQ 3.10.8, quorum, x-queue-mode: existing accepted, new rejected
#   RabbitMQ 3.10.8, quorum, x-delivery-limit: existing rejected, new accepted
#   RabbitMQ 3.10.8, quorum, x-unknown: existing accepted, new accepted
#
# and the same of 4.3.6. Starts a node of Debian's package `rabbitmq-server` on the loopback; of other versions, which are on no
# registry, takes the URLs of nodes that run. Exits with 1 when a version behaves in another way, and with 2 when it is none that
# is known here. Needs npm, a network and the package.
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
  amqplib@0.10.9 >/dev/null || { echo 'the client cannot be installed'; exit 2; }

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
import { connect } from 'amqplib';

const KNOWN = /^(3\.10|4\.3)\./;
const [ACCEPTED, REJECTED] = ['accepted', 'rejected'];
/** Of each type: an argument, and what becomes of a declaration with it of a queue that exists without it, and of a new one. */
const CASES = {
  classic: [
    ['x-max-length', 5, REJECTED, ACCEPTED],
    ['x-max-priority', 5, REJECTED, ACCEPTED],
    ['x-delivery-limit', 5, ACCEPTED, REJECTED],
    ['x-max-age', '1h', ACCEPTED, REJECTED],
    ['x-unknown', 5, ACCEPTED, ACCEPTED],
  ],
  quorum: [
    ['x-max-length', 5, REJECTED, ACCEPTED],
    ['x-max-priority', 5, ACCEPTED, REJECTED],
    ['x-queue-mode', 'lazy', ACCEPTED, REJECTED],
    ['x-delivery-limit', 5, REJECTED, ACCEPTED],
    ['x-unknown', 5, ACCEPTED, ACCEPTED],
  ],
};

const connection = await connect(process.argv[2]);
const { version } = connection.connection.serverProperties;
let isChanged = false;
for (const [type, cases] of Object.entries(CASES))
  for (const [argument, value, ...expected] of cases) {
    const base = { 'x-queue-type': type };
    const wanted = { ...base, [argument]: value };
    const [old, fresh] = ['old', 'new'].map((kind) => `findings-${kind}-${type}-${argument}-${process.pid}`);
    await declare(old, base);
    const found = [await declare(old, wanted), await declare(fresh, wanted)];
    console.log(`RabbitMQ ${version}, ${type}, ${argument}: existing ${found[0]}, new ${found[1]}`);
    if (found.join() !== expected.join()) isChanged = true;
    for (const queue of [old, fresh]) await onChannel((channel) => channel.deleteQueue(queue));
  }
await connection.close();
process.exit(KNOWN.test(version) ? Number(isChanged) : 2);

async function declare(queue, args) {
  try {
    await onChannel((channel) => channel.assertQueue(queue, { durable: true, arguments: args }));
    return ACCEPTED;
  } catch (error) {
    // The broker's code for arguments that differ or are invalid.
    if (error.code !== 406) throw error;
    return REJECTED;
  }
}

/** A rejection ends the channel. */
async function onChannel(use) {
  const channel = await connection.createChannel();
  channel.on('error', () => undefined);
  const result = await use(channel);
  await channel.close();
  return result;
}
PROGRAM

result=0
for url in "$@"; do
  timeout 120 node program.mjs "$url" || { status=$?; [ "$status" -le "$result" ] || result=$status; }
done
exit "$result"
