import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Transport } from '@kubewright/kube';
import type { Applied } from '../../packages/operators/src/migration/testing/check-applied.ts';
import { textOf } from './text-of.ts';

/** What the process of a consumer has in memory. */
export type ConsumerProcess = {
  /** Random at its start. */
  readonly bootId: string;
  /** Of 16 MiB that were random at its start. */
  readonly checksum: string;
  readonly applied: readonly Applied[];
};

/** Reads it from the consumer's port 8080. */
export async function processOf(
  transport: Transport,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<ConsumerProcess> {
  const path = `/api/v1/namespaces/${namespace}/pods/${name}:8080/proxy/`;
  for (let attempt = 1; ; attempt++) {
    const { status, body } = await transport.request({ method: 'GET', path, headers: {} });
    const text = await textOf(body);
    if (status === 200) return JSON.parse(text) as ConsumerProcess;
    // A container runs before its process listens.
    assert(attempt < 100, `pod ${name}: ${status} ${text}`);
    await delay(100);
  }
}
