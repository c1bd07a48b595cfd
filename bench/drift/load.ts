import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:https';
import { json } from 'node:stream/consumers';
import { getOwn, isJsonObject, type JsonObject } from '@kubewright/kube';
import type { Write } from './writes.ts';

/** Where a webhook is served, and the CA of its certificate. */
export type Target = { readonly port: number; readonly ca: string };

export type Round = {
  /** Milliseconds of each request. */
  readonly took: readonly number[];
  readonly seconds: number;
  /** All requests, with those that opened the connections. */
  readonly sent: number;
};

/** Sends each write `times` times, so many at a time on as many connections; by HTTP/1.1, as kube-apiserver does. */
export async function play(
  target: Target,
  writes: readonly Write[],
  { concurrency, times }: { readonly concurrency: number; readonly times: number },
): Promise<Round> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency, ca: target.ca });
  const took: number[] = [];
  const queue = Array.from({ length: times }, () => writes).flat();
  const total = queue.length;
  const lane = async (): Promise<void> => {
    for (let write = queue.pop(); write !== undefined; write = queue.pop()) {
      const body = bodyOf(write);
      const began = performance.now();
      const response = await review(target, agent, body);
      took.push(performance.now() - began);
      assert.equal(allowed(response), write.allowed, `${write.name}: ${JSON.stringify(response)}`);
    }
  };
  try {
    const firsts = Array.from({ length: concurrency }, () => writes[0]).filter((one) => one !== undefined);
    await Promise.all(firsts.map((write) => review(target, agent, bodyOf(write))));
    const began = performance.now();
    await Promise.all(Array.from({ length: concurrency }, lane));
    return { took, seconds: (performance.now() - began) / 1000, sent: total + concurrency };
  } finally {
    agent.destroy();
  }
}

/** Whether a webhook that has just been started decides on a write as it should. */
export async function decides(target: Target, write: Write): Promise<boolean> {
  const agent = new Agent({ ca: target.ca });
  try {
    return allowed(await review(target, agent, bodyOf(write))) === write.allowed;
  } catch {
    return false;
  } finally {
    agent.destroy();
  }
}

function bodyOf({ request: about }: Write): string {
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
  return JSON.stringify({ ...review, request: { uid: randomUUID(), ...about } });
}

function allowed(response: JsonObject): boolean {
  return getOwn(response, 'allowed') === true;
}

function review({ port }: Target, agent: Agent, body: string): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const options = { agent, host: '127.0.0.1', port, path: '/mutate', method: 'POST', headers };
    const call = request(options, (answer) => {
      json(answer).then((review) => {
        const response = getOwn(review as JsonObject, 'response');
        if (isJsonObject(response)) resolve(response);
        else reject(new assert.AssertionError({ message: JSON.stringify(review) }));
      }, reject);
    });
    call.on('error', reject);
    call.end(body);
  });
}
