import type { corev1, discoveryv1, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { decide } from './decide.ts';
import type { Observed } from './desired.ts';
import { labelsFor } from './new-slice.ts';

type Slice = discoveryv1.EndpointSlice;

const DELETED = '2026-01-01T00:00:00Z';

const serviceOf = (
  spec: Partial<corev1.ServiceSpec> = {},
  metadata: Partial<Stored<corev1.Service>['metadata']> = {},
): Stored<corev1.Service> => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'ns', name: 'web', uid: 's', resourceVersion: '1', ...metadata },
  spec: {
    selector: { app: 'web' },
    clusterIP: '10.0.0.9',
    ipFamilies: ['IPv4'],
    ports: [{ name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' }],
    ...spec,
  },
});
const nodeOf = (name: string): Stored<corev1.Node> => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, uid: name, resourceVersion: '1', labels: { 'topology.kubernetes.io/zone': 'z' } },
  spec: {},
});

type Looks = {
  readonly ready?: boolean;
  readonly phase?: NonNullable<corev1.PodStatus['phase']>;
  readonly leaves?: true;
  readonly ips?: readonly string[];
  readonly nodeName?: string;
};

/** A pod that is ready unless `looks` say otherwise. */
function podOf(id: number, looks: Looks = {}): Stored<corev1.Pod> {
  const { ready = true, phase = 'Running', leaves, ips = [`10.1.0.${id}`], nodeName = 'n' } = looks;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: 'ns',
      name: `web-${id}`,
      uid: `p${id}`,
      resourceVersion: '1',
      ...(leaves ? { deletionTimestamp: DELETED } : {}),
    },
    spec: {
      nodeName,
      containers: [
        { name: 'c', image: 'i', ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }] },
      ],
    },
    status: {
      phase,
      podIPs: ips.map((ip) => ({ ip })),
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    },
  };
}

const observed = (more: Partial<Observed>): Observed => ({
  service: serviceOf(),
  pods: [],
  slices: [],
  node: (name) => (name === 'n' ? nodeOf('n') : undefined),
  ...more,
});

/** The slices of a service with these pods, as the server would keep them. */
function slicesOf(more: Partial<Observed>): readonly Slice[] {
  return decide(observed(more), undefined).actions.map(({ slice }, index) => ({
    ...slice,
    metadata: { ...slice.metadata, name: `web-${index}` },
  }));
}
function steps(more: Partial<Observed>): readonly string[] {
  return decide(observed(more), undefined).actions.map(({ type, slice }) => {
    const addresses = (slice.endpoints ?? []).flatMap((endpoint) => endpoint.addresses);
    const what = addresses.length > 3 ? `${addresses.length}` : addresses.join(' ');
    return [type, slice.addressType, what].join(' ').trimEnd();
  });
}

const one = [podOf(1)];
const many = (count: number) => Array.from({ length: count }, (_, id) => podOf(id));
const dual = { ipFamilies: ['IPv4', 'IPv6'] } as const;
const both = podOf(1, { ips: ['10.1.0.1', 'FD00::0:1'] });

test.each<[string, Partial<Observed>, readonly string[]]>([
  ['no pods: one slice says so', {}, ['create IPv4']],
  ['no pods, and that is said', { slices: slicesOf({}) }, []],
  ['a pod', { pods: one }, ['create IPv4 10.1.0.1']],
  ['a pod with an endpoint', { pods: one, slices: slicesOf({ pods: one }) }, []],
  [
    'one more',
    { pods: [podOf(1), podOf(2)], slices: slicesOf({ pods: one }) },
    ['update IPv4 10.1.0.1 10.1.0.2'],
  ],
  ['one less', { pods: one, slices: slicesOf({ pods: [podOf(1), podOf(2)] }) }, ['update IPv4 10.1.0.1']],
  ['the last one is gone', { slices: slicesOf({ pods: one }) }, ['update IPv4']],
  ['the first one comes', { pods: one, slices: slicesOf({}) }, ['update IPv4 10.1.0.1']],
  ['a pod without an address', { pods: [podOf(1, { ips: [] })] }, ['create IPv4']],
  ['a pod that is over', { pods: [podOf(1, { phase: 'Failed' })] }, ['create IPv4']],
  ['a pod of another family', { pods: [podOf(1, { ips: ['fd00::1'] })] }, ['create IPv4']],
  [
    'both families',
    { service: serviceOf(dual), pods: [both] },
    ['create IPv4 10.1.0.1', 'create IPv6 fd00::1'],
  ],
  [
    'a family that is no more',
    { pods: one, slices: slicesOf({ service: serviceOf(dual), pods: [both] }) },
    ['delete IPv6 fd00::1'],
  ],
  [
    'an old service, by its address',
    { service: serviceOf({ ipFamilies: [], clusterIP: 'fd00::9' }) },
    ['create IPv6'],
  ],
  ['more than a slice holds', { pods: many(150) }, ['create IPv4 100', 'create IPv4 50']],
  [
    'a service that is being deleted',
    { service: serviceOf({}, { deletionTimestamp: DELETED }), pods: one },
    [],
  ],
  [
    'other labels',
    { service: serviceOf({}, { labels: { tier: 'x' } }), pods: one, slices: slicesOf({ pods: one }) },
    ['update IPv4 10.1.0.1'],
  ],
  [
    'labels that a user took away from a slice',
    { pods: one, slices: slicesOf({ pods: one, service: serviceOf({}, { labels: { tier: 'x' } }) }) },
    ['update IPv4 10.1.0.1'],
  ],
  [
    'a slice of an earlier service of this name',
    { pods: one, slices: slicesOf({ pods: one, service: serviceOf({}, { uid: 'earlier' }) }) },
    ['create IPv4 10.1.0.1', 'delete IPv4 10.1.0.1'],
  ],
])('%s', (_title, more, expected) => expect(steps(more)).toEqual(expected));

const notReady = serviceOf({ publishNotReadyAddresses: true });
test.each<[string, Partial<Observed>, readonly [ready: boolean, serving: boolean, terminating: boolean]]>([
  ['ready', { pods: one }, [true, true, false]],
  ['not ready', { pods: [podOf(1, { ready: false })] }, [false, false, false]],
  [
    'not ready, and published',
    { service: notReady, pods: [podOf(1, { ready: false })] },
    [true, false, false],
  ],
  ['ready and going', { pods: [podOf(1, { leaves: true })] }, [false, true, true]],
  [
    'going, and published',
    { service: notReady, pods: [podOf(1, { leaves: true, ready: false })] },
    [true, false, true],
  ],
])('a pod that is %s', (_title, more, [ready, serving, terminating]) => {
  const [action] = decide(observed(more), undefined).actions;
  expect(action?.slice.endpoints).toEqual([
    {
      addresses: ['10.1.0.1'],
      conditions: { ready, serving, terminating },
      nodeName: 'n',
      zone: 'z',
      targetRef: { kind: 'Pod', namespace: 'ns', name: 'web-1', uid: 'p1' },
    },
  ]);
  expect(action?.slice.ports).toEqual([{ name: 'http', port: 8080, protocol: 'TCP' }]);
});

test('a pod of an unknown node is left out and looked at again', () => {
  const decision = decide(observed({ pods: [podOf(1, { nodeName: 'gone' }), podOf(2)] }), undefined);
  expect(decision.lost.map(({ metadata }) => metadata.name)).toEqual(['web-1']);
  expect(decision.actions.map(({ slice }) => slice.endpoints?.length)).toEqual([1]);
});

test("a new slice is its service's, and tells what led to it", () => {
  const service = serviceOf({ clusterIP: 'None' }, { labels: { tier: 'x' } });
  const [action] = decide(observed({ service, pods: one }), Date.parse(DELETED)).actions;
  expect(action?.slice.metadata).toMatchObject({
    generateName: 'web-',
    labels: { ...labelsFor(service), 'service.kubernetes.io/headless': '', tier: 'x' },
    annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': DELETED },
    ownerReferences: [{ kind: 'Service', uid: 's', controller: true }],
  });
});
