import { describe, expect, test } from 'vitest';
import { snapshotSecret } from './snapshot-secret.ts';

const TOKENS = { content: 'snapshot-1', snapshot: { namespace: 'shop', name: 'orders' } };

/** The Secret that a class with these parameters names. */
const secretOf = (name?: string, namespace?: string) =>
  snapshotSecret(
    {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotClass',
      metadata: { name: 'daily' },
      driver: 'disk',
      deletionPolicy: 'Delete',
      parameters: {
        tier: 'cold',
        ...(name !== undefined && { 'csi.storage.k8s.io/snapshotter-secret-name': name }),
        ...(namespace !== undefined && { 'csi.storage.k8s.io/snapshotter-secret-namespace': namespace }),
      },
    },
    TOKENS,
  );

describe('the Secret of a snapshot', () => {
  test('is none where the class names none', () => expect(secretOf()).toBeUndefined());

  test('is the one that the class names', () =>
    expect(secretOf('disk-credentials', 'storage')).toEqual({
      name: 'disk-credentials',
      namespace: 'storage',
    }));

  test('may depend on the snapshot and its content', () =>
    expect(
      secretOf('${volumesnapshot.name}-${volumesnapshotcontent.name}', '${volumesnapshot.namespace}'),
    ).toEqual({ name: 'orders-snapshot-1', namespace: 'shop' }));

  test.each([
    ['with a name only', 'disk', undefined, 'needs both parameters'],
    ['with a namespace only', undefined, 'storage', 'needs both parameters'],
    ['with an empty name', '', 'storage', 'needs both parameters'],
    ['in a namespace that users choose', 'disk', '${volumesnapshot.name}', '${volumesnapshot.name}'],
    ['by a token that does not exist', '${pvc.name}', 'storage', '${pvc.name}'],
  ])('cannot be known %s', (_title, name, namespace, message) =>
    expect(secretOf(name, namespace)).toMatchObject({
      reason: 'InternalError',
      message: expect.stringContaining(message),
    }),
  );
});
