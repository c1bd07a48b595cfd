import { createApiServer, type UserInfo } from '@kubewright/apiserver';
import { createClient, isNotFound, systemClock } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { startControllers } from '../../controllers/start-controllers.ts';
import { StorageBackend } from '../backend/storage-backend.ts';
import { startStorage } from '../start-storage.ts';

const KEY = { namespace: 'default', name: 'data' };
const CLAIM: corev1.PersistentVolumeClaim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: KEY,
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName: 'standard',
  },
};

test.each(['is gone', 'has a successor of the same name'])(
  'a volume of which nobody knows whether it was made is deleted when its claim %s',
  async (what) => {
    const stop = new AbortController();
    const server = createApiServer();
    const client = createClient(server.transport());
    let isLost = true;
    const backend = new StorageBackend({
      clock: systemClock,
      behave: ({ operation }) => ({ lost: isLost && operation === 'CreateVolume' }),
    });
    const environment = { connect: (user?: UserInfo) => server.transport(user), signal: stop.signal };
    const controllers = startControllers({
      ...environment,
      controllers: [
        'persistentvolume-binder-controller',
        'persistentvolume-protection-controller',
        'persistentvolumeclaim-protection-controller',
      ],
    });
    const storage = startStorage({ ...environment, backend, backoff: { baseMs: 20, maxMs: 100 } });
    await Promise.all([controllers.ready, storage.ready]);
    const first = await client.create(corev1.persistentvolumeclaims, CLAIM);
    await expect.poll(() => backend.volumes()).toHaveLength(1);
    await client.delete(corev1.persistentvolumeclaims, KEY);
    await expect.poll(() => client.get(corev1.persistentvolumeclaims, KEY).catch(isNotFound)).toBe(true);
    const isFollowed = what !== 'is gone';
    if (isFollowed) await client.create(corev1.persistentvolumeclaims, CLAIM);
    isLost = false;
    await expect
      .poll(() => backend.volumes().map(({ handle }) => handle))
      .not.toContain(`vol-pvc-${first.metadata.uid}`);
    await expect.poll(() => backend.volumes()).toHaveLength(isFollowed ? 1 : 0);
    const volumes = async (): Promise<number> => (await client.list(corev1.persistentvolumes)).items.length;
    await expect.poll(volumes).toBe(isFollowed ? 1 : 0);
    stop.abort();
    await Promise.all([controllers.ended, storage.ended]);
    await server.close();
  },
);
