import { expect, test } from 'vitest';
import { createOpenDrifts } from './open-drifts.ts';

const drift = (id: string) => ({ report: { spec: { id } }, receivedAt: '2026-01-01T10:00:00Z' });
const idsIn = (drifts: ReturnType<typeof createOpenDrifts>) =>
  drifts.all().map(({ report }) => report['spec']);

test('the oldest reports make room as soon as there are too many', () => {
  const drifts = createOpenDrifts({ drifts: 2, bytes: 100 });
  for (const id of ['a', 'b', 'a', 'c']) drifts.set(id, drift(id), 1);
  expect(idsIn(drifts)).toEqual([{ id: 'a' }, { id: 'c' }]);
});

test('the oldest reports make room as soon as all together are too large', () => {
  const drifts = createOpenDrifts({ drifts: 10, bytes: 100 });
  for (const id of ['a', 'b', 'c']) drifts.set(id, drift(id), 40);
  expect(idsIn(drifts)).toEqual([{ id: 'b' }, { id: 'c' }]);
  drifts.delete('b');
  drifts.set('d', drift('d'), 60);
  expect(idsIn(drifts)).toEqual([{ id: 'c' }, { id: 'd' }]);
  drifts.set('d', drift('d'), 70);
  expect(idsIn(drifts)).toEqual([{ id: 'd' }]);
  expect(drifts.size).toBe(1);
});
