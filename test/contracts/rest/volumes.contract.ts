import type { JsonObject } from '@kubewright/kube';
import { describe, expect, it } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import { metaOf } from './namespace-for.ts';
import { causes, storageCalls, unique } from './storage-calls.ts';

const VOLUMES = '/api/v1/persistentvolumes';

/** PersistentVolumes. */
export function volumesContract(server: () => TestServer): void {
  const { clusterWide, patch } = storageCalls(server);
  const volume = (spec: JsonObject, name = unique('pv')): JsonObject => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, ...spec },
  });

  describe('a PersistentVolume', () => {
    it('gets its defaults, a phase and a finalizer', async () => {
      const { body } = await clusterWide(VOLUMES, volume({ hostPath: { path: '/data' } }));
      expect(metaOf(body)).toMatchObject({ finalizers: ['kubernetes.io/pv-protection'] });
      expect(body['spec']).toEqual({
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        hostPath: { path: '/data', type: '' },
        persistentVolumeReclaimPolicy: 'Retain',
        volumeMode: 'Filesystem',
      });
      const { creationTimestamp } = body['metadata'] as JsonObject;
      expect(body['status']).toEqual({ phase: 'Pending', lastPhaseTransitionTime: creationTimestamp });
    });

    const csi = { driver: 'disk.example.com', volumeHandle: 'v1' };
    const term = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] };
    const REFUSED: readonly (readonly [string, JsonObject])[] = [
      ['nothing in it', { accessModes: [], capacity: null }],
      ['another capacity', { capacity: { cpu: '1' }, hostPath: { path: '/a' } }],
      ['no size', { capacity: { storage: '0' }, hostPath: { path: '/a' } }],
      ['a mode nobody knows', { accessModes: ['Sometimes'], hostPath: { path: '/a' } }],
      ['modes that exclude each other', { accessModes: ['ReadWriteOncePod', 'ReadOnlyMany'], csi }],
      ['two sources', { hostPath: { path: '/a' }, nfs: { server: 's', path: '/' } }],
      ['a recycled root', { hostPath: { path: '//.' }, persistentVolumeReclaimPolicy: 'Recycle' }],
      ['a policy nobody knows', { hostPath: { path: '/a' }, persistentVolumeReclaimPolicy: 'Burn' }],
      ['a volume mode nobody knows', { csi, volumeMode: 'Tape' }],
      ['a local path without a node', { local: { path: '/mnt/../x' } }],
      [
        'a local path on a node',
        { local: { path: '' }, nodeAffinity: { required: { nodeSelectorTerms: [term] } } },
      ],
      ['an affinity to nothing', { csi, nodeAffinity: {} }],
      ['a driver with a bad name and no handle', { csi: { driver: 'A_b', volumeHandle: '' } }],
      ['half a secret', { csi: { ...csi, nodePublishSecretRef: { name: 's' } } }],
      ['a bad class', { csi, storageClassName: 'A_b' }],
      ['an attributes class without CSI', { hostPath: { path: '/a' }, volumeAttributesClassName: 'gold' }],
      ['an azure share without a name', { azureFile: { secretName: 's', secretNamespace: '' } }],
    ];
    it('is refused for each of its faults', async () => {
      const said: Record<string, readonly string[]> = {};
      for (const [fault, spec] of REFUSED) said[fault] = causes(await clusterWide(VOLUMES, volume(spec)));
      expect(said).toMatchInlineSnapshot(`
        {
          "a bad class": [
            "422",
            "spec.storageClassName: Invalid value: "A_b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
          ],
          "a driver with a bad name and no handle": [
            "422",
            "spec.csi.driver: Invalid value: "A_b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
            "spec.csi.volumeHandle: Required value",
          ],
          "a local path on a node": [
            "422",
            "spec.local.path: Required value",
          ],
          "a local path without a node": [
            "422",
            "spec.local.path: Invalid value: "/mnt/../x": must not contain '..'",
            "spec.nodeAffinity: Required value: Local volume requires node affinity",
          ],
          "a mode nobody knows": [
            "422",
            "spec.accessModes: Unsupported value: "Sometimes": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"",
          ],
          "a policy nobody knows": [
            "422",
            "spec.persistentVolumeReclaimPolicy: Unsupported value: "Burn": supported values: "Delete", "Recycle", "Retain"",
          ],
          "a recycled root": [
            "422",
            "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
          ],
          "a volume mode nobody knows": [
            "422",
            "spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"",
          ],
          "an affinity to nothing": [
            "422",
            "spec.nodeAffinity.required: Required value: must specify required node constraints",
          ],
          "an attributes class without CSI": [
            "422",
            "spec.csi: Required value: has to be specified when using volumeAttributesClassName",
          ],
          "an azure share without a name": [
            "422",
            "spec.azureFile.shareName: Required value",
            "spec.azureFile.secretNamespace: Required value",
          ],
          "another capacity": [
            "422",
            "spec.capacity: Unsupported value: {"cpu":"1"}: supported values: "storage"",
          ],
          "half a secret": [
            "422",
            "spec.csi.nodePublishSecretRef.namespace: Required value",
          ],
          "modes that exclude each other": [
            "422",
            "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes",
          ],
          "no size": [
            "422",
            "spec.capacity[storage]: Invalid value: "0": must be greater than zero",
          ],
          "nothing in it": [
            "422",
            "spec.accessModes: Required value",
            "spec.capacity: Required value",
            "spec.capacity: Unsupported value: null: supported values: "storage"",
            "spec: Required value: must specify a volume type",
          ],
          "two sources": [
            "422",
            "spec.nfs: Forbidden: may not specify more than 1 volume type",
          ],
        }
      `);
    });

    it('keeps its source, its mode and its affinity, and may change the rest', async () => {
      const affinity = { required: { nodeSelectorTerms: [term] } };
      const { body } = await clusterWide(VOLUMES, volume({ csi, nodeAffinity: affinity }));
      const path = `${VOLUMES}/${metaOf(body).name}`;
      const first = async (spec: JsonObject): Promise<readonly (string | undefined)[]> =>
        causes(await patch(path, { spec })).map((text) => text.split('\n')[0]);
      expect(await first({ csi: { volumeHandle: 'v2' } })).toEqual([
        '422',
        'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation',
      ]);
      expect(await first({ volumeMode: 'Block' })).toEqual([
        '422',
        'volumeMode: Invalid value: "Block": field is immutable',
      ]);
      expect(await first({ nodeAffinity: null })).toEqual([
        '422',
        'nodeAffinity: Invalid value: null: field is immutable, except for updating from beta label to GA',
      ]);
      const secret = { name: 's', namespace: 'd' };
      expect(await first({ csi: { controllerExpandSecretRef: secret } })).toEqual(['200']);
      expect(await first({ capacity: { storage: '2Gi' }, persistentVolumeReclaimPolicy: 'Delete' })).toEqual([
        '200',
      ]);
    });

    it('notes when it comes to another phase, and its status is written apart', async () => {
      const { body } = await clusterWide(VOLUMES, volume({ csi }));
      const path = `${VOLUMES}/${metaOf(body).name}`;
      const long = '2001-01-01T00:00:00Z';
      await patch(`${path}/status`, { status: { lastPhaseTransitionTime: long } });
      const same = await patch(`${path}/status`, { status: { message: 'x', lastPhaseTransitionTime: null } });
      expect(same.body['status']).toEqual({ phase: 'Pending', message: 'x', lastPhaseTransitionTime: long });
      const next = await patch(`${path}/status`, { status: { phase: 'Available' }, spec: { csi: null } });
      expect(next.body['status']).toMatchObject({ phase: 'Available' });
      expect(next.body['status']).not.toMatchObject({ lastPhaseTransitionTime: long });
      expect(next.body['spec']).toEqual(body['spec']);
      const unheard = await patch(path, { status: { phase: 'Failed' } });
      expect(unheard.body['status']).toMatchObject({ phase: 'Available' });
    });

    it('warns of what is deprecated', async () => {
      const given = volume({ hostPath: { path: '/a' }, persistentVolumeReclaimPolicy: 'Recycle' });
      const answer = await clusterWide(VOLUMES, {
        ...given,
        metadata: {
          name: unique('old'),
          annotations: { 'volume.beta.kubernetes.io/storage-class': 'gold' },
        },
      });
      expect(answer.warnings).toMatchInlineSnapshot(`
        [
          "299 - "metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use \\"storageClassName\\" attribute instead"",
          "299 - "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning."",
        ]
      `);
    });
  });
}
