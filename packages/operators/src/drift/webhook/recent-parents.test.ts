import type { Stored } from '@kubewright/kube';
import { beforeEach, expect, test } from 'vitest';
import { createRecentParents, RECENT_MS, type RecentParents } from './recent-parents.ts';

const parent = (resourceVersion: string, uid = 'u-1'): Stored => ({
  apiVersion: 'demo.kubewright.io/v1',
  kind: 'Site',
  metadata: { name: 'web', uid, resourceVersion, creationTimestamp: '2026-01-01T10:00:00Z' },
});

let now: number;
let parents: RecentParents;
beforeEach(() => {
  now = 0;
  parents = createRecentParents(() => now);
});

test('a parent is recent for some seconds after the server reported this version of it', () => {
  expect(parents.isRecent(parent('7'))).toBe(false);
  parents.reported(parent('7'));
  now = RECENT_MS - 1;
  expect(parents.isRecent(parent('7'))).toBe(true);
  now = RECENT_MS;
  expect(parents.isRecent(parent('7'))).toBe(false);
});

test('an older version is not recent, though its report comes later', () => {
  parents.reported(parent('10'));
  parents.reported(parent('9'));
  expect(parents.isRecent(parent('9'))).toBe(false);
  expect(parents.isRecent(parent('10'))).toBe(true);
});

test('what is being written is not recent before the server reports it again', () => {
  parents.reported(parent('7'));
  parents.changing(parent('7'));
  expect(parents.isRecent(parent('7'))).toBe(false);
  parents.reported(parent('8'));
  expect(parents.isRecent(parent('8'))).toBe(true);
});

test('a parent that has its name again is another one', () => {
  parents.reported(parent('7'));
  expect(parents.isRecent(parent('7', 'u-2'))).toBe(false);
});
