import { expect, test } from 'vitest';
import { ANNOTATIONS, type Approval } from '../api.ts';
import { approvals, NOW, site } from '../testing/objects.ts';
import { signedApprovals } from './signed-approvals.ts';

const LATER = new Date(NOW.getTime() + 3_600_000);
const text = (...list: readonly object[]): string => approvals(...list)[ANNOTATIONS.approvals] ?? '';
/** What is stored where `user` writes a text over another. */
const write = (sent: string, old: string | undefined, user: string, now = NOW): string =>
  signedApprovals(sent, old, { user, now, object: site(), generations: [3] });
const read = (stored: string): readonly Approval[] => JSON.parse(stored) as readonly Approval[];

const FOR_NOW = { mode: 'generation', generation: 3, reason: 'in Git' };
const ALWAYS = { mode: 'always' };

test('a manifest that is applied again changes nothing in the approvals that are stored', () => {
  const sent = text(FOR_NOW, ALWAYS);
  const stored = write(sent, undefined, 'alice');
  expect(read(stored)).toMatchObject([
    { by: 'alice', specHash: expect.any(String) as string },
    { by: 'alice' },
  ]);
  expect(write(sent, stored, 'flux', LATER)).toBe(stored);
  const spaced = JSON.stringify(JSON.parse(stored), undefined, 2);
  expect(write(sent, spaced, 'flux', LATER)).toBe(spaced);
});

test('neither does one that names somebody, or a time', () => {
  const sent = text({ ...ALWAYS, by: 'alice', at: '2026-01-01T09:00:00Z' });
  const stored = write(sent, undefined, 'flux');
  expect(read(stored)).toMatchObject([{ by: 'flux', at: '2026-01-01T09:00:00Z' }]);
  expect(write(sent, stored, 'bob', LATER)).toBe(stored);
});

test('only what is new or changed in a manifest is signed by whoever applies it', () => {
  const stored = write(text(FOR_NOW, ALWAYS), undefined, 'alice');
  const next = write(text(ALWAYS, { ...FOR_NOW, reason: 'another' }, { name: 'db' }), stored, 'bob', LATER);
  expect(read(next)).toMatchObject([
    { ...ALWAYS, by: 'alice', at: '2026-01-01T10:00:00Z' },
    { reason: 'another', by: 'bob', at: '2026-01-01T11:00:00Z' },
    { name: 'db', by: 'bob' },
  ]);
});

test('an approval that is reserved stays reserved, and a second one like it is another', () => {
  const reservedFor = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'c-1' };
  const [stored] = read(write(text({ generation: 3 }), undefined, 'alice'));
  const old = JSON.stringify([{ ...stored, reservedFor }]);
  expect(write(text({ generation: 3 }), old, 'flux', LATER)).toBe(old);
  const both = read(write(text({ generation: 3 }, { generation: 3 }), old, 'flux', LATER));
  expect(both).toMatchObject([{ by: 'alice', reservedFor }, { by: 'flux' }]);
  expect(both[1]).not.toHaveProperty('reservedFor');
});

test('what is stored counts once: sent as it is, and once more without a signature, there are two', () => {
  const stored = write(text(ALWAYS), undefined, 'alice');
  const sent = JSON.stringify([...read(stored), ...read(text(ALWAYS))]);
  expect(read(write(sent, stored, 'bob', LATER))).toMatchObject([{ by: 'alice' }, { by: 'bob' }]);
});

test('with another time, an approval is another one', () => {
  const stored = write(text({ generation: 3 }), undefined, 'alice');
  const [next] = read(write(text({ generation: 3, at: '2026-01-01T11:00:00Z' }), stored, 'alice', LATER));
  expect(next).toMatchObject({ at: '2026-01-01T11:00:00Z' });
});
