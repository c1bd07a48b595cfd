import { randomUUID } from 'node:crypto';
import { type Client, createClient } from '@kubewright/client';
import {
  autoscalingv2,
  corev1,
  type JsonObject,
  type KubeObject,
  type Named,
  type Stored,
  type Transport,
} from '@kubewright/kube';
import { installDefinitions } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ran, runLine } from '../../packages/kubewright/src/cli/testing/run-line.ts';
import { type Clients, clientsIn } from '../../packages/operators/src/ownership/testing/clients.ts';
import { valueAt } from '../../packages/operators/src/kit/testing/value-at.ts';
import {
  configMap,
  container,
  deployment,
  names,
} from '../../packages/operators/src/ownership/testing/objects.ts';
import { releaseSecret, releaseText } from '../../packages/operators/src/ownership/testing/release-record.ts';
import type { TestServer } from '../servers/test-server.ts';

const CREATOR = 'kubectl-create';
const INIT = 'spec.template.spec.initContainers';

/** The kinds in which Argo CD and Flux keep their records, as small as these suites need them. */
const RECORD_KINDS = [
  ['argoproj.io', 'v1alpha1', 'Application'],
  ['kustomize.toolkit.fluxcd.io', 'v1', 'Kustomization'],
] as const;

/** `kubewright owners plan` and `migrate` by the records of Helm, Argo CD and Flux, on any API server. */
export function ownersRecordedContract(server: () => TestServer): void {
  describe('kubewright owners migrate by the record of a tool', () => {
    const namespace = `record-${randomUUID().slice(0, 8)}`;
    let transport: Transport;
    let client: Client;
    const clients: Clients = clientsIn(namespace, () => client);

    beforeAll(async () => {
      transport = server().transport();
      client = createClient(transport);
      const metadata = { name: namespace };
      await client.create<KubeObject>(corev1.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata });
      const definitions = RECORD_KINDS.map(([group, version, kind]) => definition(group, version, kind));
      await installDefinitions(client, definitions, {
        fieldManager: 'test',
        signal: AbortSignal.timeout(60_000),
      });
    });
    afterAll(async () => {
      await client.delete(corev1.namespaces, { name: namespace });
      await transport.close();
    });

    function owners(verb: string, ...more: readonly string[]): Promise<Ran> {
      return runLine(['owners', verb, '-n', namespace, '--kubeconfig', server().kubeconfigPath, ...more]);
    }

    /** A creator's objects that `tool` takes over, as `--take-ownership` does, and then drops part of. */
    async function takenOver(
      name: string,
      tool: string,
    ): Promise<Record<'before' | 'now', readonly KubeObject[]>> {
      const before = [
        deployment(name, { init: [container('setup', 'i:1')] }, { replicas: 2 }),
        configMap(name, { keep: '1', old: '1' }),
      ];
      const now = [deployment(name), configMap(name, { keep: '1' })];
      for (const object of before) await clients.create(object, CREATOR);
      for (const object of before) await clients.apply(object, tool);
      for (const object of now) await clients.apply(object, tool);
      return { before, now };
    }

    async function record(name: string, ...revisions: readonly (readonly KubeObject[])[]): Promise<void> {
      await recordBy(
        name,
        revisions.map((manifests) => ['ssa', manifests]),
      );
    }

    /** The same, each applied server-side or not. */
    async function recordBy(
      name: string,
      revisions: readonly (readonly [method: 'ssa' | 'csa', manifests: readonly KubeObject[]])[],
    ): Promise<void> {
      for (const [index, [method, manifests]] of revisions.entries()) {
        const status = index + 1 === revisions.length ? 'deployed' : 'superseded';
        const revision = { name, namespace, revision: index + 1, status, method, manifests };
        await client.create<KubeObject>(corev1.secrets, releaseSecret(revision));
      }
    }

    async function isThere(name: string): Promise<{ readonly init: number; readonly old: boolean }> {
      const [live, settings] = [await clients.get(deployment(name)), await clients.get(configMap(name))];
      return { init: names(live, INIT).length, old: valueAt(settings, 'data.old') !== undefined };
    }

    it('OWN-T80 moves exactly what keeps what a release dropped, and its next apply removes it', async () => {
      const { before, now } = await takenOver('web', 'helm');
      await record('web', before, now);
      expect(await isThere('web')).toEqual({ init: 1, old: true });
      const unchanged = await Promise.all(now.map(async (object) => clients.get(object)));

      const scanned = await owners('scan', '--release', 'web');
      expect(scanned.out).toContain(`helm (Apply) and ${CREATOR} (Update): 2 objects`);
      expect(scanned.out).toContain('revision 2 (deployed, server-side): helm has dropped what others keep');
      expect(scanned.out).toContain(`ConfigMap ${namespace}/web   such as .data.old, of ${CREATOR} (Update)`);

      const plan = await owners('plan', '--release', 'web');
      expect(plan).toMatchObject({ code: 0, err: '' });
      expect(plan.out).toContain(
        [
          `Helm release web in ${namespace}, revision 2 (deployed, server-side)`,
          `Deployment ${namespace}/web`,
          `  moves .spec.replicas from ${CREATOR} (Update) to helm`,
          `  moves .spec.template.spec.initContainers[name="setup"] from ${CREATOR} (Update) to helm`,
          `ConfigMap ${namespace}/web`,
          `  moves .data.old from ${CREATOR} (Update) to helm`,
          '3 claims to move on 2 of 2 objects; the next helm upgrade then removes what was dropped',
        ].join('\n'),
      );
      const refused = await owners('migrate', '--release', 'web');
      expect(refused).toMatchObject({ code: 1, out: plan.out });
      expect(refused.err).toContain('nothing was written; add --yes');
      const tried = await owners('migrate', '--release', 'web', '--dry-run=server');
      expect(tried.out).toContain('server dry run: nothing was written');
      expect(await Promise.all(now.map(async (object) => clients.get(object)))).toEqual(unchanged);

      const migrated = await owners('migrate', '--release', 'web', '--yes');
      expect(migrated).toMatchObject({ code: 0, err: '' });
      expect(migrated.out).toContain('2 objects written');
      const after = await Promise.all(now.map(async (object) => clients.get(object)));
      expect(after.map(content)).toEqual(unchanged.map(content));
      expect((await owners('migrate', '--release', 'web', '--yes')).out).toContain('0 objects written');

      for (const object of now) await clients.apply(object, 'helm');
      expect(await isThere('web')).toEqual({ init: 0, old: false });
      expect((await owners('plan', '--release', 'web')).out).toContain('nothing to move in 2 objects');
    });

    it('OWN-T83 moves what keeps a drop that a rollback to a revision of Helm 3 had undone', async () => {
      const { before, now } = await takenOver('back', 'helm');
      for (const object of now) await clients.apply(object, 'helm');
      await recordBy('back', [
        ['csa', before],
        ['ssa', now],
        ['csa', before],
      ]);
      const back = await owners('plan', '--release', 'back');
      expect(back.out).toContain('revision 3 (deployed, client-side)');
      expect(back.out).toContain('nothing to move in 2 objects');

      const revision = { name: 'back', namespace, revision: 4, status: 'deployed', manifests: now };
      await client.create<KubeObject>(corev1.secrets, releaseSecret(revision));
      expect((await owners('migrate', '--release', 'back', '--yes')).out).toContain('2 objects written');
      for (const object of now) await clients.apply(object, 'helm');
      expect(await isThere('back')).toEqual({ init: 0, old: false });
    });

    it('OWN-T84 leaves replicas to the HorizontalPodAutoscaler that sets them, scaled yet or not', async () => {
      const { before, now } = await takenOver('scaled', 'helm');
      await record('scaled', before, now);
      const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'scaled' };
      await client.create<KubeObject>(autoscalingv2.horizontalpodautoscalers, {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'scaled', namespace },
        spec: { scaleTargetRef, minReplicas: 2, maxReplicas: 5 },
      });

      const { out } = await owners('migrate', '--release', 'scaled', '--yes');
      expect(out).toContain(`stays: .spec.replicas: owned by ${CREATOR} (Update), and an autoscaler sets it`);
      for (const object of now) await clients.apply(object, 'helm');
      expect(await isThere('scaled')).toEqual({ init: 0, old: false });
      expect(valueAt(await clients.get(deployment('scaled')), 'spec.replicas')).toBe(2);
    });

    it('OWN-T88 leaves what another manager applies, and what somebody has changed since, to them', async () => {
      const settings = (...keys: readonly string[]): KubeObject =>
        configMap('held', Object.fromEntries(keys.map((key) => [key, '1'])));
      const [before, now] = [settings('keep', 'old', 'applied', 'changed'), settings('keep')];
      await clients.create(before, CREATOR);
      await clients.apply(before, 'helm');
      await clients.apply(settings('applied'), 'ci');
      await clients.patch(before, { data: { changed: '2' } }, 'kubectl-edit', { type: 'merge' });
      await clients.apply(now, 'helm');
      await record('held', [before], [now]);

      const { out } = await owners('migrate', '--release', 'held', '--yes');
      expect(out).toContain(`moves .data.old from ${CREATOR} (Update) to helm`);
      expect(out).toContain('1 claim');
      expect(out).toMatch(/stays: \.data\.applied: .*\bci\b/);
      expect(out).toMatch(/stays: \.data\.changed: .*\bkubectl-edit\b/);
      await clients.apply(now, 'helm');
      const live = await clients.get(now);
      expect(valueAt(live, 'data')).toEqual({ keep: '1', applied: '1', changed: '2' });
    });

    it('OWN-T89 removes a key of a Secret that a chart dropped from stringData, although nobody owns it', async () => {
      const secret = (stringData: JsonObject): KubeObject => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'login' },
        stringData,
      });
      const [before, now] = [secret({ user: 'a', old: 'b' }), secret({ user: 'a' })];
      await clients.apply(before, 'helm');
      await clients.apply(now, 'helm');
      await record('login', [before], [now]);
      expect(valueAt(await clients.get(now), 'data.old')).toBeDefined();

      const { out, err } = await owners('migrate', '--release', 'login', '--yes');
      expect(err).toBe('');
      expect(out).toContain('adds .data.old to what helm owns');
      await clients.apply(now, 'helm');
      expect(valueAt(await clients.get(now), 'data')).toEqual({ user: 'YQ==' });
    });

    it('OWN-T90 --shared moves what is not dropped yet, too: the upgrade that drops it removes it', async () => {
      const before = [configMap('early', { keep: '1', old: '1' })];
      await clients.create(before[0] as KubeObject, CREATOR);
      await clients.apply(before[0] as KubeObject, 'helm');
      await record('early', before);
      const { out } = await owners('plan', '--release', 'early');
      expect(out).toContain('nothing to move in 1 object');
      expect(out).toContain('--shared moves these claims, too');

      expect((await owners('migrate', '--release', 'early', '--shared', '--yes')).err).toBe('');
      await clients.apply(configMap('early', { keep: '1' }), 'helm');
      expect(valueAt(await clients.get(configMap('early')), 'data')).toEqual({ keep: '1' });
    });

    it('reads releases that Helm stores in ConfigMaps, and lists of objects in a chart', async () => {
      const [before, now] = [
        configMap('listed', { keep: '1', old: '1' }),
        configMap('listed', { keep: '1' }),
      ];
      await clients.create(before, CREATOR);
      await clients.apply(before, 'helm');
      await clients.apply(now, 'helm');
      for (const [index, object] of [before, now].entries()) {
        const revision = index + 1;
        const list = { apiVersion: 'v1', kind: 'List', items: [object] } as unknown as KubeObject;
        const status = 'deployed';
        const release = releaseText({ name: 'listed', namespace, revision, status, manifests: [list] });
        const labels = { owner: 'helm', name: 'listed', version: String(revision) };
        const metadata = { name: `listed.v${revision}`, namespace, labels };
        await client.create(corev1.configmaps, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata,
          data: { release },
        });
      }
      expect((await owners('plan', '--release', 'listed')).out).toContain('moves .data.old');
    });

    it('OWN-T85 of an Argo CD Application takes the objects of its status', async () => {
      await takenOver('argo', 'argocd-controller');
      await create('argoproj.io/v1alpha1', 'Application', 'argo', {
        spec: { destination: { server: 'https://kubernetes.default.svc', namespace } },
        status: {
          resources: [
            { group: 'apps', version: 'v1', kind: 'Deployment', namespace, name: 'argo' },
            { version: 'v1', kind: 'ConfigMap', namespace, name: 'argo' },
            { version: 'v1', kind: 'ConfigMap', namespace, name: 'gone' },
            { version: 'v1', kind: 'ConfigMap', namespace, name: 'web', requiresPruning: true },
          ],
        },
      });
      const plan = await owners('plan', '--application', 'argo');
      expect(plan.out).toContain('nothing to move in 2 objects');
      expect(plan.out).toContain('what it applied before is not recorded: --from MANAGER');
      expect(plan.out).toContain(`not read ConfigMap ${namespace}/gone: is not there`);
      expect(plan.out).toContain('ServerSideApply=true');

      expect((await owners('migrate', '--application', 'argo', '--from', CREATOR, '--yes')).err).toBe('');
      for (const object of [deployment('argo'), configMap('argo', { keep: '1' })])
        await clients.apply(object, 'argocd-controller');
      expect(await isThere('argo')).toEqual({ init: 0, old: false });

      await create('argoproj.io/v1alpha1', 'Application', 'far', {
        spec: { destination: { server: 'https://far.example.com' } },
      });
      expect((await owners('plan', '--application', 'far')).err).toContain(
        'is deployed to https://far.example.com',
      );
    });

    it('OWN-T86 of a Flux Kustomization takes the objects of its inventory', async () => {
      await takenOver('flux', 'kustomize-controller');
      const role = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'system:flux' },
      };
      await clients.apply({ ...role, rules: [] }, 'kustomize-controller');
      await create('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', 'flux', {
        status: {
          inventory: {
            entries: [
              { id: `${namespace}_flux_apps_Deployment`, v: 'v1' },
              { id: `${namespace}_flux__ConfigMap`, v: 'v1' },
              { id: `${namespace}_system__flux_rbac.authorization.k8s.io_Role`, v: 'v1' },
              { id: 'nonsense', v: 'v1' },
            ],
          },
        },
      });
      const { out, err } = await owners('migrate', '--kustomization', 'flux', '--from', CREATOR, '--yes');
      expect(err).toBe('');
      expect(out).toContain('on 2 of 3 objects; the next flux reconcile kustomization then removes');
      for (const object of [deployment('flux'), configMap('flux', { keep: '1' })])
        await clients.apply(object, 'kustomize-controller');
      expect(await isThere('flux')).toEqual({ init: 0, old: false });
    });

    it('OWN-T87 a record that cannot be read is one line, and only the newest is needed', async () => {
      const data = { release: Buffer.from('bm8gcmVsZWFzZQ==').toString('base64') };
      const labels = { owner: 'helm', name: 'broken', version: '2' };
      const metadata = { name: 'sh.helm.release.v1.broken.v2', namespace, labels };
      await client.create(corev1.secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data });
      const { code, err, out } = await owners('plan', '--release', 'broken');
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toBe('kubewright: Secret sh.helm.release.v1.broken.v2 cannot be read: it is not JSON\n');

      const manifests = [configMap('broken', { a: '1' })];
      const revision = { name: 'broken', namespace, revision: 3, status: 'deployed', manifests };
      await client.create<KubeObject>(corev1.secrets, releaseSecret(revision));
      expect((await owners('plan', '--release', 'broken')).out).toContain(
        'note Secret sh.helm.release.v1.broken.v2 cannot be read: it is not JSON; what it applied is not known',
      );
      const pending = { ...revision, revision: 4, status: 'pending-upgrade' };
      await client.create<KubeObject>(corev1.secrets, releaseSecret(pending));
      expect((await owners('migrate', '--release', 'broken', '--yes')).err).toContain(
        'revision 4 of broken is pending-upgrade',
      );
    });

    it('of a record that is not there says where it looked, and one record is enough', async () => {
      expect((await owners('plan', '--release', 'none')).err).toContain(
        `there is no Helm release "none" in namespace ${namespace}; choose another with -n`,
      );
      expect((await owners('plan', '--kustomization', 'none')).err).toContain(
        'there is no Kustomization "none"',
      );
      expect((await owners('plan', '--release', 'a', '--application', 'b')).err).toContain(
        '--release names all objects: leave --application out',
      );
      expect((await owners('migrate', 'cm/web', '--release', 'a')).err).toContain('leave KIND/NAME out');
    });

    async function create(apiVersion: string, kind: string, name: string, more: JsonObject): Promise<void> {
      const [group = '', version = ''] = apiVersion.split('/');
      await client.create(
        { group, version, kind },
        {
          apiVersion,
          kind,
          metadata: { name, namespace },
          ...more,
        },
      );
    }
  });
}

/** All but what a move of ownership changes. */
function content({ metadata, ...rest }: KubeObject): unknown {
  const {
    managedFields: _entries,
    resourceVersion: _version,
    ...kept
  } = (metadata ?? {}) as Stored['metadata'];
  return { ...rest, metadata: kept };
}

/** A definition that takes anything. */
function definition(group: string, version: string, kind: string): Named {
  const plural = `${kind.toLowerCase()}s`;
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}
