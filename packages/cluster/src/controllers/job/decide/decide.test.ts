import type { batchv1, corev1, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { jobOf, many, NOW, pod, type Spec } from '../testing/job-cases.ts';
import { NO_FAILURES } from './remaining-back-off.ts';
import { type Circumstances, decide, type JobDecision, type JobStep } from './decide.ts';

type Pod = Stored<corev1.Pod>;

const labels = { job: 'work' };
const matching = { selector: { matchLabels: labels } };
const owner = (uid: string) => [{ apiVersion: 'batch/v1', kind: 'Job', name: 'work', uid, controller: true }];

function owned({ metadata, ...rest }: Pod, more: Partial<Pod['metadata']> = {}): Pod {
  return { ...rest, metadata: { ...metadata, labels, ownerReferences: owner('j'), ...more } };
}
function orphan({ metadata, ...rest }: Pod): Pod {
  return { ...rest, metadata: { ...metadata, labels } };
}

type Row = readonly [string, Spec, batchv1.JobStatus, readonly Pod[], string];

const [running, another, done, failed] = [
  owned(pod('Running')),
  owned(pod('Running')),
  owned(pod('Succeeded', { exit: 0 })),
  owned(pod('Failed')),
];
const counted = owned(pod('Succeeded', { exit: 0, free: true }));
const uids = (...pods: readonly Pod[]): readonly string[] => pods.map(({ metadata }) => metadata.uid);
const recorded: batchv1.JobStatus = { active: 2, ready: 0, terminating: 0, uncountedTerminatedPods: {} };
const ends = (type: string, reason: string): batchv1.JobCondition => ({ type, status: 'True', reason });
const fails = ends('FailureTarget', 'BackoffLimitExceeded');
const met = ends('SuccessCriteriaMet', 'CompletionsReached');
const over: batchv1.JobStatus = { ready: 0, terminating: 0, uncountedTerminatedPods: {} };

test.each<Row>([
  ['a new one', {}, {}, [], 'create 2'],
  ['an orphan that it selects', {}, {}, [orphan(pod('Running'))], 'adopt'],
  ['a pod that it selects no more', {}, {}, [owned(pod('Running'), { labels: {} })], 'release'],
  ["another Job's pod", {}, {}, [owned(pod('Running'), { ownerReferences: owner('x') })], 'create 2'],
  ['pods that are not in the status', {}, {}, [running, another], 'status active=2'],
  ['pods that are in the status', {}, recorded, [running, another], 'nothing'],
  ['one too many', { parallelism: 1 }, recorded, [running, another], 'delete 1'],
  ['a success that is not named', { completions: 1 }, {}, [done], 'status SuccessCriteriaMet uncounted=1'],
  [
    'a success that is named',
    { completions: 1 },
    { ...over, conditions: [met], uncountedTerminatedPods: { succeeded: uids(done) } },
    [done],
    'release 1',
  ],
  [
    'a success that was released',
    { completions: 1 },
    { ...over, conditions: [met], uncountedTerminatedPods: { succeeded: uids(counted) } },
    [counted],
    'status SuccessCriteriaMet Complete succeeded=1',
  ],
  [
    'a failure: the next pod waits',
    { parallelism: 1 },
    {},
    [owned(pod('Failed', { ended: 4 }))],
    'status uncounted=1',
  ],
  [
    'too many failures',
    { backoffLimit: 0 },
    {},
    [failed, running],
    'status FailureTarget active=1 uncounted=1',
  ],
  [
    'that it fails is recorded: its pods are stopped',
    { backoffLimit: 0 },
    { conditions: [fails], uncountedTerminatedPods: { failed: uids(failed) } },
    [failed, running],
    'delete 1',
  ],
  [
    'past its deadline',
    { activeDeadlineSeconds: 50 },
    recorded,
    [running, another],
    'status FailureTarget active=2',
  ],
  ['before its deadline', { activeDeadlineSeconds: 130 }, recorded, [running, another], 'nothing for 30000'],
  ['to be suspended', { suspend: true }, recorded, [running, another], 'delete 2'],
  ['suspended', { suspend: true }, {}, [], 'status Suspended'],
  ['no pods wanted', { completions: 0 }, {}, [], 'status SuccessCriteriaMet'],
])('%s', (_title, spec, status, candidates, expected) => {
  expect(summary(decided(spec, status, candidates))).toBe(expected);
});

test.each<[string, Spec, batchv1.JobStatus, readonly Pod[], Partial<Circumstances>, string]>([
  ['claims', {}, {}, [orphan(pod('Running'))], { tried: new Set(['claim']) }, 'create 2'],
  ['pods that were made', {}, {}, [], { tried: new Set(['create']) }, 'status'],
  [
    'pods that were released and are held',
    { completions: 1 },
    { ...over, conditions: [met], uncountedTerminatedPods: { succeeded: uids(done) } },
    [done],
    { tried: new Set(['release']) },
    'again',
  ],
])('a step is not taken twice in a round: %s', (_title, spec, status, candidates, more, expected) => {
  expect(summary(decided(spec, status, candidates, more))).toBe(expected);
});

test('a status that a webhook undid is written again in another round', () => {
  const first = decided({}, {}, [running, another]);
  const written = first.step?.type === 'status' ? first.step.status : undefined;
  expect(written).toBeDefined();
  expect(summary(decided({}, {}, [running, another], { written }))).toBe('again');
});

test.each<[string, Spec, string]>([
  ['the uid', { completions: 1 }, 'status SuccessCriteriaMet uncounted=1'],
  ['the index', { completions: 1, completionMode: 'Indexed' }, 'status SuccessCriteriaMet succeeded=1'],
])('a pod is held while a webhook undoes the status that names %s', (_title, spec, expected) => {
  const pods = [owned(pod('Succeeded', { exit: 0, index: 0 }))];
  const first = decided(spec, {}, pods);
  expect(summary(first)).toBe(expected);
  const written = first.step?.type === 'status' ? first.step.status : {};
  expect(summary(decided(spec, {}, pods, { written }))).toBe('again');
  expect(summary(decided(spec, written, pods, { written }))).toBe('release 1');
});

test('the next pod after a failure comes when the wait is over', () => {
  const pods = [owned(pod('Failed', { ended: 4 }))];
  const first = decided({ parallelism: 1 }, {}, pods);
  expect(first.failures).toMatchObject({ failures: 1, lastFailure: NOW - 4000 });
  const status = first.step?.type === 'status' ? first.step.status : {};
  const free = pods.map((one) => owned(one, { finalizers: [] }));
  const at = (now: number): string =>
    summary(
      decided({ parallelism: 1 }, { ...status, failed: 1, uncountedTerminatedPods: {} }, free, {
        failures: first.failures,
        now,
      }),
    );
  expect([at(NOW), at(NOW + 6000)]).toEqual(['nothing for 6000', 'create 1']);
});

test('a Job that is being deleted makes no pods and counts those that are over', () => {
  const job = jobOf({ ...matching, parallelism: 2 });
  const deleted = { ...job, metadata: { ...job.metadata, deletionTimestamp: '2026-01-01T00:01:00Z' } };
  const decision = decide({ job: deleted, candidates: [done, orphan(pod('Running'))] }, circumstances({}));
  expect(summary(decision)).toBe('status uncounted=1');
});

test('no more than 500 pods are made or deleted at once', () => {
  const spec = { parallelism: 2_000_000_000, completions: 2_000_000_000 };
  expect(summary(decided(spec, {}, []))).toBe('create 500');
  const pods = many(600, 'Running').map((one) => owned(one));
  expect(summary(decided({ parallelism: 0 }, {}, pods))).toBe('delete 500');
});

function decided(
  spec: Spec,
  status: batchv1.JobStatus,
  candidates: readonly Pod[],
  more: Partial<Circumstances> = {},
): JobDecision {
  return decide({ job: jobOf({ ...matching, ...spec }, status), candidates }, circumstances(more));
}

function circumstances(more: Partial<Circumstances>): Circumstances {
  return { failures: NO_FAILURES, now: NOW, tried: new Set(), ...more };
}

function summary({ step, requeue, requeueAfter }: JobDecision): string {
  if (step !== undefined) return summaryOf(step);
  if (requeue) return 'again';
  return requeueAfter === undefined ? 'nothing' : `nothing for ${requeueAfter}`;
}

function summaryOf(step: JobStep): string {
  if (step.type === 'claim') return step.claims.map(({ type }) => type).join(' ');
  return step.type === 'status' ? statusSummary(step.status) : `${step.type} ${step.pods.length}`;
}

function statusSummary(status: batchv1.JobStatus): string {
  const { conditions = [], active = 0, succeeded = 0, uncountedTerminatedPods: uncounted = {} } = status;
  const named = (uncounted.succeeded ?? []).length + (uncounted.failed ?? []).length;
  const counts = Object.entries({ active, succeeded, uncounted: named }).filter(([, count]) => count > 0);
  const words = [...conditions.map(({ type }) => type), ...counts.map(([name, count]) => `${name}=${count}`)];
  return ['status', ...words].join(' ');
}
