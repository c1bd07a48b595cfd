import { corev1, storagev1, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { OBJECT_KEEPERS } from './api/object-keeper.ts';
import { SNAPSHOT_CONTENTS } from './api/snapshots.ts';
import { VOLUME_CAPTURE_REQUESTS } from './api/volume-capture-request.ts';
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
      apiGroups: [''],
      resources: ['configmaps', 'persistentvolumeclaims', 'serviceaccounts'],
    };
    const capture = useOperator(transport, captureParts, { anyKind });
    const { namespace } = capture;
    const run = (line: string, options: Readonly<Record<string, string>> = {}): Promise<string> =>
      runCommand(capture, transport(), line.split(' '), options);
    const key = (name: string) => ({ namespace, name });
    const claim = (name: string) => capture.admin.get(corev1.persistentvolumeclaims, key(name));

    beforeAll(async () => {
      await admissionChecks(capture);
      await nameSnapshotClass(capture.admin);
      const metadata = key('settings');
      await capture.admin.create(corev1.configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    });

    test('CAP-197 without volumes is its manifests, and none can be restored', async () => {
      const printed = await run(`application ${namespace}`);
      const checkpoint = /capture restore (\S+) --volumes/.exec(printed)?.[1] ?? expect.fail(printed);
      await expect(run(`restore ${checkpoint}`, { volumes: 'true' })).rejects.toThrow(
        'no snapshot was taken',
      );
      await expect(run('restore ./shop', { volumes: 'true' })).rejects.toThrow('no part of an export');
    });

    test('CAP-198 is taken with its volumes, kept, deleted, and restored with their data by one command', async () => {
      for (const name of ['orders', 'prices']) {
        const bound = await boundClaim(capture.admin, namespace, name);
        disks.write(await handleOf(capture.admin, bound), 'file', `${name} of then`);
      }
      const printed = await run(`application ${namespace}`, { for: '1h' });
      const checkpoint = /capture restore (\S+) --volumes/.exec(printed)?.[1] ?? expect.fail(printed);
      expect(printed).toContain('The 2 snapshots are of moments one after another');
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

      const plan = await run(`restore ${checkpoint}`, { volumes: 'true', dryRun: 'server' });
      expect(plan).toMatch(/create +PersistentVolumeClaim\/orders +with the data of volumesnapshotcontent\//);
      const restored = await run(`restore ${checkpoint}`, { volumes: 'true', yes: 'true' });
      expect(restored).toContain('3 objects were created');
      for (const name of ['orders', 'prices']) {
        const handle = await handleOf(capture.admin, await claim(name));
        expect(disks.volume(handle).content).toEqual({ file: `${name} of then` });
      }
      // It is as it was: there is nothing to do again.
      expect(await run(`restore ${checkpoint}`, { volumes: 'true', dryRun: 'server' })).toMatch(
        /unchanged +PersistentVolumeClaim\/orders/,
      );
      const elsewhere = run(`restore ${checkpoint}`, { volumes: 'true', to: `${namespace}-2` });
      await expect(elsewhere).rejects.toThrow(`snapshots are restored in namespace ${namespace} alone`);
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
