import { compareText, corev1, discoveryv1, ownerReferenceTo, type Transport } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { NODE, ServiceStory } from './service-story.ts';

const CONTROLLERS = [
  'endpoints-controller',
  'endpointslice-controller',
  'garbage-collector-controller',
] as const;
const TRIGGER = 'endpoints.kubernetes.io/last-change-trigger-time';
const PATIENCE = { timeout: 20_000 };
const OLD_LABELS = { 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' };
const LABELS = {
  'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
  'kubernetes.io/service-name': 'web',
};
const HEADLESS = { 'service.kubernetes.io/headless': '' };

function endpoints(transport: () => Transport): void {
  let story: ServiceStory;
  const begin = async (): Promise<void> => {
    story = await ServiceStory.begin(transport());
  };
  const expectEndpoints = (subsets: readonly object[], labels: object = {}) =>
    expect.poll(() => story.endpoints(), PATIENCE).toEqual({ labels: { ...OLD_LABELS, ...labels }, subsets });
  const expectSlices = (
    slices: readonly (readonly [ports: string[], endpoints: string[]])[],
    labels: object = {},
  ) =>
    expect
      .poll(() => story.slices(), PATIENCE)
      .toEqual(
        slices.map(([ports, found]) => ({
          labels: { ...LABELS, ...labels },
          addressType: 'IPv4',
          ports,
          endpoints: found,
        })),
      );
  const subset = (ready: string[], notReady: string[] = [], ports = ['8080/TCP']) => ({
    ports,
    ready,
    notReady,
  });

  test('a service without pods has Endpoints without addresses and a slice that says so', async () => {
    await begin();
    const service = await story.service(
      {},
      { labels: { tier: 'front' }, annotations: { note: 'not handed down' } },
    );
    await expectEndpoints([], { tier: 'front' });
    await expectSlices([[[], []]], { tier: 'front' });
    const [slice] = await story.rawSlices();
    expect(slice).toMatchObject({
      metadata: {
        generateName: 'web-',
        annotations: { [TRIGGER]: service.metadata.creationTimestamp },
        ownerReferences: [{ ...ownerReferenceTo(service), controller: true, blockOwnerDeletion: true }],
      },
      endpoints: null,
      ports: null,
    });
    const { metadata } = await story.client.get(corev1.endpoints, story.key('web'));
    expect(metadata.annotations).toEqual({ [TRIGGER]: service.metadata.creationTimestamp });
    expect(metadata.ownerReferences).toBeUndefined();
  });

  test('pods are told as they become ready, not ready, and over', async () => {
    await begin();
    await story.service();
    await expectEndpoints([]);
    await expectSlices([[[], []]]);
    await story.pod('a', { ip: '10.1.0.1' });
    await story.pod('b', { ip: '10.1.0.2', condition: 'NotReady' });
    await expectEndpoints([subset([`10.1.0.1 a ${NODE}`], [`10.1.0.2 b ${NODE}`])]);
    await expectSlices([
      [['8080/TCP'], [`10.1.0.1 a ${NODE} zone-1 ready serving`, `10.1.0.2 b ${NODE} zone-1`]],
    ]);
    const [slice, ...more] = await story.rawSlices();
    expect(more).toEqual([]);
    expect(slice?.endpoints?.find(({ targetRef }) => targetRef?.name === 'b')).toMatchObject({
      conditions: { ready: false, serving: false, terminating: false },
      targetRef: { kind: 'Pod', namespace: story.namespace, name: 'b', uid: expect.any(String) },
    });
    await story.status('b', '10.1.0.2');
    await expectEndpoints([subset([`10.1.0.1 a ${NODE}`, `10.1.0.2 b ${NODE}`])]);
    await story.status('a', '10.1.0.1', 'Succeeded');
    await expectEndpoints([subset([`10.1.0.2 b ${NODE}`])]);
    await expectSlices([[['8080/TCP'], [`10.1.0.2 b ${NODE} zone-1 ready serving`]]]);
  });

  test('a pod that is on its way out serves on, but is not ready', async () => {
    await begin();
    await story.service();
    await story.pod('a', { ip: '10.1.0.1' });
    await expectSlices([[['8080/TCP'], [`10.1.0.1 a ${NODE} zone-1 ready serving`]]]);
    await story.client.delete(corev1.pods, story.key('a'));
    await expectSlices([[['8080/TCP'], [`10.1.0.1 a ${NODE} zone-1 serving terminating`]]]);
    await expectEndpoints([]);
    await story.client.delete(corev1.pods, story.key('a'), { gracePeriodSeconds: 0 });
    await expectSlices([[[], []]]);
  });

  test('a service may publish addresses that are not ready', async () => {
    await begin();
    await story.service({ publishNotReadyAddresses: true });
    await story.pod('a', { ip: '10.1.0.1', condition: 'NotReady' });
    await expectEndpoints([subset([`10.1.0.1 a ${NODE}`])]);
    await expectSlices([[['8080/TCP'], [`10.1.0.1 a ${NODE} zone-1 ready`]]]);
  });

  test('a headless service gives pods the names that they ask for, and needs no ports', async () => {
    await begin();
    await story.service({ clusterIP: 'None', ports: [] });
    await story.pod('web-0', { ip: '10.1.0.1', spec: { hostname: 'web-0', subdomain: 'web' } });
    await story.pod('web-1', { ip: '10.1.0.2', spec: { hostname: 'web-1', subdomain: 'elsewhere' } });
    await expectEndpoints(
      [subset([`web-0 10.1.0.1 web-0 ${NODE}`, `10.1.0.2 web-1 ${NODE}`], [], [])],
      HEADLESS,
    );
    await expectSlices(
      [
        [
          [],
          [
            `10.1.0.2 web-1 ${NODE} zone-1 ready serving`,
            `web-0 10.1.0.1 web-0 ${NODE} zone-1 ready serving`,
          ],
        ],
      ],
      HEADLESS,
    );
  });

  test('ports with names lead to the ports that each pod has under them', async () => {
    await begin();
    const http = { name: 'http', port: 80, targetPort: 'http', appProtocol: 'kubernetes.io/h2c' };
    const dns = { name: 'dns', port: 53, targetPort: 'dns', protocol: 'UDP' } as const;
    const plain = { name: 'plain', port: 9000 };
    await story.service({ ports: [http, dns, plain] });
    const sidecar = {
      name: 'side',
      image: 'side:1',
      restartPolicy: 'Always',
      ports: [{ name: 'dns', containerPort: 5353, protocol: 'UDP' }],
    } as const;
    await story.pod('a', { ip: '10.1.0.1', ports: [{ name: 'http', containerPort: 8080 }] });
    await story.pod('b', {
      ip: '10.1.0.2',
      ports: [
        { name: 'http', containerPort: 9090 },
        { name: 'dns', containerPort: 53 },
      ],
      spec: { initContainers: [sidecar] },
    });
    const h2c = 'kubernetes.io/h2c';
    await expectEndpoints(
      [
        subset([`10.1.0.1 a ${NODE}`, `10.1.0.2 b ${NODE}`], [], ['plain 9000/TCP']),
        subset([`10.1.0.1 a ${NODE}`], [], [`http 8080/TCP ${h2c}`]),
        subset([`10.1.0.2 b ${NODE}`], [], ['dns 5353/UDP', `http 9090/TCP ${h2c}`]),
      ].sort((a, b) => compareText(JSON.stringify(a), JSON.stringify(b))),
    );
    await expectSlices([
      [
        ['dns 5353/UDP', `http 9090/TCP ${h2c}`, 'plain 9000/TCP'],
        [`10.1.0.2 b ${NODE} zone-1 ready serving`],
      ],
      [[`http 8080/TCP ${h2c}`, 'plain 9000/TCP'], [`10.1.0.1 a ${NODE} zone-1 ready serving`]],
    ]);
  });

  test('labels follow those of the service, but for what slices say themselves', async () => {
    await begin();
    await story.service({}, { labels: { tier: 'front', old: 'yes' } });
    await expectEndpoints([], { tier: 'front', old: 'yes' });
    await expectSlices([[[], []]], { tier: 'front', old: 'yes' });
    const labels = { tier: 'back', old: null, 'kubernetes.io/service-name': 'forged' };
    await story.client.patch(corev1.services, story.key('web'), {
      type: 'merge',
      body: { metadata: { labels } },
    });
    await expectEndpoints([], { tier: 'back', 'kubernetes.io/service-name': 'forged' });
    await expectSlices([[[], []]], { tier: 'back' });
  });

  test('another selector means other pods; no selector leaves what is there to others', async () => {
    await begin();
    await story.service();
    await story.pod('a', { ip: '10.1.0.1' });
    await expectEndpoints([subset([`10.1.0.1 a ${NODE}`])]);
    const select = (selector: Readonly<Record<string, string | null>>) =>
      story.client.patch(corev1.services, story.key('web'), { type: 'merge', body: { spec: { selector } } });
    await select({ app: 'none' });
    await expectEndpoints([]);
    await expectSlices([[[], []]]);
    await select({ app: 'web', none: null });
    await expectEndpoints([subset([`10.1.0.1 a ${NODE}`])]);
    const others = [
      { name: 'external', type: 'ExternalName', externalName: 'example.com' },
      { name: 'manual' },
    ] as const;
    for (const { name, ...spec } of others) {
      const { selector: _, ...rest } = { selector: {}, ports: [{ port: 80 }], ...spec };
      await story.client.create(corev1.services, {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: story.key(name),
        spec: rest,
      });
    }
    await story.service({}, { name: 'last' });
    await expect.poll(() => story.endpoints('last'), PATIENCE).not.toBeUndefined();
    for (const { name } of others)
      expect([await story.endpoints(name), await story.slices(name)]).toEqual([undefined, []]);
  });

  test('what is deleted comes back, and a changed slice is put right', async () => {
    await begin();
    await story.service();
    await story.pod('a', { ip: '10.1.0.1' });
    await expectEndpoints([subset([`10.1.0.1 a ${NODE}`])]);
    await expectSlices([[['8080/TCP'], [`10.1.0.1 a ${NODE} zone-1 ready serving`]]]);
    await story.client.delete(corev1.endpoints, story.key('web'));
    await expectEndpoints([subset([`10.1.0.1 a ${NODE}`])]);
    const [slice] = await story.rawSlices();
    const key = story.key(slice?.metadata.name ?? '');
    const body = { endpoints: [{ addresses: ['10.9.9.9'] }] };
    await story.client.patch(discoveryv1.endpointslices, key, { type: 'merge', body });
    await expectSlices([[['8080/TCP'], [`10.1.0.1 a ${NODE} zone-1 ready serving`]]]);
    await story.client.delete(discoveryv1.endpointslices, key);
    await expect.poll(async () => (await story.rawSlices())[0]?.metadata.name, PATIENCE).not.toBe(key.name);
    await expectSlices([[['8080/TCP'], [`10.1.0.1 a ${NODE} zone-1 ready serving`]]]);
  });

  test('with the service go its Endpoints and its slices', async () => {
    await begin();
    await story.service();
    await expectEndpoints([]);
    await expectSlices([[[], []]]);
    await story.client.delete(corev1.services, story.key('web'));
    await expect.poll(() => story.endpoints(), PATIENCE).toBeUndefined();
    await expect.poll(() => story.slices(), PATIENCE).toEqual([]);
  });

  test('a hundred endpoints fit into a slice', async () => {
    await begin();
    await story.service();
    await expectSlices([[[], []]]);
    const names = Array.from({ length: 101 }, (_, index) => index);
    await Promise.all(names.map((index) => story.pod(`pod-${index}`, { ip: `10.1.1.${index + 1}` })));
    const sizes = async (): Promise<readonly number[]> =>
      (await story.rawSlices()).map(({ endpoints: all }) => all?.length ?? 0);
    const total = async (): Promise<number> => (await sizes()).reduce((sum, size) => sum + size, 0);
    await expect.poll(total, PATIENCE).toBe(101);
    const found = await sizes();
    expect(found).toHaveLength(2);
    expect(Math.max(...found)).toBeLessThanOrEqual(100);
  });

  test('traffic that should stay near gets hints', async () => {
    await begin();
    await story.node(`far-${story.namespace}`, 'zone-2');
    await story.service({ trafficDistribution: 'PreferSameZone' });
    await story.pod('a', { ip: '10.1.0.1' });
    await story.pod('b', { ip: '10.1.0.2', spec: { nodeName: `far-${story.namespace}` } });
    await story.pod('c', { ip: '10.1.0.3', condition: 'NotReady' });
    const far = `10.1.0.2 b far-${story.namespace} zone-2 ready serving`;
    const hinted = (near: string, there: string): string[] => [
      `10.1.0.1 a ${NODE} zone-1 ready serving${near}`,
      `${far}${there}`,
      `10.1.0.3 c ${NODE} zone-1`,
    ];
    const prefer = (trafficDistribution: string | null) =>
      story.client.patch(corev1.services, story.key('web'), {
        type: 'merge',
        body: { spec: { trafficDistribution } },
      });
    await expectSlices([[['8080/TCP'], hinted(' for zone-1', ' for zone-2')]]);
    await prefer('PreferSameNode');
    await expectSlices([
      [['8080/TCP'], hinted(` for zone-1 for ${NODE}`, ` for zone-2 for far-${story.namespace}`)],
    ]);
    await prefer(null);
    await expectSlices([[['8080/TCP'], hinted('', '')]]);
  });

  test('a pod on a node that is not known is left out of slices until it is', async () => {
    await begin();
    const node = `late-${story.namespace}`;
    await story.service();
    await story.pod('a', { ip: '10.1.0.1', spec: { nodeName: node } });
    await story.pod('b', { ip: '10.1.0.2' });
    await expectSlices([[['8080/TCP'], [`10.1.0.2 b ${NODE} zone-1 ready serving`]]]);
    await expect
      .poll(() => story.events(), PATIENCE)
      .toContain(
        `endpoint-slice-controller: Warning FailedToUpdateEndpointSlices of Service: Error updating Endpoint Slices for Service ${story.namespace}/web: skipping Pod a for Service ${story.namespace}/web: Node ${node} Not Found`,
      );
    await story.node(node, 'zone-3');
    await expectSlices([
      [['8080/TCP'], [`10.1.0.1 a ${node} zone-3 ready serving`, `10.1.0.2 b ${NODE} zone-1 ready serving`]],
    ]);
  });
}

describeClusters('Endpoints', CONTROLLERS, endpoints);
