import type { JsonObject, KubeObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { columnsFor } from './columns-for.ts';
import { humanDuration } from './human-duration.ts';
import { printerColumns } from './printer-columns.ts';

const NOW = new Date('2026-01-02T00:00:00Z');
const created = '2026-01-01T20:00:00Z';

/** The cells of one row; those of `-o wide` too where asked for. */
function row(group: string, body: JsonObject, wide = false): unknown[] {
  const object = {
    apiVersion: 'v1',
    metadata: { name: 'x', creationTimestamp: created },
    ...body,
  } as KubeObject;
  return columnsFor(group, object.kind)
    .filter((column) => wide || column.priority === 0)
    .map((column) => column.value(object, NOW));
}

describe('ages', () => {
  const s = 1000;
  const h = 3600 * s;
  test.each([
    [-3 * s, '<invalid>'],
    [-1 * s, '0s'],
    [119 * s, '119s'],
    [125 * s, '2m5s'],
    [180 * s, '3m'],
    [11 * 60 * s + 5 * s, '11m'],
    [3 * h, '3h'],
    [3 * h + 60 * s, '3h1m'],
    [9 * h, '9h'],
    [49 * h, '2d1h'],
    [9 * 24 * h, '9d'],
    [800 * 24 * h, '2y70d'],
    [9 * 365 * 24 * h, '9y'],
  ])('%i ms reads %s', (milliseconds, text) => {
    expect(humanDuration(milliseconds)).toBe(text);
  });
});

describe('kubectl get', () => {
  test('a Deployment shows ready of desired, and its selector with -o wide', () => {
    const deployment = {
      kind: 'Deployment',
      spec: {
        replicas: 3,
        selector: {
          matchLabels: { app: 's' },
          matchExpressions: [
            { key: 'tier', operator: 'In', values: ['b', 'a'] },
            { key: 'old', operator: 'DoesNotExist' },
          ],
        },
        template: {
          spec: {
            containers: [
              { name: 'c', image: 'i:2' },
              { name: 'd', image: 'j' },
            ],
          },
        },
      },
      status: { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 },
    };
    expect(row('apps', deployment, true)).toEqual([
      'x',
      '1/3',
      2,
      1,
      '4h',
      'c,d',
      'i:2,j',
      'app=s,!old,tier in (a,b)',
    ]);
  });

  test('a Service shows ports with node ports, and waits for a load balancer', () => {
    const ports = [
      { port: 80, protocol: 'TCP', nodePort: 30080 },
      { port: 53, protocol: 'UDP' },
    ];
    const spec = { type: 'LoadBalancer', clusterIPs: ['10.0.0.7'], ports };
    expect(row('', { kind: 'Service', spec })).toEqual([
      'x',
      'LoadBalancer',
      '10.0.0.7',
      '<pending>',
      '80:30080/TCP,53/UDP',
      '4h',
    ]);
  });

  test('an event of either API shows the same', () => {
    const core = {
      kind: 'Event',
      type: 'Normal',
      reason: 'R',
      message: ' m ',
      involvedObject: { kind: 'Pod', name: 'p' },
    };
    const events = {
      kind: 'Event',
      type: 'Normal',
      reason: 'R',
      note: 'm',
      regarding: { kind: 'Pod', name: 'p' },
    };
    const expected = ['<unknown>', 'Normal', 'R', 'pod/p', 'm'];
    expect(row('', core)).toEqual(expected);
    expect(row('events.k8s.io', events)).toEqual(expected);
  });

  test('a kind without columns of its own shows when it was created', () => {
    expect(row('rbac.authorization.k8s.io', { kind: 'Role' })).toEqual(['x', created]);
  });
});

describe('kubectl get pods', () => {
  const spec = {
    containers: [{ name: 'a' }, { name: 'b' }],
    initContainers: [{ name: 'i' }, { name: 'side', restartPolicy: 'Always' }],
  };
  const running = (name: string): JsonObject => ({
    name,
    ready: true,
    restartCount: 0,
    state: { running: {} },
  });
  const initialized = [{ type: 'Initialized', status: 'True' }];
  const pod = (status: JsonObject, metadata: JsonObject = {}): unknown[] =>
    row('', { kind: 'Pod', metadata: { name: 'x', creationTimestamp: created, ...metadata }, spec, status });

  test('pending before anything runs', () => {
    expect(pod({ phase: 'Pending' })).toEqual(['x', '0/3', 'Pending', '0', '4h']);
  });

  test('the init container that is under way', () => {
    const waiting = { name: 'i', restartCount: 2, state: { waiting: { reason: 'CrashLoopBackOff' } } };
    expect(pod({ phase: 'Pending', initContainerStatuses: [waiting] })).toEqual([
      'x',
      '0/3',
      'Init:CrashLoopBackOff',
      '2',
      '4h',
    ]);
    const busy = { name: 'i', restartCount: 0, state: { running: {} } };
    expect(pod({ phase: 'Pending', initContainerStatuses: [busy] })[2]).toBe('Init:0/2');
  });

  test('running, with a sidecar that counts and a restart that is dated', () => {
    const done = { name: 'i', restartCount: 0, state: { terminated: { exitCode: 0 } } };
    const side = { ...running('side'), started: true };
    const restarted = {
      ...running('a'),
      restartCount: 4,
      lastState: { terminated: { finishedAt: '2026-01-01T23:59:00Z' } },
    };
    const status = {
      phase: 'Running',
      conditions: initialized,
      initContainerStatuses: [done, side],
      containerStatuses: [restarted, running('b')],
    };
    expect(pod(status)).toEqual(['x', '3/3', 'Running', '4 (60s ago)', '4h']);
  });

  test('a container that failed beside one that completed', () => {
    const completed = {
      name: 'a',
      restartCount: 0,
      state: { terminated: { exitCode: 0, reason: 'Completed' } },
    };
    const failed = { name: 'b', restartCount: 0, state: { terminated: { exitCode: 3 } } };
    expect(pod({ phase: 'Failed', containerStatuses: [completed, failed] })[2]).toBe('ExitCode:3');
  });

  test('a deleted pod is terminating until its phase is final', () => {
    const deleted = { deletionTimestamp: created };
    expect(pod({ phase: 'Running' }, deleted)[2]).toBe('Terminating');
    expect(pod({ phase: 'Succeeded' }, deleted)[2]).toBe('Succeeded');
  });
});

describe('columns that a CRD declares', () => {
  const object = {
    apiVersion: 'ex.io/v1',
    kind: 'Widget',
    metadata: { name: 'w', creationTimestamp: created },
    spec: { size: 3, ratio: 1.5, tags: ['a', 'b'], 'x.y': 'dotted', when: 'soon' },
    status: {
      conditions: [
        { type: 'Synced', status: 'False' },
        { type: 'Ready', status: 'True' },
      ],
    },
  } as KubeObject;
  const cell = (type: string, jsonPath: string): unknown =>
    printerColumns([{ name: 'C', type, jsonPath }])[1]?.value(object, NOW);

  test.each([
    ['integer', '.spec.size', 3],
    ['integer', '.spec.ratio', 1],
    ['string', '.spec.size', '3'],
    ['string', '.spec.tags', '["a","b"]'],
    ['string', '.spec.tags[1]', 'b'],
    ['string', '.spec.tags[-1]', 'b'],
    ['string', '.spec.x\\.y', 'dotted'],
    ['string', ".spec['x.y']", 'dotted'],
    ['string', '.status.conditions[?(@.type=="Ready")].status', 'True'],
    ['date', '.metadata.creationTimestamp', '4h'],
    ['date', '.spec.when', '<invalid>'],
    ['integer', '.spec.tags', null],
    ['string', '.spec.none', null],
    ['string', '.spec.constructor', null],
  ])('%s %s shows %j', (type, jsonPath, shown) => {
    expect(cell(type, jsonPath)).toBe(shown);
  });

  test('none declared shows the age', () => {
    expect(printerColumns([]).map((column) => [column.name, column.value(object, NOW)])).toEqual([
      ['Name', 'w'],
      ['Age', '4h'],
    ]);
  });
});
