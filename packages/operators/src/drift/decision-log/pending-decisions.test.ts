import type { AdmissionRequest } from '@kubewright/runtime';
import { describe, expect, test } from 'vitest';
import { decideAdmission } from '../decide/decide-admission.ts';
import { child, NOW, site, update } from '../testing/objects.ts';
import { createPendingDecisions, type Pending, type PendingDecisions } from './pending-decisions.ts';

const parent = site({});
let time = 0;
const clock = { now: () => NOW.getTime(), monotonic: () => time };

function start() {
  const keys = new Set<string>();
  const all = createPendingDecisions({ clock, limit: 50, onNews: ({ name }) => keys.add(name) });
  const decided = (spec: object): void => {
    const review = update(child(), { object: child({ spec }) });
    const facts = { parent, mode: 'enforce', isEnding: false } as const;
    const decision = decideAdmission(review, facts, NOW);
    all.decided({ request: {} as AdmissionRequest, review, facts, decision });
  };
  decided({ replicas: 5 });
  const [key = ''] = keys;
  return { all, key, decided };
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

  test('what was written is dropped once', () => {
    const { all, key, decided } = start();
    const written = pendingOf(all, key);
    all.drop(key, written);
    decided({ replicas: 5 });
    all.drop(key, written);
    expect(counted(all, key)).toEqual([[['spec.replicas'], 1]]);
  });
});
