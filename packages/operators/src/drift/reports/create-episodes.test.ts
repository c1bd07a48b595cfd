import type { KubeObject } from '@kubewright/kube';
import { beforeEach, expect, test } from 'vitest';
import { ANNOTATIONS, type Mode } from '../api.ts';
import { decideAdmission } from '../decide/decide-admission.ts';
import type { Review } from '../decide/review.ts';
import { approvals, child, create, CTL, NOW, remove, resized, site, update } from '../testing/objects.ts';
import { createEpisodes, type Episode, type Episodes, QUIET_MS } from './create-episodes.ts';
import type { DriftReport } from './drift-report.ts';

let now: number;
let sent: DriftReport[];
let stored: readonly Episode[];
let episodes: Episodes;

/** Another process, with what the one before has stored. */
function restart(): void {
  episodes = createEpisodes({
    now: () => now,
    emit: (report) => void sent.push(report),
    save: (list) => (stored = JSON.parse(JSON.stringify(list)) as readonly Episode[]),
    stored,
  });
}

beforeEach(() => {
  [now, sent, stored] = [NOW.getTime(), [], []];
  restart();
});

function write(review: Review, parent: KubeObject | undefined = site(), mode: Mode = 'enforce'): void {
  const facts = { parent, mode, isEnding: false };
  const decision = decideAdmission(review, facts, new Date(now));
  const request = {
    uid: 'u-1',
    userInfo: { username: review.user, groups: ['system:serviceaccounts'] },
    options: { fieldManager: 'ctl' },
  };
  episodes.decided({ request: request as never, review, facts, decision });
}

const phases = (): readonly string[] =>
  sent.map(({ spec: { phase, resolution } }) => [phase, resolution].filter(Boolean).join(' '));
const ids = (): ReadonlySet<string> => new Set(sent.map(({ spec }) => spec.id));

test('DRF-69 a drift that is tried again is reported once, and again after it was resolved', () => {
  write(update(child()));
  write(update(child()));
  write(update(child()), site({ annotations: approvals({ mode: 'always' }) }));
  write(update(child()));
  expect(phases()).toEqual(['Detected', 'Resolved Approved', 'Detected']);
  expect(ids().size).toBe(1);
});

test('DRF-47 DRF-48 drift is reported whether it is denied or let through', () => {
  write(update(child()), site(), 'log');
  write(update(child({ metadata: { name: 'denied' } })), site(), 'enforce');
  expect(phases()).toEqual(['Detected', 'Detected']);
  expect(sent.map(({ spec }) => spec.child['name'])).toEqual(['web', 'denied']);
});

test('DRF-69 another change of the same child is an update under the same identity', () => {
  write(update(child()));
  write(update(child(), { object: resized(child(), 7) }));
  write(update(child(), { object: resized(child(), 7) }));
  write(
    update(child(), { object: resized(child(), 7) }),
    site({ annotations: approvals({ mode: 'always' }) }),
  );
  expect(phases()).toEqual(['Detected', 'Updated', 'Resolved Approved']);
  expect(ids().size).toBe(1);
  expect(sent[1]?.spec['newObject']).toMatchObject({ spec: { replicas: 7 } });
});

test('DRF-70 it is resolved when the parent changes', () => {
  write(update(child()));
  episodes.parentSeen(site());
  expect(phases()).toEqual(['Detected']);
  episodes.parentSeen(site({ metadata: { generation: 4 } }));
  expect(phases()).toEqual(['Detected', 'Resolved ParentChanged']);
  expect(ids().size).toBe(1);
});

test('DRF-70 annotations raise the generation of a Deployment, and resolve nothing', () => {
  const deployment = (generation: number, trace: string): KubeObject => ({
    ...site({ metadata: { generation }, annotations: { [ANNOTATIONS.trace]: trace } }),
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    status: {
      observedGeneration: generation,
      replicas: 1,
      updatedReplicas: 1,
      conditions: [{ type: 'Available', status: 'True' }],
    },
  });
  write(update(child()), deployment(3, '[]'));
  episodes.parentSeen(deployment(4, '[]'));
  expect(phases()).toEqual(['Detected']);
  episodes.parentSeen(deployment(5, '[{}]'));
  expect(phases()).toEqual(['Detected', 'Resolved ParentChanged']);
});

test('DRF-70 it is resolved when the child is deleted, also after its parent', () => {
  write(update(child()));
  write(remove(child(), 'alice'));
  write(update(child()));
  write(remove(child(), 'system:serviceaccount:kube-system:generic-garbage-collector'), undefined);
  expect(phases()).toEqual(['Detected', 'Resolved Deleted', 'Detected', 'Resolved Deleted']);
});

test('DRF-70 it is resolved when it is not tried again, and not while it is', () => {
  write(update(child()));
  now += QUIET_MS - 1000;
  write(update(child()));
  now += QUIET_MS - 1000;
  episodes.expire();
  expect(phases()).toEqual(['Detected']);
  now += 1000;
  episodes.expire();
  expect(phases()).toEqual(['Detected', 'Resolved NotRepeated']);
});

test('DRF-58 a snoozed drift is not reported, and not taken for over', () => {
  const snoozed = site({ annotations: { [ANNOTATIONS.snooze]: '2027-01-01T00:00:00Z' } });
  write(update(child()), snoozed);
  expect(phases()).toEqual([]);
  write(update(child()));
  now += QUIET_MS - 1000;
  write(update(child()), snoozed);
  now += QUIET_MS - 1000;
  episodes.expire();
  expect(phases()).toEqual(['Detected']);
});

test('DRF-72 the report of a deletion has the deleted object', () => {
  write(remove(child()));
  expect(sent[0]?.spec).toMatchObject({
    phase: 'Detected',
    oldObject: { kind: 'ReplicaSet', spec: { replicas: 3 } },
    newObject: null,
    request: { operation: 'DELETE', user: CTL },
  });
});

test('DRF-70 after a restart it is resolved under the identity that it had', () => {
  write(create(child()));
  restart();
  write(create(child()));
  episodes.parentSeen(site({ metadata: { generation: 4 } }));
  expect(phases()).toEqual(['Detected', 'Resolved ParentChanged']);
  expect(ids().size).toBe(1);
  expect(stored).toEqual([]);
});

test('a brake is reported when it freezes, and resolved when somebody has ended the freeze', () => {
  const parent = site({ annotations: { [ANNOTATIONS.freeze]: '{"message":"too many"}' } });
  const review = update(child());
  const facts = { parent, mode: 'enforce', isEnding: false } as const;
  const place = { apiVersion: 'example.com/v1', kind: 'Site', namespace: 'shop', name: 'web' };
  const brake = {
    counted: 'drifts',
    limit: 2,
    window: '10m',
    origin: { ...place, user: 'alice' },
    tree: [place],
  } as const;
  const decision = { ...decideAdmission(review, facts, NOW), brake };
  const request = { uid: 'u-1', userInfo: { username: CTL, groups: [] } };
  episodes.decided({ request: request as never, review, facts, decision });
  expect(sent[0]?.spec.brake).toEqual({
    counted: 'drifts',
    limit: 2,
    window: '10m',
    origin: { ...place, user: 'alice' },
    frozen: [place],
  });
  // A cache that is behind shows the parent as it was before.
  episodes.parentSeen(site());
  episodes.parentSeen(parent);
  now += QUIET_MS;
  episodes.expire();
  expect(phases()).toEqual(['Detected']);
  episodes.parentSeen(site());
  expect(phases()).toEqual(['Detected', 'Resolved Unfrozen']);
  expect(ids().size).toBe(1);
});
