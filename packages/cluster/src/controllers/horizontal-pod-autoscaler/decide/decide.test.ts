import { type autoscalingv2, type corev1, defined, type Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../autoscaler-settings.ts';
import { decide, type Decision, needsMetrics, type Observed } from './decide.ts';
import { EMPTY, type Memory } from './memory.ts';
import type { Measured } from './propose-replicas.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');
const STARTED = '2026-01-01T00:00:00Z';

const hpaOf = (
  spec: Partial<autoscalingv2.HorizontalPodAutoscalerSpec> = {},
  status?: autoscalingv2.HorizontalPodAutoscalerStatus,
): Stored<autoscalingv2.HorizontalPodAutoscaler> => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { namespace: 'ns', name: 'web', uid: 'h', resourceVersion: '1' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    minReplicas: 2,
    maxReplicas: 6,
    metrics: [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
      },
    ],
    ...spec,
  },
  ...defined({ status }),
});
const scaleOf = (replicas: number, selector = 'app=web') => ({
  specReplicas: replicas,
  statusReplicas: replicas,
  selector,
});
const podOf = (name: string): Stored<corev1.Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'ns', name, uid: name, resourceVersion: '1' },
  spec: { containers: [{ name: 'web', image: 'web', resources: { requests: { cpu: '1' } } }] },
  status: {
    phase: 'Running',
    startTime: STARTED,
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: STARTED }],
  },
});

/** Of so many pods that ask for one CPU, each uses so many percent. */
function using(count: number, percent: number, more: Partial<Measured> = {}): Observed {
  const pods = Array.from({ length: count }, (_, index) => podOf(`web-${index}`));
  const value = { value: percent * 10, timestamp: NOW, windowMs: 60_000 };
  const values = new Map(pods.map(({ metadata }) => [metadata.name, value]));
  return {
    hpa: hpaOf(),
    scale: scaleOf(count),
    measured: { pods, fetched: [{ pods: values }], rivals: [], ...more },
  };
}
const recommended = (replicas: number, secondsAgo: number): Memory => ({
  ...EMPTY,
  recommendations: [{ replicas, at: NOW - secondsAgo * 1000 }],
});

type Row = readonly [string, Observed, Memory, Decision['reason'], string, readonly string[]];
const READY = 'AbleToScale=ReadyForNewScale';
const GOT = 'AbleToScale=SucceededGetScale';
const DONE = 'AbleToScale=SucceededRescale';
const VALID = 'ScalingActive=ValidMetricFound';
const WITHIN = 'ScalingLimited=!DesiredWithinRange';

test.each<Row>([
  ['as busy as it should be', using(3, 50), EMPTY, 'AsDesired', '3', [READY, VALID, WITHIN]],
  ['within the tolerance', using(3, 54), EMPTY, 'AsDesired', '3', [READY, VALID, WITHIN]],
  ['too busy', using(2, 100), EMPTY, 'Rescale', '2 -> 4', [DONE, VALID, WITHIN]],
  [
    'far too busy',
    using(4, 500),
    EMPTY,
    'Rescale',
    '4 -> 6',
    [DONE, VALID, 'ScalingLimited=TooManyReplicas'],
  ],
  [
    'idle, and newly seen',
    using(4, 25),
    EMPTY,
    'AsDesired',
    '4',
    ['AbleToScale=ScaleDownStabilized', VALID, WITHIN],
  ],
  ['idle for long', using(4, 25), recommended(2, 301), 'Rescale', '4 -> 2', [DONE, VALID, WITHIN]],
  [
    'quite idle for long',
    using(4, 1),
    recommended(2, 301),
    'Rescale',
    '4 -> 2',
    [DONE, VALID, 'ScalingLimited=TooFewReplicas'],
  ],
  ['more than the most', { hpa: hpaOf(), scale: scaleOf(9) }, EMPTY, 'Rescale', '9 -> 6', [DONE]],
  ['less than the least', { hpa: hpaOf(), scale: scaleOf(1) }, EMPTY, 'Rescale', '1 -> 2', [DONE]],
  [
    'scaled to nothing by hand',
    { hpa: hpaOf(), scale: scaleOf(0) },
    EMPTY,
    'AsDesired',
    '0',
    [GOT, 'ScalingActive=!ScalingDisabled'],
  ],
  [
    'a target that is gone',
    { hpa: hpaOf(), scale: { error: 'not found' } },
    EMPTY,
    'NoScale',
    '0',
    ['AbleToScale=!FailedGetScale'],
  ],
  [
    'no metrics',
    using(3, 50, { fetched: [{ error: 'no server' }] }),
    EMPTY,
    'NoMetrics',
    '0',
    [GOT, 'ScalingActive=!FailedGetResourceMetric'],
  ],
  [
    'metrics that nobody has fetched',
    using(3, 50, { fetched: [] }),
    EMPTY,
    'NoMetrics',
    '0',
    [GOT, 'ScalingActive=!FailedGetResourceMetric'],
  ],
  [
    'a target without a selector',
    { ...using(3, 50), scale: scaleOf(3, '') },
    EMPTY,
    'NoMetrics',
    '0',
    [GOT, 'ScalingActive=!InvalidSelector'],
  ],
  [
    "pods that are another autoscaler's too",
    using(3, 50, { rivals: ['{a ns}', '{web ns}'] }),
    EMPTY,
    'NoMetrics',
    '0',
    [GOT, 'ScalingActive=!AmbiguousSelector'],
  ],
  [
    'a metric of no known type',
    { ...using(3, 50), hpa: hpaOf({ metrics: [{ type: 'Moon' }] }) },
    EMPTY,
    'NoMetrics',
    '0',
    [GOT, 'ScalingActive=!InvalidMetricSourceType'],
  ],
])('%s', (_title, observed, memory, reason, replicas, conditions) => {
  const decision = decide(observed, memory, { settings: DEFAULT_SETTINGS, now: NOW });
  const { rescale, status } = decision;
  const change = rescale === undefined ? `${status.desiredReplicas}` : `${rescale.from} -> ${rescale.to}`;
  const actual = (status.conditions ?? []).map(
    (one) => `${one.type}=${one.status === 'True' ? '' : '!'}${one.reason}`,
  );
  expect([decision.reason, change, actual.sort()]).toEqual([reason, replicas, conditions]);
});

test('a scale that cannot be written is reported, and the size that is desired stays', () => {
  const status = { desiredReplicas: 2, conditions: [] };
  const observed = { ...using(2, 100), hpa: hpaOf({}, status) };
  const { rescale } = decide(observed, EMPTY, { settings: DEFAULT_SETTINGS, now: NOW });
  expect(rescale?.event.message).toBe(
    'New size: 4; reason: cpu resource utilization (percentage of request) above target',
  );
  const failed = rescale?.failed('denied');
  expect(failed).toMatchObject({
    status: { currentReplicas: 2, desiredReplicas: 2 },
    event: { type: 'Warning', reason: 'FailedRescale' },
  });
  expect(failed?.status.conditions?.[0]).toMatchObject({
    type: 'AbleToScale',
    status: 'False',
    reason: 'FailedUpdateScale',
  });
});

test('the last size is kept in the status where metrics do not say', () => {
  const observed = {
    ...using(3, 50, { fetched: [{ error: 'no server' }] }),
    hpa: hpaOf({}, { desiredReplicas: 3, lastScaleTime: STARTED, conditions: [] }),
  };
  const { status, events } = decide(observed, EMPTY, { settings: DEFAULT_SETTINGS, now: NOW });
  expect(status).toMatchObject({ currentReplicas: 3, desiredReplicas: 3, lastScaleTime: STARTED });
  expect(events.map(({ reason }) => reason)).toEqual([
    'FailedGetResourceMetric',
    'FailedComputeMetricsReplicas',
  ]);
});

test.each<[number, boolean]>([
  [0, false],
  [1, false],
  [2, true],
  [6, true],
  [7, false],
])('of %i replicas, metrics are needed: %s', (current, expected) => {
  expect(needsMetrics(hpaOf(), current)).toBe(expected);
});
