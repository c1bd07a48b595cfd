#!/usr/bin/env bash
# A consumer of a quorum queue of RabbitMQ has as many messages in hand as it may, and more wait in the queue. It acknowledges the first
# ones, cancels, and closes its channel. The next consumer gets the rest in another order: what the queue was about to hand out in the
# place of the acknowledged messages comes back by itself at the cancel; on 4.3 before what the consumer had in hand, on 3.10 behind
# all that waits. Of a classic queue the order stays.
#
# What this printed, on Linux x64, when it was written (each number is a message, in the order of the second consumer):
#
#   RabbitMQ 3.10.8, classic: 6-300
#   RabbitMQ 3.10.8, quorum: 6-51 56-300 52-55
#   RabbitMQ 4.3.6, classic: 6-300
#   RabbitMQ 4.3.6, quorum: 52-55 6-51 56-300
#
# How many are about to be handed out depends on the machine: compared is whether the order is kept. Starts a node of Debian's package
# `rabbitmq-server` on the loopback; of other versions, which are on no registry, takes the URLs of nodes that run. Exits with 1 when a
# version behaves in another way, and with 2 when it is none that is known here. Needs npm, a network and the package.
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
import { once } from 'node:events';
import { connect } from 'amqplib';

const [MESSAGES, PREFETCH, ACKED] = [300, 50, 5];
/** What is in order again, by the version. */
const KEPT = { '3.10': { classic: true, quorum: false }, '4.3': { classic: true, quorum: false } };

const connection = await connect(process.argv[2]);
const { version } = connection.connection.serverProperties;
const kept = KEPT[/^\d+\.\d+/.exec(version)[0]];
let isChanged = false;
for (const type of ['classic', 'quorum']) {
  const queue = `findings-${type}-${process.pid}`;
  const admin = await connection.createConfirmChannel();
  await admin.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': type } });
  for (let number = 1; number <= MESSAGES; number++) admin.sendToQueue(queue, Buffer.from(String(number)));
  await admin.waitForConfirms();
  await takeSome(queue);
  const order = await takeAll(queue);
  await admin.deleteQueue(queue);
  const isKept = order.every((number, index) => number === ACKED + index + 1);
  console.log(`RabbitMQ ${version}, ${type}: ${runsOf(order).join(' ')}`);
  if (order.length !== MESSAGES - ACKED) isChanged = true;
  if (kept !== undefined && kept[type] !== isKept) isChanged = true;
}
await connection.close();
process.exit(kept === undefined ? 2 : Number(isChanged));

/** Has a full hand, acknowledges the first ones, and goes. */
async function takeSome(queue) {
  const channel = await connection.createChannel();
  await channel.prefetch(PREFETCH);
  const got = [];
  const taken = new Promise((resolve) => {
    void channel.consume(queue, async (message) => {
      got.push(message);
      if (got.length !== PREFETCH) return;
      for (const one of got.slice(0, ACKED)) channel.ack(one);
      await channel.cancel(message.fields.consumerTag);
      resolve();
    });
  });
  await taken;
  await channel.close();
}

async function takeAll(queue) {
  const channel = await connection.createChannel();
  const numbers = [];
  const all = new Promise((resolve) => {
    void channel.consume(queue, (message) => {
      channel.ack(message);
      numbers.push(Number(message.content.toString()));
      if (numbers.length === MESSAGES - ACKED) resolve();
    });
  });
  await all;
  await channel.close();
  return numbers;
}

function runsOf(numbers) {
  const runs = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last?.at(-1) === number - 1) last[1] = number;
    else runs.push([number]);
  }
  return runs.map((run) => run.join('-'));
}
PROGRAM

result=0
for url in "$@"; do
  timeout 120 node program.mjs "$url" || { status=$?; [ "$status" -le "$result" ] || result=$status; }
done
exit "$result"
