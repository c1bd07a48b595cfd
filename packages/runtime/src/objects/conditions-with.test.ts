import { createManualClock } from '@kubewright/client';
import { expect, it } from 'vitest';
import { conditionsWith } from './conditions-with.ts';

const ready = { type: 'Ready', status: 'True', reason: 'Up', message: '' } as const;
const object = (
  generation: number,
  conditions = conditionsWith({ clock: createManualClock(0) }, bare, ready),
) => ({
  ...bare,
  metadata: { ...bare.metadata, generation },
  status: { conditions },
});
const bare = { apiVersion: 'example.com/v1', kind: 'Site', metadata: { name: 'a', generation: 1 } };

it('speaks of the present generation, and moves the time only with the status', () => {
  const first = object(1);
  expect(first.status.conditions).toEqual([
    { ...ready, observedGeneration: 1, lastTransitionTime: '1970-01-01T00:00:00Z' },
  ]);
  const later = { clock: createManualClock(60_000) };
  expect(conditionsWith(later, first, ready)).toBe(first.status.conditions);
  expect(conditionsWith(later, object(2), ready)).toEqual([
    { ...ready, observedGeneration: 2, lastTransitionTime: '1970-01-01T00:00:00Z' },
  ]);
  const two = conditionsWith(later, first, { ...ready, status: 'False' }, { ...ready, type: 'Synced' });
  expect(two.map(({ type, status, lastTransitionTime }) => [type, status, lastTransitionTime])).toEqual([
    ['Ready', 'False', '1970-01-01T00:01:00Z'],
    ['Synced', 'True', '1970-01-01T00:01:00Z'],
  ]);
});
