import assert from 'node:assert/strict';
import { ignoreNotFound } from '@kubewright/client';
import { corev1, storagev1, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { VolumeStory } from './volume-story.ts';

const DRIVER = 'disk.csi.kubewright.dev';
const SELECTED = 'volume.kubernetes.io/selected-node';

function podsWithClaims(transport: () => Transport): void {
  let story: VolumeStory;
  beforeEach(async () => {
    story = await VolumeStory.begin(transport());
  });
  afterEach(async () => {
    for (const name of ['user', 'late'])
      await ignoreNotFound(story.client.delete(corev1.pods, story.key(name)));
    await story.end();
  });

  const pod = async (name: string, isSo: (pod: corev1.Pod) => boolean): Promise<corev1.Pod> => {
    const found = await waitForObject(story.client, corev1.pods, story.key(name), (live) =>
      live === undefined ? false : isSo(live),
    );
    assert(found !== undefined, `the pod ${name} is gone`);
    return found;
  };
  const running = (name: string): Promise<corev1.Pod> =>
    pod(name, ({ status }) => status?.phase === 'Running');
  const attached = async (volumeName = ''): Promise<readonly string[]> => {
    const { items } = await story.client.list(storagev1.volumeattachments);
    return items
      .filter(
        ({ spec, status }) => spec.source.persistentVolumeName === volumeName && status?.attached === true,
      )
      .map(({ spec }) => spec.nodeName);
  };

  test('a pod runs when its claim is bound, and the volume comes to its node', async () => {
    await story.createPod('user', ['data']);
    const refused = await pod('user', ({ status }) => status?.conditions?.[0]?.reason === 'Unschedulable');
    expect(refused.status?.conditions?.[0]?.message).toContain('persistentvolumeclaim "data" not found');
    await story.createClaim('data', { storageClassName: 'standard' });
    const { spec } = await running('user');
    const { volumeName } = (await story.bound('data')).spec;
    await expect.poll(() => attached(volumeName)).toEqual([spec.nodeName]);
  });

  test('a claim that waits for its consumer gets a volume for the node that is chosen', async () => {
    await story.createClass({ provisioner: DRIVER, volumeBindingMode: 'WaitForFirstConsumer' });
    await story.createClaim('data');
    await story.createClaim('more');
    await story.createPod('user', ['data', 'more']);
    const { spec } = await running('user');
    for (const name of ['data', 'more']) {
      const claim = await story.bound(name);
      expect(claim.metadata.annotations?.[SELECTED]).toBe(spec.nodeName);
      expect(claim.spec.volumeName).toBe(`pvc-${claim.metadata.uid}`);
    }
  });

  test('a volume that is there decides where its pod goes', async () => {
    await story.createClass({
      provisioner: 'kubernetes.io/no-provisioner',
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    const expression = { key: 'kubernetes.io/hostname', operator: 'In', values: ['node-2'] } as const;
    const required = { nodeSelectorTerms: [{ matchExpressions: [expression] }] };
    await story.createVolume('local', { nodeAffinity: { required } });
    await story.inPhase('local', 'Available');
    await story.createClaim('data');
    await story.createPod('user', ['data']);
    expect((await running('user')).spec.nodeName).toBe('node-2');
    expect((await story.bound('data')).spec.volumeName).toBe(story.own('local'));
    await story.createClaim('other');
    await story.createPod('late', ['other']);
    const refused = await pod('late', ({ status }) => status?.conditions?.[0]?.reason === 'Unschedulable');
    expect(refused.status?.conditions?.[0]?.message).toContain(
      "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind.",
    );
    await story.createVolume('second', { nodeAffinity: { required } });
    expect((await running('late')).spec.nodeName).toBe('node-2');
  });

  test('where there is no space another try is made', async () => {
    const parameters = { 'simulate-failures': '1', 'simulate-code': 'ResourceExhausted' };
    await story.createClass({ provisioner: DRIVER, volumeBindingMode: 'WaitForFirstConsumer', parameters });
    await story.createClaim('data');
    await story.createPod('user', ['data']);
    await running('user');
    await story.bound('data');
  });
}

describeClusters(
  'Pods with claims',
  {
    controllers: [
      'persistentvolume-attach-detach-controller',
      'persistentvolume-binder-controller',
      'persistentvolume-protection-controller',
      'persistentvolumeclaim-protection-controller',
    ],
    nodes: 2,
    storage: { backoff: { baseMs: 20, maxMs: 200 } },
  },
  podsWithClaims,
);
