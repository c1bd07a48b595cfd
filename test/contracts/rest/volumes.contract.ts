import { randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '@kubewright/kube';
import { afterEach, describe, expect, it } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import { type Answer, call, PATCH } from '../../support/api.ts';
import { metaOf, namespaceFor } from './namespace-for.ts';

const VOLUMES = '/api/v1/persistentvolumes';
const CLASSES = '/apis/storage.k8s.io/v1/storageclasses';

/** What the server says of a refused object. */
const causes = ({ status, body }: Answer): readonly string[] => {
  const details = (body['details'] ?? {}) as {
    readonly causes?: readonly { readonly field: string; readonly message: string }[];
  };
  const all = (details.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
  return [String(status), ...all];
};

/** The first line of why not. */
const causeless = ({ body }: Answer): string => (body as { message?: string }).message?.split('\n')[0] ?? '';

/** PersistentVolumes, claims and the classes of storage. */
export function volumesContract(server: () => TestServer): void {
  const namespace = namespaceFor(server, 'volumes');
  const claims = `/api/v1/namespaces/${namespace.name}/persistentvolumeclaims`;
  const send = (verb: 'POST' | 'DELETE', path: string, body?: JsonObject): Promise<Answer> =>
    call(server().transport(), verb, path, body);
  const patch = (path: string, body: JsonObject): Promise<Answer> =>
    call(server().transport(), 'PATCH', path, body, PATCH.merge);

  const made: string[] = [];
  const clusterWide = async (collection: string, object: JsonObject): Promise<Answer> => {
    const answer = await send('POST', collection, object);
    if (answer.status < 300) made.push(`${collection}/${metaOf(answer.body).name}`);
    return answer;
  };
  afterEach(async () => {
    for (const path of made.splice(0)) {
      await send('DELETE', path);
      await patch(path, { metadata: { finalizers: null } });
    }
  });

  const unique = (prefix: string): string => `${prefix}-${randomUUID().slice(0, 8)}`;
  const volume = (spec: JsonObject, name = unique('pv')): JsonObject => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, ...spec },
  });
  const claim = (spec: JsonObject, name = unique('claim')): JsonObject => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  });
  const storageClass = (more: JsonObject = {}, annotations: JsonObject = {}): JsonObject => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: unique('class'), annotations },
    provisioner: 'example.com/disk',
    ...more,
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

  describe('a claim', () => {
    it('gets the newest default class, unless it names one, even none', async () => {
      const isDefault = { 'storageclass.kubernetes.io/is-default-class': 'true' };
      const { body } = await clusterWide(CLASSES, storageClass({}, isDefault));
      const classOf = async (spec: JsonObject): Promise<Json | undefined> => {
        const answer = await send('POST', claims, claim(spec));
        return (answer.body['spec'] as JsonObject)['storageClassName'];
      };
      const { name } = metaOf(body);
      await expect.poll(() => classOf({})).toBe(name);
      expect(await classOf({ storageClassName: '' })).toBe('');
      expect(await classOf({ storageClassName: 'gold' })).toBe('gold');
      await send('DELETE', `${CLASSES}/${name}`);
      await expect.poll(() => classOf({})).toBeUndefined();
    });

    it('grows only when it is bound, and its class lets it', async () => {
      const { body: grows } = await clusterWide(CLASSES, storageClass({ allowVolumeExpansion: true }));
      const grow = async (storageClassName: string, phase: string): Promise<readonly Json[]> => {
        const { body } = await send('POST', claims, claim({ storageClassName }));
        const path = `${claims}/${metaOf(body).name}`;
        const status = { phase, capacity: { storage: '1Gi' } };
        await patch(`${path}/status`, { status });
        const answer = await patch(path, { spec: { resources: { requests: { storage: '2Gi' } } } });
        const name = String(metaOf(body).name);
        return [answer.status, causeless(answer).replace(name, 'NAME')];
      };
      const name = metaOf(grows).name ?? '';
      await expect.poll(() => grow(name, 'Bound')).toEqual([200, '']);
      expect([await grow(name, 'Pending'), await grow('none', 'Bound')]).toMatchInlineSnapshot(`
        [
          [
            422,
            "PersistentVolumeClaim "NAME" is invalid: spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims",
          ],
          [
            403,
            "persistentvolumeclaims "NAME" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
          ],
        ]
      `);
    });

    it('never shrinks below what it has, and keeps the rest of its spec', async () => {
      const { body } = await send('POST', claims, claim({ storageClassName: 'gold' }));
      const path = `${claims}/${metaOf(body).name}`;
      await patch(`${path}/status`, { status: { phase: 'Bound', capacity: { storage: '1Gi' } } });
      const first = async (spec: JsonObject): Promise<readonly (string | undefined)[]> =>
        causes(await patch(path, { spec })).map((text) => text.split('\n')[0]);
      expect([
        await first({ resources: { requests: { storage: '1Mi' } } }),
        await first({ accessModes: ['ReadWriteMany'] }),
        await first({ volumeName: 'pv-1' }),
        await first({ volumeName: 'pv-2' }),
        await first({ volumeMode: 'Block' }),
      ]).toMatchInlineSnapshot(`
        [
          [
            "422",
            "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity",
          ],
          [
            "422",
            "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims",
          ],
          [
            "200",
          ],
          [
            "422",
            "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims",
          ],
          [
            "422",
            "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims",
            "volumeMode: Invalid value: "Block": field is immutable",
          ],
        ]
      `);
      expect(
        causes(await patch(`${path}/status`, { status: { capacity: { storage: '-1' } } })),
      ).toMatchInlineSnapshot(`
        [
          "422",
          "status.capacity[storage]: Invalid value: -1: must be a valid resource quantity",
        ]
      `);
    });
  });

  it('a VolumeAttributesClass is kept while in use, and never changes', async () => {
    const classes = '/apis/storage.k8s.io/v1/volumeattributesclasses';
    const given = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttributesClass',
      driverName: 'd.example.com',
    };
    const named = (more: JsonObject): JsonObject => ({
      ...given,
      metadata: { name: unique('vac') },
      ...more,
    });
    const { body } = await clusterWide(classes, named({ parameters: { iops: '5' } }));
    expect(metaOf(body)).toMatchObject({ finalizers: ['kubernetes.io/vac-protection'] });
    const change = { parameters: { iops: '6' }, driverName: 'e.example.com' };
    expect([
      causes(await clusterWide(classes, named({ parameters: {}, driverName: '' }))),
      causes(await patch(`${classes}/${metaOf(body).name}`, change)),
    ]).toMatchInlineSnapshot(`
      [
        [
          "422",
          "driverName: Required value",
          "parameters: Required value: must contain at least one key/value pair",
        ],
        [
          "422",
          "driverName: Forbidden: updates to driverName are forbidden.",
          "parameters: Forbidden: updates to parameters are forbidden.",
        ],
      ]
    `);
  });

  it('a CSIStorageCapacity keeps what it is about', async () => {
    const capacities = `/apis/storage.k8s.io/v1/namespaces/${namespace.name}/csistoragecapacities`;
    const given = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIStorageCapacity',
      metadata: { name: unique('capacity') },
      storageClassName: 'gold',
      nodeTopology: { matchLabels: { zone: 'a' } },
      capacity: '1Ti',
    };
    const { body } = await send('POST', capacities, given);
    const path = `${capacities}/${metaOf(body).name}`;
    expect((await patch(path, { capacity: '2Ti' })).status).toBe(200);
    expect([
      causes(await patch(path, { storageClassName: 'iron', capacity: '-1' })),
      causes(await send('POST', capacities, { ...given, metadata: { name: 'x' }, storageClassName: '' })),
    ]).toMatchInlineSnapshot(`
      [
        [
          "422",
          "capacity: Invalid value: "-1": must be greater than or equal to 0",
          "storageClassName: Invalid value: "iron": field is immutable",
        ],
        [
          "422",
          "storageClassName: Invalid value: "": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        ],
      ]
    `);
  });
}
