import { getOwn, isJsonObject, type Json, type KubeObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { type ChartCertificate, chartManifests } from './chart-manifests.ts';
import { chartValues } from './chart-values.ts';

const SEGMENT = `kw-${'a'.repeat(32)}`;
const hosts: string[] = [];
const issue = async (names: readonly string[]): Promise<ChartCertificate> => {
  hosts.push(...names);
  return { ca: 'the authority', cert: 'the certificate', key: 'the key', segment: SEGMENT };
};

const print = (values: Json = null, name = 'kausality'): Promise<readonly KubeObject[]> =>
  chartManifests(chartValues(values), { name, namespace: 'kausality-system', image: 'kubewright:1', issue });

const titles = (objects: readonly KubeObject[], kind: string): readonly string[] =>
  objects.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name ?? '');
const find = (objects: readonly KubeObject[], kind: string, name: string): KubeObject =>
  objects.find((one) => one.kind === kind && one.metadata.name === name) ?? expect.fail(`${kind} ${name}`);
function at(object: Json, ...path: readonly (string | number)[]): Json | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return object;
  const next = isJsonObject(object) ? getOwn(object, String(key)) : (object as readonly Json[])[Number(key)];
  return next === undefined ? undefined : at(next, ...rest);
}

describe("what the original's chart installs", () => {
  test('has the same names', async () => {
    const objects = await print();
    expect(titles(objects, 'Namespace')).toEqual(['kausality-system']);
    expect(titles(objects, 'ServiceAccount')).toEqual(['kausality-webhook', 'kausality-controller']);
    expect(titles(objects, 'ClusterRole')).toEqual([
      'kausality-webhook',
      'kausality-webhook-resources',
      'kausality-controller',
    ]);
    expect(titles(objects, 'ClusterRoleBinding')).toEqual(titles(objects, 'ClusterRole'));
    expect(titles(objects, 'Deployment')).toEqual(['kausality-webhook', 'kausality-controller']);
    expect(titles(objects, 'Service')).toEqual(['kausality-webhook']);
    expect(titles(objects, 'Secret')).toEqual(['kausality-webhook-cert', 'kausality-webhook-path']);
    expect(objects.at(-1)).toMatchObject({
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'kausality' },
    });
    const role = find(objects, 'ClusterRole', 'kausality-webhook-resources');
    expect(at(role, 'aggregationRule', 'clusterRoleSelectors', 0, 'matchLabels')).toEqual({
      'kausality.io/aggregate-to-webhook-resources': 'true',
    });
  });

  test('names a release of another name after it', async () => {
    expect(titles(await print(null, 'prod'), 'Deployment')[0]).toBe('prod-kausality-webhook');
    expect(titles(await print(null, 'my-kausality'), 'Deployment')[0]).toBe('my-kausality-webhook');
    const overridden = await print({ fullnameOverride: 'drift', serviceAccount: { name: 'sa' } });
    expect(titles(overridden, 'Deployment')).toEqual(['drift-webhook', 'drift-controller']);
    expect(titles(overridden, 'ServiceAccount')).toEqual(['sa', 'drift-controller']);
  });

  test('issues the certificate for the Service, and trusts its authority', async () => {
    const objects = await print();
    expect(hosts.slice(-4)).toEqual([
      'kausality-webhook',
      'kausality-webhook.kausality-system',
      'kausality-webhook.kausality-system.svc',
      'kausality-webhook.kausality-system.svc.cluster.local',
    ]);
    const config = find(objects, 'MutatingWebhookConfiguration', 'kausality');
    expect(at(config, 'webhooks', 0, 'clientConfig')).toEqual({
      service: {
        name: 'kausality-webhook',
        namespace: 'kausality-system',
        path: `/mutate/${SEGMENT}`,
        port: 443,
      },
      caBundle: Buffer.from('the authority').toString('base64'),
    });
    const values = at(config, 'webhooks', 0, 'namespaceSelector', 'matchExpressions', 0, 'values');
    expect(values).toContain('kausality-system');
  });

  test('has the segment of the path beside the certificate', async () => {
    const objects = await print();
    const secret = find(objects, 'Secret', 'kausality-webhook-path');
    expect(secret['stringData']).toEqual({ 'path-segments': SEGMENT });
    const webhook = find(objects, 'Deployment', 'kausality-webhook');
    expect(at(webhook, 'spec', 'template', 'spec', 'volumes', 0)).toEqual({
      name: 'cert',
      projected: {
        sources: [
          { secret: { name: 'kausality-webhook-cert' } },
          { secret: { name: 'kausality-webhook-path' } },
        ],
      },
    });
    const own = `kw-${'b'.repeat(32)}`;
    const certificates = { certManager: { enabled: true }, selfSigned: { enabled: false } };
    const given = await print({ webhook: { pathSegment: own }, certificates });
    const { path } = at(given.at(-1) ?? {}, 'webhooks', 0, 'clientConfig', 'service') as { path: string };
    expect(path).toBe(`/mutate/${own}`);
    expect(titles(given, 'Secret')).toEqual(['kausality-webhook-path']);
  });

  test('leaves certificates to cert-manager', async () => {
    const issuerRef = { name: 'ca', kind: 'ClusterIssuer' };
    const certificates = { certManager: { enabled: true, issuerRef }, selfSigned: { enabled: false } };
    const objects = await print({ certificates });
    expect(titles(objects, 'Secret')).toEqual([]);
    expect(JSON.stringify(objects.at(-1))).toContain('"path":"/mutate"');
    expect(at(find(objects, 'Certificate', 'kausality-webhook-cert'), 'spec', 'issuerRef')).toEqual(
      issuerRef,
    );
    const { metadata } = find(objects, 'MutatingWebhookConfiguration', 'kausality');
    expect(metadata.annotations).toEqual({
      'cert-manager.io/inject-ca-from': 'kausality-system/kausality-webhook-cert',
    });
  });

  test('runs our program with the flags and places of the values', async () => {
    const objects = await print({
      replicaCount: 3,
      image: { repository: 'ghcr.io/kausality-io/kausality', pullPolicy: 'Always' },
      webhook: { port: 8443 },
      nodeSelector: { disk: 'ssd' },
      controller: { leaderElect: true, tolerations: [{ operator: 'Exists' }] },
    });
    const webhook = find(objects, 'Deployment', 'kausality-webhook');
    expect(at(webhook, 'spec', 'replicas')).toBe(3);
    expect(at(webhook, 'spec', 'template', 'spec', 'nodeSelector')).toEqual({ disk: 'ssd' });
    expect(at(webhook, 'spec', 'template', 'spec', 'containers', 0)).toMatchObject({
      image: 'kubewright:1',
      imagePullPolicy: 'Always',
      args: [
        'drift',
        'webhook',
        '--port=8443',
        '--cert-dir=/etc/webhook/certs',
        '--health-probe-bind-address=:8081',
        '--shutdown-delay-seconds=5',
      ],
    });
    const controller = find(objects, 'Deployment', 'kausality-controller');
    expect(at(controller, 'spec', 'template', 'spec', 'tolerations')).toEqual([{ operator: 'Exists' }]);
    expect(at(controller, 'spec', 'template', 'spec', 'containers', 0, 'args')).toContain(
      '--leader-elect=true',
    );
  });

  test('posts reports to the backends of the values, with their authorities', async () => {
    const url = 'https://drift.example.com/webhook';
    const objects = await print({
      backend: { enabled: true },
      driftCallbacks: [
        { url, timeout: '5s', ca: { cert: 'PEM' } },
        { url, ca: { existingSecret: 'theirs', key: 'tls.crt' } },
        { url },
      ],
    });
    const config = find(objects, 'ConfigMap', 'kausality-webhook-config');
    const file = at(config, 'data', 'config.yaml');
    expect(typeof file === 'string' && JSON.parse(file)).toEqual({
      backends: [
        { url: 'http://kausality-backend-log.kausality-system.svc.cluster.local:8080/webhook' },
        { url, timeout: '5s', caFile: '/etc/callback-ca/0/ca.crt' },
        { url, caFile: '/etc/callback-ca/1/ca.crt' },
        { url },
      ],
    });
    const webhook = find(objects, 'Deployment', 'kausality-webhook');
    expect(at(webhook, 'spec', 'template', 'spec', 'volumes')).toMatchObject([
      { name: 'cert' },
      { name: 'config' },
      { secret: { secretName: 'kausality-callback-ca-0' } },
      { secret: { secretName: 'theirs', items: [{ key: 'tls.crt', path: 'ca.crt' }] } },
    ]);
    expect(titles(objects, 'Deployment')).toContain('kausality-backend-log');
  });

  test.each([
    [{ replicaCount: 'two' }, 'in the values, replicaCount is not a number'],
    [{ service: [] }, 'in the values, service is not a map'],
    ['text', 'in the values, they are not an object'],
    [{ webhook: { pathSegment: 'x' } }, 'webhook.pathSegment has to be'],
    [{ driftCallbacks: [{}] }, 'driftCallbacks[0].url is missing'],
    [{ backendTui: { enabled: true } }, 'backendTui is not there'],
  ])('rejects %j', async (values, message) => {
    await expect((async () => print(values))()).rejects.toThrow(message);
  });
});
