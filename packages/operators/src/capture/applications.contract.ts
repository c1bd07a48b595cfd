import type { Client } from '@kubewright/client';
import { appsv1, corev1, type KubeObject, storagev1, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { ANNOTATIONS, LABELS } from './api/annotations.ts';
import { OBJECT_KEEPERS } from './api/object-keeper.ts';
import { SNAPSHOT_CONTENTS } from './api/snapshots.ts';
import { VOLUME_CAPTURE_REQUESTS } from './api/volume-capture-request.ts';
import { VOLUME_RESTORE_REQUESTS } from './api/volume-restore-request.ts';
import { captureParts } from './controller.ts';
import { admissionChecks } from './testing/admission-checks.ts';
import { runCommand } from './testing/run-command.ts';
import { boundClaim, handleOf, nameSnapshotClass } from './testing/volumes.ts';

type Disks = {
  write(handle: string, path: string, text: string): void;
  volume(handle: string): { readonly content: Readonly<Record<string, string>> };
};

/** A namespace with its volumes, taken and restored at once. */
export function applicationsContract(transport: () => Transport, disks: Disks): void {
  describe('an application', () => {
    const anyKind = {
      apiGroups: ['', 'apps'],
      resources: ['configmaps', 'persistentvolumeclaims', 'serviceaccounts', 'deployments'],
    };
    const capture = useOperator(transport, captureParts, { anyKind });
    const { namespace } = capture;
    const run = (line: string, options: Readonly<Record<string, string>> = {}): Promise<string> =>
      runCommand(capture, transport(), line.split(' '), options);
    const key = (name: string) => ({ namespace, name });
    const claim = (name: string) => capture.admin.get(corev1.persistentvolumeclaims, key(name));

    const claimsIn = async (where: string): Promise<readonly string[]> => {
      const { items } = await capture.admin.list(corev1.persistentvolumeclaims, { namespace: where });
      return items.map(({ metadata }) => metadata.name).toSorted();
    };

    beforeAll(async () => {
      await admissionChecks(capture);
      await nameSnapshotClass(capture.admin);
      const metadata = key('settings');
      await capture.admin.create(corev1.configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    });

    test('CAP-197 without volumes is its manifests, and none can be restored', async () => {
      const printed = await run(`application ${namespace}`);
      const checkpoint = /capture restore (\S+)\n/.exec(printed)?.[1] ?? expect.fail(printed);
      await expect(run(`restore ${checkpoint}`, { volumes: 'true' })).rejects.toThrow(
        'no snapshot was taken',
      );
      await expect(run('restore ./shop', { volumes: 'true' })).rejects.toThrow('no part of an export');
    });

    test('CAP-198 CAP-238 is taken with its volumes, kept, deleted, and restored by one command, claims with their data before what uses them', async () => {
      for (const name of ['orders', 'prices']) {
        const bound = await boundClaim(capture.admin, namespace, name);
        disks.write(await handleOf(capture.admin, bound), 'file', `${name} of then`);
      }
      await capture.admin.create(appsv1.deployments, deployment(namespace));
      const printed = await run(`application ${namespace}`, { for: '1h' });
      const checkpoint = /capture restore (\S+) --volumes/.exec(printed)?.[1] ?? expect.fail(printed);
      const apart = /of moments \d+\.\d{3} s apart/u;
      expect(printed).toMatch(new RegExp(`The 2 snapshots are ${apart.source}, and nothing was paused`, 'u'));
      const labelSelector = `capture.kubewright.io/checkpoint=${checkpoint}`;
      const { items } = await capture.admin.list(SNAPSHOT_CONTENTS, { labelSelector });
      expect(items.map(({ metadata }) => metadata.annotations?.['capture.kubewright.io/claim'])).toEqual(
        expect.arrayContaining(['orders', 'prices']),
      );
      for (const { metadata } of items) {
        const { name = '' } = metadata.ownerReferences?.[0] ?? {};
        expect((await capture.admin.get(OBJECT_KEEPERS, { name })).spec).toEqual({ mode: 'TTL', ttl: '1h' });
      }

      await capture.admin.deleteAll(VOLUME_CAPTURE_REQUESTS, { namespace });
      for (const name of ['orders', 'prices']) {
        await capture.admin.delete(corev1.persistentvolumeclaims, key(name));
        await waitForObject(
          capture.admin,
          corev1.persistentvolumeclaims,
          key(name),
          (live) => live === undefined,
        );
      }
      await capture.admin.delete(corev1.configmaps, key('settings'));
      await capture.admin.delete(appsv1.deployments, key('web'));

      const plan = await run(`restore ${checkpoint}`, { volumes: 'true', dryRun: 'server' });
      expect(plan).toMatch(new RegExp(`The data of its 2 volumes is ${apart.source}`, 'u'));
      expect(plan).toMatch(/create +PersistentVolumeClaim\/orders +with the data of volumesnapshotcontent\//);
      let before: readonly string[] = [];
      const admin = watched(capture.admin, async ({ kind }) => {
        if (kind === 'Deployment') before = await claimsIn(namespace);
      });
      const options = { volumes: 'true', yes: 'true' };
      const restored = await runCommand({ admin, namespace }, transport(), ['restore', checkpoint], options);
      expect(restored).toContain('4 objects were created');
      expect(before).toEqual(['orders', 'prices']);
      for (const name of ['orders', 'prices']) {
        const handle = await handleOf(capture.admin, await claim(name));
        expect(disks.volume(handle).content).toEqual({ file: `${name} of then` });
      }
      // It is as it was: there is nothing to do again.
      expect(await run(`restore ${checkpoint}`, { volumes: 'true', dryRun: 'server' })).toMatch(
        /unchanged +PersistentVolumeClaim\/orders/,
      );
    });

    describe('in another namespace', () => {
      let checkpoint = '';
      const slow = `${namespace}-slow`;
      const classOf = (name: string, provisioner: string, parameters = {}): Promise<unknown> =>
        capture.admin.create(storagev1.storageclasses, {
          apiVersion: 'storage.k8s.io/v1',
          kind: 'StorageClass',
          metadata: { name },
          provisioner,
          parameters,
        });

      beforeAll(async () => {
        const { provisioner } = await capture.admin.get(storagev1.storageclasses, { name: 'standard' });
        await classOf(slow, provisioner, {
          'simulate-operation': 'CreateVolume',
          'simulate-delay-ms': '500',
        });
        await classOf(`${namespace}-tape`, 'tape.example.com');
        await boundClaim(capture.admin, namespace, 'second');
        const bound = await boundClaim(capture.admin, namespace, 'first');
        disks.write(await handleOf(capture.admin, bound), 'file', 'first of then');
        const printed = await run(`application ${namespace}`);
        checkpoint = /capture restore (\S+) --volumes/.exec(printed)?.[1] ?? expect.fail(printed);
      });

      test('CAP-236 CAP-238 has its data, also in a class that takes the place of the old one, and a restore that was interrupted goes on', async () => {
        const to = `${namespace}-2`;
        const wanted = { volumes: 'true', to, storageClass: `standard=${slow}` };
        const restore = (
          before: (object: KubeObject) => Promise<void>,
          { signal } = new AbortController(),
        ): Promise<string> => {
          const requester = { admin: watched(capture.admin, before), namespace, signal };
          return runCommand(requester, transport(), ['restore', checkpoint], { ...wanted, yes: 'true' });
        };
        const stop = new AbortController();
        const interrupted = restore(async (object) => {
          if (object.kind !== 'VolumeRestoreRequest') return;
          await capture.admin.create<KubeObject>(VOLUME_RESTORE_REQUESTS, object);
          stop.abort();
          throw new TypeError('no response');
        }, stop);
        await expect(interrupted).rejects.toThrow(
          /^interrupted; \d of \d objects are written, and stay.*; run the same command again to continue$/u,
        );
        expect(await restore(async () => {})).toContain(`objects were created in namespace ${to}`);
        const { items } = await capture.admin.list(VOLUME_RESTORE_REQUESTS, { namespace: to });
        expect(items.map(({ spec }) => spec.pvcTemplate.metadata.name).toSorted()).toEqual(
          await claimsIn(to),
        );
        const restored = await waitForObject(
          capture.admin,
          corev1.persistentvolumeclaims,
          { namespace: to, name: 'first' },
          (live) => live?.status?.phase === 'Bound',
        );
        if (restored === undefined) expect.fail('there is no claim');
        const { content } = disks.volume(await handleOf(capture.admin, restored));
        expect(content).toEqual({ file: 'first of then' });
        expect(restored.spec.storageClassName).toBe(slow);
        // It is as it was planned: there is nothing to do again.
        expect(await run(`restore ${checkpoint}`, { ...wanted, dryRun: 'server' })).toMatch(
          /unchanged +PersistentVolumeClaim\/first/,
        );
      });

      test('CAP-237 whose data cannot be restored: the plan says so, before anything is made', async () => {
        const to = `${namespace}-3`;
        const metadata = { name: to };
        const object = { apiVersion: 'v1', kind: 'Namespace', metadata };
        await capture.admin.create<KubeObject>(corev1.namespaces, object);
        const wanted = { volumes: 'true', to, storageClass: `standard=${namespace}-tape`, yes: 'true' };
        await expect(run(`restore ${checkpoint}`, wanted)).rejects.toThrow(
          `its data cannot be restored: StorageClass ${namespace}-tape uses tape.example.com, the snapshot`,
        );
        expect(await claimsIn(to)).toEqual([]);
      });

      test('CAP-244 of a volume whose snapshot is gone is not made empty', async () => {
        const labelSelector = `capture.kubewright.io/checkpoint=${checkpoint}`;
        const { items } = await capture.admin.list(SNAPSHOT_CONTENTS, { labelSelector });
        const lost = items.find(
          ({ metadata: { annotations = {} } }) => annotations[ANNOTATIONS.claim] === 'first',
        );
        const { name } = lost?.metadata ?? expect.fail('there is no snapshot');
        const body = { metadata: { labels: { [LABELS.checkpoint]: null } } };
        await capture.admin.patch(SNAPSHOT_CONTENTS, { name }, { type: 'merge', body });
        const restored = run(`restore ${checkpoint}`, { volumes: 'true', to: `${namespace}-4`, yes: 'true' });
        await expect(restored).rejects.toThrow(
          'PersistentVolumeClaim/first: the snapshot of its volume is gone: without --volumes it is made empty',
        );
      });
    });

    test('CAP-241 CAP-242 shows what it waits for and how many are done; one that is interrupted says how to go on, and goes on', async () => {
      const stop = new AbortController();
      const lines: string[] = [];
      const interrupted = runCommand(
        {
          ...capture,
          signal: stop.signal,
          progress: (line) => void (line !== '' && lines.push(line)),
          out: (text) => void (/^VolumeCaptureRequest .*: in progress/u.test(text) && stop.abort()),
        },
        transport(),
        ['application', namespace],
        { for: '1h' },
      );
      const { message } = await interrupted.then(() => expect.fail('it was not interrupted'), asError);
      const [, name = ''] =
        /kubewright capture application \S+ --resume (\S+) --for 1h" goes on/u.exec(message) ?? [];
      expect(message).toMatch(/^interrupted; \w+ \S+ goes on in the cluster; /u);
      const awaited =
        /^\d of \d requests are done; waiting for (Manifest|Volume)CaptureRequest \S+: (waiting for the operator|in progress|Processing)/u;
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) expect(line).toMatch(awaited);
      const printed = await run(`application ${namespace}`, { resume: name, for: '1h' });
      await expect(run(`pvc nowhere`, { resume: name })).rejects.toThrow('there is no VolumeCaptureRequest');
      expect(await run(`namespace ${namespace}`, { resume: name })).toContain(
        'Look at it: kubewright capture show',
      );
      const checkpoint = /capture restore (\S+) --volumes/.exec(printed)?.[1] ?? expect.fail(printed);
      expect(printed).toMatch(/ObjectKeeper keep-\w+ keeps VolumeSnapshotContent/u);
      const claims = await claimsIn(namespace);
      expect(printed).toContain(`The ${claims.length} snapshots`);
      const plan = await run(`restore ${checkpoint}`, { volumes: 'true', dryRun: 'server' });
      for (const claim of claims) expect(plan).toContain(`PersistentVolumeClaim/${claim}`);
      await expect(run(`application ${namespace}`, { resume: 'application-0' })).rejects.toThrow(
        `there is no ManifestCaptureRequest "application-0" in namespace ${namespace}: requests go some time after`,
      );
    });

    test('CAP-199 fails as a whole where one volume cannot be taken, once all requests have ended', async () => {
      const body = { metadata: { annotations: { 'storage.deckhouse.io/volumesnapshotclass': 'nowhere' } } };
      await capture.admin.patch(storagev1.storageclasses, { name: 'standard' }, { type: 'merge', body });
      await expect(run(`application ${namespace}`)).rejects.toThrow('VolumeCaptureRequest');
      const { items } = await capture.admin.list(VOLUME_CAPTURE_REQUESTS, { namespace });
      expect(items.every(({ status }) => status?.completionTimestamp !== undefined)).toBe(true);
      await nameSnapshotClass(capture.admin);
    });
  });
}

/** Calls a function before each create that is no dry run. */
function watched(client: Client, before: (object: KubeObject) => void | Promise<void>): Client {
  const create: Client['create'] = async (ref, object, options) => {
    if (options?.dryRun !== true) await before(object);
    return client.create(ref, object, options);
  };
  return { ...client, create };
}

function deployment(namespace: string): appsv1.Deployment {
  const labels = { app: 'web' };
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'first' } }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name: 'web' },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'web', image: 'example.com/web' }], volumes },
      },
    },
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new TypeError(String(error));
}
