import { corev1 } from '@kubewright/kube';
import { expect, test } from 'vitest';
import type { VolumeStory } from './volume-story.ts';

/** What becomes of a volume without its claim, and of a claim without its volume. */
export function releaseContract(story: () => VolumeStory): void {
  test('a claim whose volume is gone is lost', async () => {
    await story().createVolume('only');
    await story().inPhase('only', 'Available');
    await story().createClaim('data');
    await story().bound('data');
    await story().inPhase('only', 'Bound');
    const key = { name: story().own('only') };
    await story().client.delete(corev1.persistentvolumes, key);
    await story().client.patch(corev1.persistentvolumes, key, {
      type: 'merge',
      body: { metadata: { finalizers: null } },
    });
    const lost = await story().claim('data', ({ status }) => status?.phase === 'Lost');
    expect(lost.status).toEqual({ phase: 'Lost' });
    await expect
      .poll(() => story().events('PersistentVolumeClaim', 'data'))
      .toEqual(['Warning ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!']);
  });

  test('a volume whose claim is gone is retained, deleted or failed as its policy says', async () => {
    const cases = {
      retained: { persistentVolumeReclaimPolicy: 'Retain' },
      deleted: { persistentVolumeReclaimPolicy: 'Delete' },
      elsewhere: { persistentVolumeReclaimPolicy: 'Delete', hostPath: { path: '/var/x' } },
      network: { persistentVolumeReclaimPolicy: 'Delete', nfs: { server: 's', path: '/' } },
      external: {
        persistentVolumeReclaimPolicy: 'Delete',
        csi: { driver: 'disk.example.com', volumeHandle: 'h' },
      },
      channel: { persistentVolumeReclaimPolicy: 'Recycle', fc: { targetWWNs: ['a'], lun: 0 } },
    } as const;
    for (const [name, spec] of Object.entries(cases)) {
      await story().createVolume(name, { ...spec, claimRef: { namespace: story().namespace, name } });
      await story().createClaim(name);
      await story().bound(name);
      await story().removeClaim(name);
      await story().gone('claim', name);
    }
    expect((await story().inPhase('retained', 'Released')).spec.claimRef?.name).toBe('retained');
    await story().gone('volume', 'deleted');
    await story().inPhase('external', 'Released');
    const failures: Record<string, unknown> = {};
    for (const name of ['elsewhere', 'network', 'channel']) {
      const { status } = await story().inPhase(name, 'Failed');
      await expect.poll(() => story().events('PersistentVolume', story().own(name))).toHaveLength(1);
      const [told] = await story().events('PersistentVolume', story().own(name));
      failures[name] = [status?.message?.replaceAll(story().namespace, 'NS'), told];
    }
    expect(failures).toMatchInlineSnapshot(`
      {
        "channel": [
          "No recycler plugin found for the volume!",
          "Warning VolumeFailedRecycle: No recycler plugin found for the volume!",
        ],
        "elsewhere": [
          "host_path deleter only supports /tmp/.+ but received provided /var/x",
          "Warning VolumeFailedDelete: host_path deleter only supports /tmp/.+ but received provided /var/x",
        ],
        "network": [
          "error getting deleter volume plugin for volume "NS-network": no deletable volume plugin matched",
          "Warning VolumeFailedDelete: error getting deleter volume plugin for volume "NS-network": no deletable volume plugin matched",
        ],
      }
    `);
  });

  test('a released volume that forgets its claim is available again', async () => {
    await story().createVolume('used');
    await story().inPhase('used', 'Available');
    await story().createClaim('data');
    await story().bound('data');
    await story().removeClaim('data');
    await story().inPhase('used', 'Released');
    const body = { spec: { claimRef: null } };
    await story().client.patch(
      corev1.persistentvolumes,
      { name: story().own('used') },
      { type: 'merge', body },
    );
    await story().inPhase('used', 'Available');
    await story().createClaim('next');
    expect((await story().bound('next')).spec.volumeName).toBe(story().own('used'));
  });

  test('a claim in use stays until its pod is gone, and its volume as long as it is bound', async () => {
    await story().createVolume('used');
    await story().inPhase('used', 'Available');
    await story().createClaim('data');
    await story().bound('data');
    await story().createPod('user', ['data'], 'somewhere');
    await story().client.delete(corev1.persistentvolumes, { name: story().own('used') });
    await story().removeClaim('data');
    // Who is looked at later is not kept: so the first has been looked at.
    await story().createClaim('fence');
    await story().createPod('waiting', ['fence']);
    await story().removeClaim('fence');
    await story().gone('claim', 'fence');
    expect((await story().claim('data', () => true)).metadata.deletionTimestamp).toBeDefined();
    await story().client.delete(corev1.pods, story().key('user'), { gracePeriodSeconds: 0 });
    await story().gone('claim', 'data');
    await story().gone('volume', 'used');
  });
}
