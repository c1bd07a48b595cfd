import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { getOwn, isJsonObject, type Json, type JsonObject } from '@kubewright/kube';
import { bodyIn, connectTo, type Target } from './webhook-connection.ts';
import type { Write } from './writes.ts';

export type Round = {
  /** Milliseconds of each request. */
  readonly took: readonly number[];
  readonly seconds: number;
  /** All requests, with those that opened the connections. */
  readonly sent: number;
};

type Sent = { readonly write: Write; readonly took: number; readonly response: Buffer };

/** Sends each write `times` times, so many at a time on as many connections; by HTTP/1.1, as kube-apiserver does. */
export async function play(
  target: Target,
  writes: readonly Write[],
  { concurrency, times }: { readonly concurrency: number; readonly times: number },
): Promise<Round> {
  const connections = await Promise.all(Array.from({ length: concurrency }, () => connectTo(target)));
  try {
    const firsts = connections.map((connection) => connection.send(requestFor(writes[0])));
    for (const response of await Promise.all(firsts)) responseIn(response);
    const queue = Array.from({ length: times }, () => writes)
      .flat()
      .map((write) => ({ write, request: requestFor(write) }));
    const sent: Sent[] = [];
    const began = performance.now();
    const lane = async (connection: (typeof connections)[number]): Promise<void> => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        const before = performance.now();
        const response = await connection.send(next.request);
        sent.push({ write: next.write, took: performance.now() - before, response });
      }
    };
    await Promise.all(connections.map(lane));
    const seconds = (performance.now() - began) / 1000;
    // Read afterwards: what the client does meanwhile would count as time of the webhook.
    for (const { write, response } of sent) expectDecision(write, responseIn(response));
    return { took: sent.map(({ took }) => took), seconds, sent: sent.length + concurrency };
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** Whether a webhook that has just been started decides on a write as it should. */
export async function decides(target: Target, write: Write): Promise<boolean> {
  try {
    const connection = await connectTo(target);
    try {
      return allowed(responseIn(await connection.send(requestFor(write)))) === write.allowed;
    } finally {
      connection.close();
    }
  } catch {
    return false;
  }
}

function requestFor(write: Write | undefined): Buffer {
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
  const body = JSON.stringify({ ...review, request: { uid: randomUUID(), ...write?.request } });
  const lines = [
    'POST /mutate HTTP/1.1',
    'host: 127.0.0.1',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function responseIn(response: Buffer): JsonObject {
  const review = JSON.parse(bodyIn(response)) as Json;
  const found = isJsonObject(review) ? getOwn(review, 'response') : undefined;
  assert(isJsonObject(found), JSON.stringify(review));
  return found;
}

function expectDecision(write: Write, response: JsonObject): void {
  assert.equal(allowed(response), write.allowed, `${write.name}: ${JSON.stringify(response)}`);
}

function allowed(response: JsonObject): boolean {
  return getOwn(response, 'allowed') === true;
}
