// A consumer as an application writes it: what it has in memory is nowhere else. It says what that is, and what comes to it.
import { setTimeout as sleep } from 'node:timers/promises';
import { container } from '@kubewright/cluster/container';
import { Migratable } from '@kubewright/migratable';
import { connectAmqp } from '@kubewright/migratable/amqp';
import { connectJetStream } from '@kubewright/migratable/jetstream';

const { pod, onTerminate, setReady } = container();
const { BROKER_URL, QUEUE, PROCESSING_DELAY_MS = '0' } = process.env;
const applied = [];

/** What is printed when the process is killed would be lost: a message is acknowledged when it was heard that it is applied. */
async function remember(messages) {
  applied.push(...messages);
  const lines = messages.map((message) => `${JSON.stringify(message)}\n`).join('');
  if (lines !== '') await new Promise((resolve) => process.stdout.write(lines, resolve));
}

/** Resolves when there is a message in this queue; a process that is stopped before has not applied what waits for it. */
async function passed(gate, isToShut = true) {
  for await (const { ack } of messages.consume(gate, { prefetch: 1, signal: stop.signal })) {
    if (isToShut) ack();
    return;
  }
  throw new Error('stopped');
}

/** A state takes as long to restore as some message in it says; once that gate is open, it stays open. */
async function restore(state) {
  const { restoreGate } = state.find((message) => message.restoreGate !== undefined) ?? {};
  if (restoreGate !== undefined) await passed(restoreGate, false);
  await remember(state);
}

setReady(false);
const stop = new AbortController();
onTerminate(() => stop.abort());
const connect = BROKER_URL.startsWith('nats:') ? connectJetStream : connectAmqp;
const messages = connect({ url: BROKER_URL });
const app = new Migratable({
  queue: QUEUE,
  messages,
  pod: pod.uid,
  apply: async ({ body }) => {
    if (body.gate !== undefined) await passed(body.gate);
    if (PROCESSING_DELAY_MS !== '0') await sleep(Number(PROCESSING_DELAY_MS));
    await remember([body]);
  },
  snapshot: () => applied,
  restore,
  onReport: ({ mode }) => setReady(mode === 'running'),
});
// Any message in this queue ends the process, once.
const ends = connect({ url: BROKER_URL });
async function endWhenTold() {
  for await (const { ack } of ends.consume(`${QUEUE}.end`, { prefetch: 1, signal: stop.signal })) {
    ack();
    break;
  }
  await ends.close();
  if (!stop.signal.aborted) process.exit(1);
}
void endWhenTold();
await app.start(stop.signal);
await messages.close();
