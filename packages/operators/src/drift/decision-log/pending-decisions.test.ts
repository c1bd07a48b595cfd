import { defined } from '@kubewright/kube';
import type { AdmissionRequest } from '@kubewright/runtime';
import { describe, expect, test } from 'vitest';
import { acceptedBy } from '../decide/accepted-by.ts';
import { decideAdmission } from '../decide/decide-admission.ts';
import { child, NOW, site, update } from '../testing/objects.ts';
import { createPendingDecisions, type Pending, type PendingDecisions } from './pending-decisions.ts';

const parent = site({});
let time = 0;
const clock = { now: () => NOW.getTime(), monotonic: () => time };

function start() {
  const keys: string[] = [];
  const all = createPendingDecisions({ clock, limit: 50, onNews: ({ name }) => keys.push(name) });
  const decided = (spec: object, owner = parent): void => {
    const review = update(child(), { object: child({ spec }) });
    const facts = { parent: owner, mode: 'enforce', isEnding: false } as const;
    const decision = decideAdmission(review, facts, NOW);
    const accepted = acceptedBy(review, facts, decision);
    all.decided({ request: {} as AdmissionRequest, review, facts, decision, ...defined({ accepted }) });
  };
  const news = (): number => keys.splice(0).length;
  decided({ replicas: 5 });
  const [key = ''] = keys;
  return { all, key, decided, news };
}

function pendingOf(all: PendingDecisions, key: string): Pending {
  const found = all.of(key);
  if (found === undefined) throw new TypeError('nothing is pending');
  return found;
}

const counted = (all: PendingDecisions, key: string) =>
  all.of(key)?.decisions.map(({ fields, times }) => [fields, times]);

describe('decisions that a log does not have yet', () => {
  test('equal ones are one, with their count, and nothing is left of what was written', () => {
    const { all, key, decided } = start();
    decided({ replicas: 5 });
    expect(counted(all, key)).toEqual([[['spec.replicas'], 2]]);
    all.drop(key, pendingOf(all, key));
    expect(all.of(key)).toBeUndefined();
  });

  test('what is decided while the log is being written stays, and nothing else', () => {
    const { all, key, decided } = start();
    const written = pendingOf(all, key);
    decided({ replicas: 5, color: 'red' });
    all.drop(key, written);
    expect(counted(all, key)).toEqual([[['spec.replicas', 'spec.color'], 1]]);
  });

  test('the same decided again while the log is being written counts once more', () => {
    const { all, key, decided } = start();
    const written = pendingOf(all, key);
    time = 3000;
    decided({ replicas: 5 });
    all.drop(key, written);
    expect(counted(all, key)).toEqual([[['spec.replicas'], 1]]);
    expect(all.of(key)?.since).toBe(3000);
  });

  test('the log is looked at when a batch begins, and when it has to be written sooner, not at each decision', () => {
    const { all, key, decided, news } = start();
    expect(news()).toBe(1);
    decided({ replicas: 6 });
    expect(news()).toBe(0);
    all.drop(key, pendingOf(all, key));
    // A rollout: the first content is news, and what follows of the same child is not.
    const changed = site({ metadata: { uid: 'p-1', name: 'web', namespace: 'shop', generation: 4 } });
    decided({ replicas: 7 }, changed);
    expect([news(), pendingOf(all, key).isRoutine]).toEqual([1, true]);
    for (let replicas = 8; replicas < 30; replicas++) decided({ replicas }, changed);
    expect([news(), pendingOf(all, key).isRoutine]).toEqual([0, true]);
    decided({ replicas: 7 });
    expect([news(), pendingOf(all, key).isRoutine]).toEqual([1, false]);
  });

  test('retries of a denied controller are bounded in memory, and counted', () => {
    const { all, key, decided } = start();
    for (let time = 1; time < 1000; time++) decided({ replicas: 5 });
    expect(counted(all, key)).toEqual([[['spec.replicas'], 1000]]);
  });

  test('of more different ones than a log keeps, the oldest go, and one that comes again is the latest', () => {
    const { all, key, decided } = start();
    for (let replicas = 100; replicas < 150; replicas++) decided({ [`field${replicas}`]: replicas });
    decided({ field100: 100 });
    const kept = counted(all, key) ?? [];
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([
      50,
      [['spec.replicas', 'spec.field101'], 1],
      [['spec.replicas', 'spec.field100'], 2],
    ]);
  });

  test('what was written is dropped once', () => {
    const { all, key, decided } = start();
    const written = pendingOf(all, key);
    all.drop(key, written);
    decided({ replicas: 5 });
    all.drop(key, written);
    expect(counted(all, key)).toEqual([[['spec.replicas'], 1]]);
  });
});
