import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { corev1 } from '@kubewright/kube';
import { NAMESPACE, type Shop } from './with-shop.ts';

export type Applied = { readonly producer: string; readonly seq: number };

/** What all pods of an application have printed: consumers print each message that they restore or apply. */
export type Followed = {
  /** What a pod has in memory, in its order. */
  of(uid: string): readonly Applied[];
  /** When each message was applied first, by whomever: Unix milliseconds, in their order. */
  firsts(): readonly number[];
  stop(): Promise<void>;
};

const LOOK_MS = 100;

/** Reads the logs of all pods with these labels, those that come too. */
export function followPods({ client, cluster }: Shop, labelSelector: string): Followed {
  const stop = new AbortController();
  const byPod = new Map<string, Applied[]>();
  const firsts = new Map<string, number>();
  const reads: Promise<void>[] = [];
  const read = async (name: string, applied: Applied[]): Promise<void> => {
    const path = `/api/v1/namespaces/${NAMESPACE}/pods/${name}/log?follow=true&timestamps=true`;
    const { signal } = stop;
    const { body } = await cluster.transport().request({ method: 'GET', path, headers: {}, signal });
    for await (const line of createInterface({ input: Readable.from(body) })) {
      const [time, text] = split(line);
      const message = JSON.parse(text) as Applied;
      applied.push(message);
      const key = `${message.producer} ${message.seq}`;
      if (!firsts.has(key)) firsts.set(key, Date.parse(time));
    }
  };
  const look = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const { items } = await client.list(corev1.pods, { namespace: NAMESPACE, labelSelector });
      for (const { metadata, status } of items) {
        if (byPod.has(metadata.uid) || status?.phase !== 'Running') continue;
        const applied: Applied[] = [];
        byPod.set(metadata.uid, applied);
        reads.push(read(metadata.name, applied).catch(() => undefined));
      }
      await delay(LOOK_MS);
    }
  };
  const looking = look();
  return {
    of: (uid) => byPod.get(uid) ?? [],
    firsts: () => [...firsts.values()].toSorted((a, b) => a - b),
    async stop() {
      stop.abort();
      await looking;
      await Promise.all(reads);
    },
  };
}

function split(line: string): readonly [string, string] {
  const at = line.indexOf(' ');
  return [line.slice(0, at), line.slice(at + 1)];
}

/** The longest time without a message that nobody had applied before. */
export function longestPause(firsts: readonly number[], from: number, to: number): number {
  const times = firsts.filter((time) => time >= from && time <= to);
  const gaps = [...times, to].map((time, index) => time - (times[index - 1] ?? from));
  return Math.max(0, ...gaps) / 1000;
}
