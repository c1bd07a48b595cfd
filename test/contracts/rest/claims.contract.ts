import type { Json, JsonObject } from '@kubewright/kube';
import { describe, expect, it } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import type { Answer } from '../../support/api.ts';
import { metaOf, namespaceFor } from './namespace-for.ts';
import { causes, storageCalls, unique } from './storage-calls.ts';

const CLASSES = '/apis/storage.k8s.io/v1/storageclasses';

/** The first line of why not. */
const causeless = ({ body }: Answer): string => (body as { message?: string }).message?.split('\n')[0] ?? '';

/** Claims, and the classes of storage. */
export function claimsContract(server: () => TestServer): void {
  const namespace = namespaceFor(server, 'claims');
  const claims = `/api/v1/namespaces/${namespace.name}/persistentvolumeclaims`;
  const { clusterWide, patch, send } = storageCalls(server);
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
