import { describe, expect, test } from 'vitest';
import { sanitise } from './sanitise.ts';

const object = (apiVersion: string, kind: string, spec: object, metadata: object = {}) => ({
  apiVersion,
  kind,
  metadata: { name: 'a', ...metadata },
  spec: JSON.parse(JSON.stringify(spec)),
});

describe('the sanitised form of a captured object', () => {
  test('has nothing that the API server, a controller or kubectl has set', () => {
    const annotations = {
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      'deployment.kubernetes.io/revision': '3',
      mine: 'stays',
    };
    const stored = {
      ...object('apps/v1', 'Deployment', { replicas: 2 }),
      metadata: {
        name: 'a',
        namespace: 'shop',
        uid: 'u',
        resourceVersion: '7',
        generation: 2,
        creationTimestamp: '2026-01-01T00:00:00Z',
        managedFields: [],
        ownerReferences: [],
        labels: { app: 'a' },
        finalizers: ['example.com/hold'],
        annotations,
      },
      status: { replicas: 2 },
    };
    expect(sanitise(stored)).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: {
        name: 'a',
        namespace: 'shop',
        labels: { app: 'a' },
        finalizers: ['example.com/hold'],
        annotations: { mine: 'stays' },
      },
      spec: { replicas: 2 },
    });
  });

  test.each([
    [
      'v1',
      'Service',
      {
        clusterIP: '10.0.0.7',
        clusterIPs: ['10.0.0.7'],
        ipFamilies: ['IPv4'],
        ports: [{ port: 80, nodePort: 31_000 }],
      },
      { ports: [{ port: 80 }] },
    ],
    [
      'v1',
      'Service',
      { clusterIP: 'None', clusterIPs: ['None'], ports: [] },
      { clusterIP: 'None', ports: [] },
    ],
    [
      'v1',
      'Service',
      {
        clusterIPs: ['10.0.0.7', 'fd00::7'],
        ipFamilyPolicy: 'PreferDualStack',
        ipFamilies: ['IPv6', 'IPv4'],
        loadBalancerIP: '192.0.2.7',
      },
      { ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv6', 'IPv4'], loadBalancerIP: '192.0.2.7' },
    ],
    [
      'v1',
      'Pod',
      {
        priorityClassName: 'high',
        priority: 1000,
        preemptionPolicy: 'PreemptLowerPriority',
        ephemeralContainers: [{ name: 'debug' }],
        containers: [],
      },
      { priorityClassName: 'high', containers: [] },
    ],
    [
      'v1',
      'PersistentVolumeClaim',
      { volumeName: 'pv', dataSource: { kind: 'X' }, storageClassName: 's' },
      { storageClassName: 's' },
    ],
    [
      'v1',
      'Pod',
      {
        nodeName: 'n',
        volumes: [{ name: 'kube-api-access-x7k2p' }, { name: 'data' }],
        containers: [{ name: 'c', volumeMounts: [{ name: 'kube-api-access-x7k2p' }, { name: 'data' }] }],
      },
      { volumes: [{ name: 'data' }], containers: [{ name: 'c', volumeMounts: [{ name: 'data' }] }] },
    ],
    [
      'batch/v1',
      'Job',
      {
        selector: { matchLabels: { 'controller-uid': 'u' } },
        template: { metadata: { labels: { 'controller-uid': 'u', 'job-name': 'a', app: 'a' } } },
      },
      { template: { metadata: { labels: { app: 'a' } } } },
    ],
    [
      'batch/v1',
      'Job',
      { manualSelector: true, selector: { matchLabels: { a: 'b' } } },
      { manualSelector: true, selector: { matchLabels: { a: 'b' } } },
    ],
    ['example.com/v1', 'Service', { clusterIP: '10.0.0.7' }, { clusterIP: '10.0.0.7' }],
  ])(
    'CAP-133 CAP-134 %s %s: what ties it to this cluster goes, and what was chosen stays',
    (apiVersion, kind, spec, expected) => {
      expect(sanitise(object(apiVersion, kind, spec))['spec']).toEqual(expected);
    },
  );

  test('CAP-134 CAP-171 finalizers of claims and Services go, of others those that the controllers of Kubernetes add', () => {
    const finalizers = ['kubernetes.io/pvc-protection', 'foregroundDeletion', 'example.com/hold', 7];
    const ofKind = (kind: string) => sanitise(object('v1', kind, {}, { finalizers }))['metadata'];
    expect(ofKind('PersistentVolumeClaim')).toEqual({ name: 'a' });
    expect(ofKind('Service')).toEqual({ name: 'a' });
    expect(ofKind('ConfigMap')).toEqual({ name: 'a', finalizers: ['example.com/hold', 7] });
  });

  test('CAP-171 labels of the old pods go from a Job, unless its author selects pods by them', () => {
    const labels = { 'controller-uid': 'u', 'job-name': 'a', app: 'a' };
    const labelled = (spec: object) => sanitise(object('batch/v1', 'Job', spec, { labels }))['metadata'];
    expect(labelled({})).toEqual({ name: 'a', labels: { app: 'a' } });
    expect(labelled({ manualSelector: true })).toEqual({ name: 'a', labels });
  });

  test('CAP-135 what drift has recorded goes, and what people have decided stays', () => {
    const annotations = {
      'kausality.io/trace': '[]',
      'kausality.io/phase': 'Ready',
      'kausality.io/freeze': 'true',
    };
    expect(sanitise(object('v1', 'ConfigMap', {}, { annotations }))['metadata']).toEqual({
      name: 'a',
      annotations: { 'kausality.io/freeze': 'true' },
    });
  });

  test('CAP-88 hostile keys, 64-bit integers and unusual types stay as they are', () => {
    const spec = { ['__proto__']: 1, big: 9_007_199_254_740_993n, '10': 1 };
    const hostile = { apiVersion: 1, kind: 'constructor', metadata: 'no', spec };
    expect(sanitise(hostile)).toEqual(hostile);
    expect(
      sanitise({ apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: { volumes: 'x', containers: [1] } }),
    ).toMatchObject({
      spec: { volumes: 'x', containers: [1] },
    });
  });
});
