import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createClient, ignoreNotFound, type ResourceRef, withImpersonation } from '@kubewright/client';
import {
  apiextensionsv1,
  type appsv1,
  corev1,
  customResource,
  type KubeObject,
  parseApiVersion,
  s,
  type Transport,
} from '@kubewright/kube';
import { accountUser, LOOPBACK, MANAGER } from '@kubewright/operators';
import { waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { installManifests } from '../run/install-manifests.ts';
import { runOperators } from '../run/run-operators.ts';
import { guard, GUARD_WEBHOOKS, guardConfiguration, guardParts } from '../run/testing/guard.ts';
import { runCommand } from './main.ts';

/** The part of a server under test that this suite uses; the repository's `TestServer` is one. */
type ServerUnderTest = { transport(): Transport };

const CONFIGURATIONS: ResourceRef = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource: 'validatingwebhookconfigurations',
  kind: 'ValidatingWebhookConfiguration',
  namespaced: false,
};

const FORCED = { fieldManager: 'kubectl', force: true } as const;

function podSpecOf(object: KubeObject | undefined) {
  const { volumes = [], ...spec } = (object as appsv1.DaemonSet | undefined)?.spec?.template.spec ?? {
    containers: [],
  };
  return { ...spec, volumes };
}

/** What `kubewright install` prints, as any API server takes it. */
export function installContract(server: () => ServerUnderTest): void {
  describe('manifests of an installation', () => {
    const namespace = `install-${randomUUID().slice(0, 8)}`;
    const here = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
    const things = customResource({
      group: `${namespace}.example.com`,
      version: 'v1',
      kind: 'Thing',
      plural: 'things',
      scope: 'Namespaced',
      schema: s.object({ spec: s.object({}) }),
    });
    const definition = { name: `things.${things.group}` };
    let transport: Transport;

    beforeAll(async () => {
      transport = server().transport();
      const home: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
      await createClient(transport).create<KubeObject>(corev1.namespaces, home);
    });
    afterAll(async () => {
      const client = createClient(transport);
      await ignoreNotFound(client.delete(CONFIGURATIONS, { name: namespace }));
      await ignoreNotFound(client.delete(apiextensionsv1.customresourcedefinitions, definition));
      await client.delete(corev1.namespaces, { name: namespace });
      await transport.close();
    });

    /**
     * As `kubectl apply --server-side --force-conflicts --dry-run=server` does, which also says what is misspelt. Suites
     * that ran before on the same server have installed operators too.
     */
    async function expectAccepted(objects: readonly KubeObject[]): Promise<void> {
      const client = createClient(transport);
      const how = { ...FORCED, dryRun: true, fieldValidation: 'Strict' } as const;
      for (const object of objects) {
        const { apiVersion, kind, metadata } = object;
        const applied = await client.apply({ ...parseApiVersion(apiVersion), kind }, object, how);
        expect(applied).toMatchObject({ kind, metadata: { name: metadata.name } });
      }
    }

    const printed = async (options: readonly string[] = []): Promise<string> => {
      let out = '';
      const terminal = { out: (text: string) => void (out += text), err: expect.unreachable };
      const stopped = { colour: false, env: {}, cwd: '/', signal: new AbortController().signal };
      const args = ['install', '--namespace', namespace, ...options];
      expect(await runCommand(args, { ...terminal, ...stopped })).toBe(0);
      return out;
    };
    const print = async (options: readonly string[] = []): Promise<readonly KubeObject[]> =>
      parseAllDocuments(await printed(options)).map((document) => document.toJS() as KubeObject);

    it('have with --prometheus what the Prometheus Operator reads, as the last', async () => {
      const labels = { 'app.kubernetes.io/name': 'kubewright' };
      const port = { name: 'health', containerPort: 8081 };
      const container = { name: 'manager', ports: expect.arrayContaining([port]) };
      const containers = [expect.objectContaining(container)];
      const template = { metadata: { labels }, spec: expect.objectContaining({ containers }) };
      const groups = expect.arrayContaining(
        ['capture', 'classes', 'drift', 'migration', 'ownership'].map((name) =>
          expect.objectContaining({ name }),
        ),
      );
      const objects = await print(['--prometheus']);
      expect(objects).toContainEqual(
        expect.objectContaining({ kind: 'Deployment', spec: expect.objectContaining({ template }) }),
      );
      expect(objects.slice(-2)).toMatchObject([
        {
          kind: 'PodMonitor',
          spec: {
            selector: { matchLabels: labels },
            podMetricsEndpoints: [{ port: port.name, path: '/metrics', honorLabels: true }],
          },
        },
        { kind: 'PrometheusRule', spec: { groups } },
      ]);
    });

    it('of all operators are accepted as they are printed, and printed the same each time', async () => {
      expect(await printed()).toBe(await printed());
      const objects = await print();
      expect(objects.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining([
          'Namespace',
          'CustomResourceDefinition',
          'Deployment',
          'PodDisruptionBudget',
          'NetworkPolicy',
        ]),
      );
      await expectAccepted(objects);
    });

    it('have with --node-agents one agent on each node, which may checkpoint containers and nothing else', async () => {
      const objects = await print(['--node-agents', '--operators', 'migration']);
      await expectAccepted(objects);
      const [daemonSet, manager] = ['DaemonSet', 'Deployment'].map((kind) =>
        objects.find((object) => object.kind === kind),
      );
      const secret = 'kubewright-migration-agent';
      const token = { name: 'MS2M_AGENT_TOKEN', valueFrom: { secretKeyRef: { name: secret, key: 'token' } } };
      // Kubernetes makes `$(NODE)` of it, which is what the operator reads.
      const url = { name: 'MS2M_AGENT_URL', value: 'https://$$(NODE):9443' };
      const containers = [expect.objectContaining({ env: expect.arrayContaining([token, url]) })];
      // Both sides know each other by certificates of one CA.
      const clientCa = { name: 'MS2M_AGENT_CLIENT_CA', value: '/etc/ms2m/ca.crt' };
      expect(podSpecOf(daemonSet).containers[0]?.env).toContainEqual(clientCa);
      const clientKey = { name: 'MS2M_AGENT_CLIENT_KEY', value: '/etc/ms2m/client.key' };
      expect(podSpecOf(manager).containers[0]?.env).toContainEqual(clientKey);
      expect(manager).toMatchObject({ spec: { template: { spec: { containers } } } });
      const { hostNetwork, volumes, ...agent } = podSpecOf(daemonSet);
      expect(agent).toMatchObject({ serviceAccountName: secret, containers });
      expect(hostNetwork).toBeUndefined();
      expect(volumes.flatMap(({ hostPath }) => hostPath?.path ?? [])).toEqual([
        '/var/lib/kubelet/checkpoints',
      ]);
      const [main] = agent.containers;
      expect(main?.securityContext?.privileged).toBeUndefined();
      expect(main?.securityContext?.capabilities?.drop).toEqual(['ALL']);
      const bound = objects.filter(({ kind, ...rest }) => {
        const { subjects = [] } = rest as { readonly subjects?: readonly { readonly name: string }[] };
        return kind.endsWith('Binding') && subjects.some(({ name }) => name === secret);
      });
      expect(bound).toMatchObject([{ roleRef: { name: 'kubewright:migration-agent' } }]);
      expect(objects.find(({ metadata }) => metadata.name === 'kubewright:migration-agent')).toMatchObject({
        rules: [{ apiGroups: [''], resources: ['nodes/checkpoint'], verbs: ['create'] }],
      });
      expect((await print(['--operators', 'migration'])).some(({ kind }) => kind === 'DaemonSet')).toBe(
        false,
      );
    });

    it('of an operator with webhooks are accepted', async () => {
      const objects = installManifests([guardParts], {
        operators: ['guard'],
        namespace,
        image: 'kubewright',
      });
      expect(objects.slice(-5).map(({ kind }) => kind)).toEqual([
        'Service',
        'Deployment',
        'PodDisruptionBudget',
        'NetworkPolicy',
        'ValidatingWebhookConfiguration',
      ]);
      await expectAccepted(objects);
    });

    it('let the manager do what its process does: definitions, Lease, certificates', async () => {
      const admin = createClient(transport);
      // Called for nothing of the suites beside this one.
      const webhooks = GUARD_WEBHOOKS.map((webhook) => ({ ...webhook, namespaceSelector: here }));
      const configuration = { ...guardConfiguration, metadata: { name: namespace }, webhooks };
      const parts = { ...guardParts, resources: [things], webhooks: [configuration] };
      const manifests = installManifests([parts], { operators: ['guard'], namespace, image: 'kubewright' });
      for (const object of manifests) {
        const { apiVersion, kind } = object;
        // The manager brings it.
        if (object === things.definition) continue;
        await admin.apply({ ...parseApiVersion(apiVersion), kind }, object, FORCED);
      }
      const { username, groups } = accountUser(MANAGER, { namespace });
      const bare = withImpersonation(server().transport(), { user: username, groups });
      const stop = new AbortController();
      let log = '';
      const terminal = { out: () => undefined, err: (text: string) => void (log += text), env: {}, cwd: '/' };
      const operators = [{ ...guard, load: async () => parts }];
      const place = { ...LOOPBACK, namespace };
      const { ended } = await runOperators(
        { operators, bare, leaseNamespace: namespace, webhooks: place },
        { ...terminal, colour: false, signal: stop.signal },
      );
      const isTrusted = (object?: KubeObject): boolean => JSON.stringify(object).includes('"caBundle":"');
      await waitForObject(admin, CONFIGURATIONS, { name: namespace }, isTrusted, { timeoutMs: 120_000 });
      // To install once more conflicts with nothing that the manager has written, and undoes none of it.
      const again = manifests.find(({ kind }) => kind === configuration.kind);
      assert(again !== undefined);
      const { resourceVersion } = (await admin.get(CONFIGURATIONS, { name: namespace })).metadata;
      const stored = await admin.apply(CONFIGURATIONS, again, { fieldManager: FORCED.fieldManager });
      expect(stored.metadata.resourceVersion).toBe(resourceVersion);
      stop.abort();
      await ended;
      await bare.close();
      await admin.get(apiextensionsv1.customresourcedefinitions, definition);
      expect(log).toContain('became leader');
      expect(log).not.toContain('forbidden');
    });
  });
}
