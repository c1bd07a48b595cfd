import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { checkApplied } from '../../packages/operators/src/migration/testing/check-applied.ts';
import type { Applied, OverheardRuntime } from '../../test/shop/overheard-runtime.ts';

export type Messages = {
  readonly published: number;
  readonly applied: number;
  readonly missing: number;
  readonly double: number;
  /** Of what was published and of what the survivor has, of each producer in its order. */
  readonly digestsEqual: boolean;
};

/** Compares what was published with what the pod that survived has in memory. */
export async function compareMessages(
  workers: OverheardRuntime,
  survivor: string,
  published: ReadonlyMap<string, number>,
): Promise<Messages> {
  const applied = await settled(() => workers.appliedBy(survivor));
  const { missing, double } = checkApplied(applied, published);
  return {
    published: [...published.values()].reduce((sum, one) => sum + one, 0),
    applied: applied.length,
    missing: missing.length,
    double: double.length,
    digestsEqual: digestOf(applied) === digestOf(messagesOf(published)),
  };
}

type Numbered = Pick<Applied, 'producer' | 'seq'>;

/** Once nothing more has come for three seconds: the queue is empty, however long it was. */
async function settled(read: () => readonly Applied[]): Promise<readonly Applied[]> {
  for (let before = -1; before < read().length; ) {
    before = read().length;
    await delay(3000);
  }
  return read();
}

function messagesOf(published: ReadonlyMap<string, number>): readonly Numbered[] {
  return [...published].flatMap(([producer, last]) =>
    Array.from({ length: last }, (_, index) => ({ producer, seq: index + 1 })),
  );
}

/** Of the messages of each producer, in their order. */
function digestOf(messages: readonly Numbered[]): string {
  const byProducer = new Map<string, number[]>();
  for (const { producer, seq } of messages) {
    const own = byProducer.get(producer) ?? [];
    own.push(seq);
    byProducer.set(producer, own);
  }
  const sorted = [...byProducer].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}
