import { createManualClock } from '@kubewright/client';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/seeds.ts';
import { WorkQueue } from './work-queue.ts';

type Step =
  | { readonly do: 'add' | 'later' | 'retry'; readonly item: number; readonly priority: number }
  | { readonly do: 'take' | 'done' };

const item = fc.integer({ min: 0, max: 4 });
const priority = fc.integer({ min: -1, max: 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('add' as const, 'later' as const, 'retry' as const), item, priority }),
  fc.record({ do: fc.constantFrom('take' as const, 'done' as const) }),
);

type InGroup = { readonly group: string; readonly item: number };
const keyInGroup = ({ group, item }: InGroup): string => `${group}/${item}`;
const inGroup = fc.record({ group: fc.constantFrom('a', 'b', 'c'), item: fc.integer({ min: 0, max: 9 }) });
const atATime = fc.integer({ min: 1, max: 3 });

describe('whatever is done to a work queue', () => {
  it('no item is with two workers, none waits twice, and none that was asked for is lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const clock = createManualClock();
        const queue = new WorkQueue<number>({ clock, keyOf: String });
        const working: number[] = [];
        const owed = new Set<number>();
        const take = async (): Promise<void> => {
          if (queue.depth === 0) return;
          const taken = (await queue.take()) as number;
          expect(working).not.toContain(taken);
          working.push(taken);
          owed.delete(taken);
        };
        const done = (): void => {
          const finished = working.shift();
          if (finished !== undefined) queue.done(finished);
        };
        const ask = ({ do: how, item, priority }: Extract<Step, { item: number }>): void => {
          owed.add(item);
          if (how === 'add') queue.add(item, priority);
          else if (how === 'later') queue.addAfter(item, 10, priority);
          else queue.addRateLimited(item, priority);
        };
        for (const next of steps) {
          if ('item' in next) ask(next);
          else if (next.do === 'take') await take();
          else done();
          expect(queue.depth).toBeLessThanOrEqual(5);
        }
        while (clock.pending > 0) await clock.advanceToNext();
        while (working.length > 0 || queue.depth > 0) {
          done();
          await take();
        }
        expect(owed).toEqual(new Set());
      }),
      { numRuns: runs(200) },
    );
  });

  it('no group has more items with workers than it may, none is held up by others, and none is lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(inGroup, { maxLength: 40 }), atATime, async (items, maxConcurrent) => {
        const groups = { of: ({ group }: InGroup) => group, maxConcurrent };
        const queue = new WorkQueue<InGroup>({ clock: createManualClock(), keyOf: keyInGroup, groups });
        const working: InGroup[] = [];
        const busy = (name: string): number => working.filter(({ group }) => group === name).length;
        const work = async (): Promise<void> => {
          for (;;) {
            const taken = await queue.take();
            if (taken === undefined) return;
            working.push(taken);
            expect(busy(taken.group)).toBeLessThanOrEqual(maxConcurrent);
          }
        };
        const workers = Array.from({ length: 40 }, work);
        const owed = new Map(items.map((one) => [keyInGroup(one), one]));
        for (const one of items) queue.add(one);
        while (owed.size > 0) {
          await Promise.all(Array.from({ length: 40 }, () => Promise.resolve()));
          for (const { group } of owed.values()) expect(busy(group)).toBeGreaterThan(0);
          const finished = working.shift() as InGroup;
          owed.delete(keyInGroup(finished));
          queue.done(finished);
        }
        queue.shutDown();
        await Promise.all(workers);
      }),
      { numRuns: runs(200) },
    );
  });
});
