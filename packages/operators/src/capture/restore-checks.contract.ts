import { createClient, type ResourceRef } from '@kubewright/client';
import { corev1, type KubeObject, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { beforeAll, describe, expect, test } from 'vitest';
import { useFolder } from '../../../../test/support/use-folder.ts';
import { type InterceptedCalls, interceptCalls } from './testing/intercepted-calls.ts';
import { exportOf } from './testing/export-of.ts';
import { runCommand } from './testing/run-command.ts';

const NAMESPACE = 'checked-shop';
const QUOTAS: ResourceRef = corev1.resourcequotas;

function objectOf(kind: string, name: string, fields: object = {}, metadata: object = {}): KubeObject {
  const object = { apiVersion: 'v1', kind, metadata: { namespace: NAMESPACE, name, ...metadata }, ...fields };
  return JSON.parse(JSON.stringify(object)) as KubeObject;
}

const PLAIN = objectOf('ConfigMap', 'plain', { data: { a: 'b' } });
/** Of a version of the API that has more types than this one. */
const LATER = objectOf('Service', 'later', { spec: { type: 'Later', ports: [{ port: 80 }] } });

/** What the server says of a restore before its first write. */
export function restoreChecksContract(transport: () => Transport): void {
  describe('what a restore plans', () => {
    const folder = useFolder();
    let count = 0;
    let calls: InterceptedCalls;
    const admin = () => createClient(transport());
    const inNamespace = async (): Promise<string> => {
      const name = `checked-${process.pid}-${count++}`;
      await admin().create<KubeObject>(corev1.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name },
      });
      return name;
    };
    const restore = async (
      objects: readonly KubeObject[],
      to: string,
      options: Readonly<Record<string, string>> = { yes: 'true' },
    ): Promise<string> => {
      const at = await exportOf(folder, `export-${count++}`, objects);
      calls = interceptCalls();
      const way = calls.time.pacedBy(transport());
      const place = { admin: createClient(way), namespace: NAMESPACE };
      return runCommand(place, way, ['restore', at], { to, ...options });
    };
    const namesIn = async (namespace: string, ref: ResourceRef = corev1.configmaps) =>
      (await admin().list(ref, { namespace })).items.map(({ metadata: { name } }) => name);
    const dryRuns = () => calls.made.filter(({ path }) => path.includes('dryRun=All'));

    beforeAll(() => void (calls = interceptCalls()));

    test('CAP-166 an object that the server would reject is in the plan, and nothing is created', async () => {
      const to = await inNamespace();
      const plan = await restore([PLAIN, LATER], to, { existing: 'skip', dryRun: 'server' });
      expect(plan).toMatch(/create +ConfigMap\/plain\n/);
      expect(plan).toMatch(/rejected +Service\/later +the server rejects it: .*spec\.type/);
      const failed = restore([PLAIN, LATER], to);
      await expect(failed).rejects.toThrow(
        /1 of 2 objects are rejected, nothing was changed.*Service\/later/,
      );
      expect(await namesIn(to)).not.toContain('plain');
      expect(await restore([PLAIN, LATER], to, { yes: 'true', existing: 'skip' })).toContain(
        '1 objects were created in namespace',
      );
      expect(await namesIn(to)).toContain('plain');
    });

    test('CAP-243 of a restore that is run again, most of what is there needs no request', async () => {
      const to = await inNamespace();
      const many = Array.from({ length: 120 }, (_, index) =>
        objectOf('ConfigMap', `many-${index}`, { data: { index: String(index) } }),
      );
      await restore(many, to);
      const patch = { type: 'merge', body: { data: { index: 'changed' } } } as const;
      await admin().patch(corev1.configmaps, { namespace: to, name: 'many-118' }, patch);
      await admin().delete(corev1.configmaps, { namespace: to, name: 'many-119' });
      const plan = await restore(many, to, { dryRun: 'server', existing: 'skip' });
      const ofMaps = calls.made.filter(({ path }) => path.includes('/configmaps'));
      // At first each is asked for, as many as are under way at a time.
      expect(ofMaps.length).toBeLessThan(many.length);
      expect(plan.match(/^unchanged +ConfigMap\/many-/gmu)).toHaveLength(118);
      expect(plan).toMatch(/^conflict +ConfigMap\/many-118 +it exists, and differs in data/mu);
      expect(plan).toMatch(/^create +ConfigMap\/many-119/mu);
    });

    test('CAP-167 of a namespace that does not exist, only the namespace is created before the server has said no', async () => {
      const to = `checked-${process.pid}-new`;
      expect(await restore([PLAIN, LATER], to, { dryRun: 'server' })).toContain(
        'The namespace does not exist',
      );
      await expect(restore([PLAIN, LATER], to)).rejects.toThrow('only the namespace was created');
      expect(await namesIn(to)).not.toContain('plain');
      // It is there now: the plan knows.
      await expect(restore([PLAIN, LATER], to, {})).rejects.toThrow('nothing was changed');
    });

    test('CAP-168 a quota that has no room speaks before the first write', async () => {
      const to = await inNamespace();
      const quota = objectOf('ResourceQuota', 'full', { spec: { hard: { configmaps: '0' } } });
      const key = { namespace: to, name: 'full' };
      await admin().create(QUOTAS, { ...quota, metadata: key });
      await waitForObject(admin(), corev1.resourcequotas, key, (live) => live?.status?.hard !== undefined);
      const secret = objectOf('Secret', 'key');
      await expect(restore([PLAIN, secret], to)).rejects.toThrow(/ConfigMap\/plain: .*quota/);
      expect(await namesIn(to, corev1.secrets)).not.toContain('key');
    });

    test('CAP-234 a ResourceQuota comes last: it allows less than there was, and nothing before its controller has counted', async () => {
      const to = await inNamespace();
      const quota = objectOf('ResourceQuota', 'all', { spec: { hard: { configmaps: '1' } } });
      const objects = [quota, PLAIN, objectOf('ConfigMap', 'second'), objectOf('ConfigMap', 'third')];
      expect(await restore(objects, to)).toContain('4 objects were created');
    });

    test('CAP-234 a Namespace that is there stays as it is, and the plan says in what it differs', async () => {
      const to = await inNamespace();
      const shop = objectOf('Namespace', NAMESPACE, {}, { namespace: undefined, labels: { team: 'shop' } });
      const plan = await restore([shop, PLAIN], to);
      expect(plan).toMatch(new RegExp(`unchanged +Namespace/${to} +differs in metadata, which stays`));
      expect((await admin().get(corev1.namespaces, { name: to })).metadata.labels).not.toHaveProperty('team');
    });

    test('CAP-169 a pod whose ServiceAccount is restored with it is no obstacle', async () => {
      const to = await inNamespace();
      const containers = [{ name: 'main', image: 'example.com/app:1' }];
      const pod = objectOf('Pod', 'app', { spec: { serviceAccountName: 'robot', containers } });
      const both = [pod, objectOf('ServiceAccount', 'robot')];
      const printed = await restore(both, to);
      expect(printed).toMatch(/create +Pod\/app +not checked: "robot" has to be there first/);
      expect(printed).toContain('2 objects were created');
      await expect(
        restore([objectOf('Pod', 'alone', { spec: { serviceAccountName: 'nobody', containers } })], to),
      ).rejects.toThrow('serviceaccount "nobody" not found');
    });

    test('CAP-170 with --no-dry-run nothing is asked, and the restore ends at the object that is rejected', async () => {
      const to = await inNamespace();
      await expect(restore([PLAIN, LATER], to, { yes: 'true', dryRun: 'false' })).rejects.toThrow(
        'spec.type',
      );
      expect(dryRuns()).toEqual([]);
      await restore([PLAIN], await inNamespace());
      expect(dryRuns()).toHaveLength(1);
    });

    test('CAP-170 with --no-dry-run a namespace that is not there is created as it was captured, once', async () => {
      const to = `checked-${process.pid}-unasked`;
      const shop = objectOf('Namespace', NAMESPACE, {}, { namespace: undefined, labels: { team: 'shop' } });
      expect(await restore([shop, PLAIN], to, { yes: 'true', dryRun: 'false' })).toContain(
        `2 objects were created in namespace ${to}`,
      );
      expect((await admin().get(corev1.namespaces, { name: to })).metadata.labels).toMatchObject({
        team: 'shop',
      });
    });

    test('CAP-171 an object that was being deleted, a debugged pod, a claim with finalizers and an old Job come back', async () => {
      const to = await inNamespace();
      const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 };
      const containers = [{ name: 'main', image: 'example.com/app:1' }];
      const old = { 'controller-uid': 'u', 'batch.kubernetes.io/controller-uid': 'u', 'job-name': 'old' };
      const template = { metadata: { labels: old }, spec: { restartPolicy: 'Never', containers } };
      const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
      const finalizers = ['kubernetes.io/pvc-protection', 'example.com/gone'];
      const objects = [
        objectOf('Pod', 'app', {
          spec: {
            serviceAccountName: 'robot',
            priority: 7,
            preemptionPolicy: 'Never',
            containers,
            ephemeralContainers: [{ name: 'debug', image: 'example.com/debug:1' }],
          },
        }),
        objectOf('ServiceAccount', 'robot'),
        objectOf('PersistentVolumeClaim', 'data', { spec: claim }, { ...deleted, finalizers }),
        objectOf('Service', 'web', { spec: { ports: [{ port: 80 }] } }, { ...deleted, finalizers }),
        {
          ...objectOf(
            'Job',
            'old',
            { spec: { selector: { matchLabels: { 'controller-uid': 'u' } }, template } },
            { labels: old },
          ),
          apiVersion: 'batch/v1',
        },
      ];
      const printed = await restore(objects, to);
      expect(printed).toMatch(/create +Service\/web +without finalizer example.com\/gone/);
      expect(printed).toContain('5 objects were created');
      for (const ref of [corev1.persistentvolumeclaims, corev1.services]) {
        const [live] = (await admin().list<KubeObject>(ref, { namespace: to })).items;
        expect(live?.metadata.deletionTimestamp).toBeUndefined();
        expect(live?.metadata.finalizers ?? []).not.toContain('example.com/gone');
      }
    });

    test('CAP-235 the plan names finalizers that are restored: where their controller does not run, nothing removes them', async () => {
      const to = await inNamespace();
      const held = objectOf('ConfigMap', 'held', {}, { finalizers: ['example.com/hold', 'orphan'] });
      expect(await restore([held, PLAIN], to)).toMatch(
        /create +ConfigMap\/held +with finalizer example.com\/hold: it cannot be deleted where its controller does not run\n/,
      );
      const key = { namespace: to, name: 'held' };
      expect((await admin().get(corev1.configmaps, key)).metadata.finalizers).toEqual(['example.com/hold']);
      const body = { metadata: { finalizers: null } };
      await admin().patch(corev1.configmaps, key, { type: 'merge', body });
    });

    test('CAP-174 logs of decisions, migrations and what belongs to them are left out, and a pod is free of its migration', async () => {
      const to = await inNamespace();
      const labels = { 'migration.ms2m.io/migration': 'u', 'migration.ms2m.io/role': 'source', app: 'a' };
      const annotations = { 'migration.ms2m.io/epoch': '2', 'kausality.io/trace': '[]' };
      const objects = [
        { ...objectOf('DecisionLog', 'log'), apiVersion: 'kausality.io/v1alpha1' },
        { ...objectOf('StatefulMigration', 'move'), apiVersion: 'migration.ms2m.io/v1alpha1' },
        { ...objectOf('ControllerRevision', 'ms2m-u', { revision: 1 }, { labels }), apiVersion: 'apps/v1' },
        objectOf('ConfigMap', 'app', {}, { labels, annotations }),
      ];
      const printed = await restore(objects, to);
      expect(printed).toMatch(/left out +DecisionLog\/log +it records what happened/);
      expect(printed).toMatch(/left out +StatefulMigration\/move +it moves a pod once/);
      expect(printed).toMatch(/left out +ControllerRevision\/ms2m-u +it belongs to a StatefulMigration/);
      const { metadata } = await admin().get(corev1.configmaps, { namespace: to, name: 'app' });
      expect(metadata.labels).toEqual({ app: 'a' });
      expect(metadata.annotations ?? {}).toEqual({});
    });

    test('CAP-175 with --existing update what was captured is set again, and what was added stays; with replace it goes', async () => {
      const to = await inNamespace();
      const web = objectOf('Service', 'web', {
        spec: { ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }] },
      });
      await restore([PLAIN, web], to);
      const key = { namespace: to, name: 'plain' };
      const { clusterIP } = (await admin().get(corev1.services, { namespace: to, name: 'web' })).spec ?? {};
      const change = async () => {
        const body = { data: { a: 'changed', added: 'later' } };
        await admin().patch(corev1.configmaps, key, { type: 'merge', body });
        const labels = { metadata: { labels: { added: 'later' } } };
        await admin().patch(corev1.services, { namespace: to, name: 'web' }, { type: 'merge', body: labels });
      };
      const dataAfter = async (existing: string) => {
        const printed = await restore([PLAIN, web], to, { yes: 'true', existing });
        return [printed, (await admin().get(corev1.configmaps, key)).data] as const;
      };
      await change();
      const [updated, data] = await dataAfter('update');
      expect(updated).toMatch(/update +ConfigMap\/plain +differs in data\n/);
      expect(updated).toContain('0 objects were created');
      expect(data).toEqual({ a: 'b', added: 'later' });
      await change();
      const [replaced, only] = await dataAfter('replace');
      expect(replaced).toMatch(/replace +ConfigMap\/plain/);
      expect(only).toEqual({ a: 'b' });
      const live = await admin().get(corev1.services, { namespace: to, name: 'web' });
      expect(live.metadata.labels ?? {}).toEqual({});
      expect(live.spec?.clusterIP).toBe(clusterIP);
    });

    test('CAP-176 a change that the server would reject is in the plan, and nothing is changed', async () => {
      const to = await inNamespace();
      const fixed = objectOf('ConfigMap', 'fixed', { data: { a: 'old' } });
      await restore([PLAIN, fixed], to);
      const data = { data: { a: 'new' } };
      await admin().patch(corev1.configmaps, { namespace: to, name: 'plain' }, { type: 'merge', body: data });
      const immutable = { ...data, immutable: true };
      await admin().patch(
        corev1.configmaps,
        { namespace: to, name: 'fixed' },
        { type: 'merge', body: immutable },
      );
      const failed = restore([PLAIN, fixed], to, { yes: 'true', existing: 'update' });
      await expect(failed).rejects.toThrow(
        /1 of 2 objects are rejected, nothing was changed.*ConfigMap\/fixed/,
      );
      expect((await admin().get(corev1.configmaps, { namespace: to, name: 'plain' })).data).toEqual({
        a: 'new',
      });
    });
  });
}
