import { corev1 } from '@kubewright/kube';
import { expect, test } from 'vitest';
import type { VolumeStory } from './volume-story.ts';

const COMPLETED = 'pv.kubernetes.io/bind-completed';
const BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';

/** Which claim gets which volume. */
export function bindingContract(story: () => VolumeStory): void {
  test('a claim gets the smallest volume that is large enough, and both say so', async () => {
    for (const [name, size] of [
      ['big', '10Gi'],
      ['fits', '3Gi'],
      ['small', '1Gi'],
    ] as const) {
      await story().createVolume(name, { size });
      await story().inPhase(name, 'Available');
    }
    const created = await story().createClaim('data', { size: '2Gi' });
    const claim = await story().bound('data');
    const volume = await story().inPhase('fits', 'Bound');
    expect(claim.spec.volumeName).toBe(story().own('fits'));
    expect(claim.metadata.annotations).toEqual({ [COMPLETED]: 'yes', [BY_CONTROLLER]: 'yes' });
    expect(claim.metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
    expect(claim.status).toEqual({
      phase: 'Bound',
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '3Gi' },
    });
    expect(volume.metadata.annotations).toEqual({ [BY_CONTROLLER]: 'yes' });
    expect(volume.metadata.finalizers).toEqual(['kubernetes.io/pv-protection']);
    expect(volume.spec.claimRef).toEqual({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      namespace: story().namespace,
      name: 'data',
      uid: claim.metadata.uid,
      resourceVersion: expect.any(String),
    });
    expect(created.status).toEqual({ phase: 'Pending' });
    expect(await story().events('PersistentVolumeClaim', 'data')).toEqual([]);
    await story().inPhase('small', 'Available');
  });

  test('fewer access modes are preferred to a better size', async () => {
    await story().createVolume('many', { size: '1Gi', accessModes: ['ReadWriteOnce', 'ReadWriteMany'] });
    await story().createVolume('once', { size: '5Gi' });
    await story().inPhase('many', 'Available');
    await story().inPhase('once', 'Available');
    await story().createClaim('data');
    expect((await story().bound('data')).spec.volumeName).toBe(story().own('once'));
    await story().createClaim('shared', { accessModes: ['ReadWriteMany'] });
    expect((await story().bound('shared')).status?.accessModes).toEqual(['ReadWriteOnce', 'ReadWriteMany']);
  });

  test('labels, class and volume mode decide too, and a claim waits for a volume that comes late', async () => {
    await story().createVolume('plain');
    await story().createVolume('block', { volumeMode: 'Block' });
    await story().createVolume('classless', { storageClassName: '' }, { labels: { tier: 'gold' } });
    await story().createVolume('gold', {}, { labels: { tier: 'gold' } });
    for (const name of ['plain', 'block', 'classless', 'gold']) await story().inPhase(name, 'Available');
    await story().createClaim('gold', { selector: { matchLabels: { tier: 'gold' } } });
    await story().createClaim('block', { volumeMode: 'Block' });
    expect((await story().bound('gold')).spec.volumeName).toBe(story().own('gold'));
    expect((await story().bound('block')).spec.volumeName).toBe(story().own('block'));
    await story().createClaim('late', { selector: { matchLabels: { tier: 'iron' } } });
    await story().createVolume('late', {}, { labels: { tier: 'iron' } });
    expect((await story().bound('late')).spec.volumeName).toBe(story().own('late'));
  });

  test('a volume that is meant for a claim is kept for it', async () => {
    const claimRef = { namespace: story().namespace, name: 'data' };
    await story().createVolume('meant', { size: '10Gi', claimRef });
    await story().inPhase('meant', 'Available');
    await story().createVolume('free');
    await story().inPhase('free', 'Available');
    await story().createClaim('other');
    expect((await story().bound('other')).spec.volumeName).toBe(story().own('free'));
    await story().createClaim('data');
    expect((await story().bound('data')).spec.volumeName).toBe(story().own('meant'));
    const volume = await story().inPhase('meant', 'Bound');
    expect(volume.metadata.annotations).toBeUndefined();
    expect(volume.spec.claimRef?.uid).toBe((await story().bound('data')).metadata.uid);
  });

  test('a claim that names its volume gets that one, if it suits', async () => {
    await story().createVolume('small', { size: '1Gi' });
    await story().createVolume('asked', { size: '10Gi' });
    await story().inPhase('small', 'Available');
    await story().inPhase('asked', 'Available');
    await story().createClaim('data', { volumeName: story().own('asked') });
    expect((await story().bound('data')).metadata.annotations).toEqual({ [COMPLETED]: 'yes' });
    expect((await story().inPhase('asked', 'Bound')).metadata.annotations).toEqual({
      [BY_CONTROLLER]: 'yes',
    });
    await story().createClaim('greedy', { volumeName: story().own('small'), size: '2Gi' });
    await story().createClaim('second', { volumeName: story().own('asked') });
    await story().createClaim('dreamer', { volumeName: story().own('none') });
    await expect
      .poll(() => story().events('PersistentVolumeClaim', 'greedy'))
      .toEqual([
        'Warning VolumeMismatch: Cannot bind to requested volume "NS-small": requested PV is too small',
      ]);
    await expect
      .poll(() => story().events('PersistentVolumeClaim', 'second'))
      .toEqual(['Warning FailedBinding: volume "NS-asked" already bound to a different claim.']);
    expect((await story().claim('dreamer', () => true)).status).toEqual({ phase: 'Pending' });
  });

  test('who makes volumes is asked, and what hinders it told', async () => {
    await story().createClass();
    await story().createClaim('data');
    await story().createClaim('nobody', { storageClassName: story().own('none') });
    await story().createClaim('classless', { storageClassName: '', size: '900Ti' });
    const asked = await story().claim('data', ({ metadata }) => metadata.annotations !== undefined);
    expect(asked.metadata.annotations).toEqual({
      'volume.beta.kubernetes.io/storage-provisioner': 'disk.example.com',
      'volume.kubernetes.io/storage-provisioner': 'disk.example.com',
    });
    for (const name of ['data', 'nobody', 'classless'])
      await expect.poll(() => story().events('PersistentVolumeClaim', name)).not.toEqual([]);
    expect([
      await story().events('PersistentVolumeClaim', 'data'),
      await story().events('PersistentVolumeClaim', 'nobody'),
      await story().events('PersistentVolumeClaim', 'classless'),
    ]).toMatchInlineSnapshot(`
      [
        [
          "Normal ExternalProvisioning: Waiting for a volume to be created either by the external provisioner 'disk.example.com' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.",
        ],
        [
          "Warning ProvisioningFailed: storageclass.storage.k8s.io "NS-none" not found",
        ],
        [
          "Normal FailedBinding: no persistent volumes available for this claim and no storage class is set",
        ],
      ]
    `);
  });

  test('a class may wait for the first consumer, whose node the scheduler notes', async () => {
    await story().createClass({ volumeBindingMode: 'WaitForFirstConsumer' });
    await story().createVolume('free');
    await story().inPhase('free', 'Available');
    await story().createClaim('data');
    const told = (): Promise<readonly string[]> => story().events('PersistentVolumeClaim', 'data');
    const first = 'Normal WaitForFirstConsumer: waiting for first consumer to be created before binding';
    await expect.poll(told).toEqual([first]);
    await story().createPod('consumer', ['data']);
    const pod = 'Normal WaitForPodScheduled: waiting for pod consumer to be scheduled';
    await expect.poll(told).toEqual([first, pod]);
    const body = { metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'n1' } } };
    await story().client.patch(corev1.persistentvolumeclaims, story().key('data'), { type: 'merge', body });
    await story().claim(
      'data',
      ({ metadata }) => metadata.annotations?.['volume.kubernetes.io/storage-provisioner'] !== undefined,
    );
    await story().inPhase('free', 'Available');
  });

  test('a claim without a class gets the one that becomes the default', async () => {
    await story().createClaim('data', { storageClassName: undefined as never, size: '900Ti' });
    await expect.poll(() => story().events('PersistentVolumeClaim', 'data')).toHaveLength(1);
    const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
    await story().createClass({ metadata: { name: story().namespace, annotations } });
    await story().claim('data', ({ spec }) => spec.storageClassName === story().namespace);
  });

  test('an ephemeral volume of a pod has a claim that is the pod’s, unless the name is taken', async () => {
    const create = (name: string): Promise<corev1.Pod> =>
      story().client.create(corev1.pods, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: story().namespace },
        spec: {
          containers: [{ name: 'main', image: 'main' }],
          volumes: [
            {
              name: 'scratch',
              ephemeral: {
                volumeClaimTemplate: {
                  metadata: { labels: { app: 'x' } },
                  spec: {
                    accessModes: ['ReadWriteOnce'],
                    storageClassName: story().namespace,
                    resources: { requests: { storage: '1Gi' } },
                  },
                },
              },
            },
          ],
        },
      });
    await story().createVolume('free');
    await story().inPhase('free', 'Available');
    const pod = await create('user');
    const claim = await story().bound('user-scratch');
    expect(claim.metadata.labels).toEqual({ app: 'x' });
    expect(claim.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Pod',
        name: 'user',
        uid: pod.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    await story().createClaim('other-scratch');
    await create('other');
    // A controller that has not seen the claim yet says first that it exists already.
    await expect
      .poll(() => story().events('Pod', 'other'))
      .toContain(
        'Warning FailedBinding: ephemeral volume scratch: PVC NS/other-scratch was not created for pod NS/other (pod is not owner)',
      );
  });
}
