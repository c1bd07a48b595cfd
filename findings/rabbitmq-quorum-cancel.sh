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
# How many are about to be handed out depends on the machine: compared is whether the order is kept. Takes the URLs of the nodes that it
# asks (default: amqp://guest:guest@127.0.0.1:5672). Exits with 1 when a version behaves in another way, and with 2 when there is no node
# of a version that is known here. Needs npm and a network.
set -euo pipefail

[ "$#" -gt 0 ] || set -- amqp://guest:guest@127.0.0.1:5672
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --no-save --ignore-scripts --cache "$folder/cache" --prefix "$folder" \
  amqplib@0.10.9 >/dev/null || { echo 'the client cannot be installed'; exit 2; }

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
