import { corev1, type Transport } from '@kubewright/kube';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { applySet, claimTemplate, setWhere, settled } from '../stateful.ts';
import { Story } from '../story.ts';
import { fence, findPod, handOver, makeReadyPod, patchPod, podWhere, REVISION_LABEL } from './orphans.ts';

const NAME_LABEL = 'statefulset.kubernetes.io/pod-name';
const INDEX_LABEL = 'apps.kubernetes.io/pod-index';

/** What is put right about a pod that was taken in, and what is not. */
export function identity(transport: () => Transport): void {
  let story: Story;
  beforeEach(async () => {
    story = await Story.begin(transport(), () => false);
  });
  afterEach(() => story.end());

  describe('identity', () => {
    test('of an adopted pod is repaired in two labels, and in nothing else', async () => {
      const { pod, set } = await handOver(story, {});
      const repaired = await podWhere(
        story,
        'web-0',
        ({ metadata }) => metadata.labels?.[NAME_LABEL] === 'web-0',
      );
      expect(repaired.metadata.labels).toEqual({
        app: 'web',
        [REVISION_LABEL]: set.status?.updateRevision,
        [NAME_LABEL]: 'web-0',
        [INDEX_LABEL]: '0',
      });
      await settled(story);
      await fence(story);
      const found = await findPod(story, 'web-0');
      expect([found?.metadata.uid, found?.spec]).toEqual([pod.metadata.uid, pod.spec]);
      expect([pod.spec.hostname, pod.spec.subdomain]).toEqual([undefined, undefined]);
      await expect
        .poll(() => story.events('StatefulSet'))
        .toEqual(['SuccessfulUpdate: Update Pod web-0 in StatefulSet web successful']);
    });

    test('is whole by the label of the name: a missing index alone is not added', async () => {
      await handOver(story, { labels: { [NAME_LABEL]: 'web-0' } });
      await settled(story);
      await fence(story);
      expect((await findPod(story, 'web-0'))?.metadata.labels).not.toHaveProperty([INDEX_LABEL]);
    });

    test('host name and subdomain cannot be given to a pod that exists', async () => {
      await makeReadyPod(story, 'web-0');
      for (const spec of [{ hostname: 'web-0' }, { subdomain: 'web' }])
        await expect(patchPod(story, 'web-0', { spec })).rejects.toThrow(
          'pod updates may not change fields other than',
        );
    });
  });

  describe('storage', () => {
    const volumeClaimTemplates = [claimTemplate('data')];

    test('a pod without the volumes of the claims is an error for ever, and an ordered set stops at it', async () => {
      const { pod } = await handOver(story, { set: { replicas: 2, volumeClaimTemplates } });
      const failed = 'FailedUpdate: Update Pod web-0 in StatefulSet web failed error: Pod "web-0" is invalid';
      await expect
        .poll(async () => (await story.events('StatefulSet')).some((text) => text.startsWith(failed)))
        .toBe(true);
      await fence(story);
      const [first, second] = await Promise.all([findPod(story, 'web-0'), findPod(story, 'web-1')]);
      expect([first?.metadata.uid, first?.spec.volumes, second]).toEqual([
        pod.metadata.uid,
        undefined,
        undefined,
      ]);
      expect((await setWhere(story, ({ status }) => status?.readyReplicas === 1)).status).toMatchObject({
        replicas: 1,
      });
    });

    test('a pod with the volume of its claim is taken in as it is', async () => {
      const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } }];
      const { pod } = await handOver(story, { spec: { volumes }, set: { volumeClaimTemplates } });
      await settled(story);
      await fence(story);
      expect((await findPod(story, 'web-0'))?.metadata.uid).toBe(pod.metadata.uid);
    });
  });

  describe('a pod that waits at its scheduling gates', () => {
    test('may be changed: image, more node selection, fewer gates; and the set keeps it', async () => {
      const gates = [{ name: 'example.com/migration' }];
      const made = await gatedPod(story, gates);
      const containers = [{ name: 'web', image: 'registry.example.com/checkpoint:1' }];
      const change = { spec: { nodeSelector: { 'kubernetes.io/hostname': 'b' }, schedulingGates: [] } };
      await story.client.patch(corev1.pods, story.key('web-0'), {
        type: 'strategic',
        body: { spec: { containers } },
      });
      const changed = await patchPod(story, 'web-0', change);
      expect(changed.spec).toMatchObject({ containers, nodeSelector: { 'kubernetes.io/hostname': 'b' } });
      expect(changed.spec.schedulingGates ?? []).toEqual([]);
      await fence(story);
      expect((await findPod(story, 'web-0'))?.metadata.uid).toBe(made.metadata.uid);
    });

    test('may not lose node selection, nor get a gate; without gates nothing is selected anew', async () => {
      await gatedPod(story, [{ name: 'example.com/migration' }]);
      const required = (...nodeSelectorTerms: readonly object[]): object => ({
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
      });
      const zone = { key: 'zone', operator: 'In', values: ['a'] };
      const disk = { key: 'disk', operator: 'Exists' };
      await patchPod(story, 'web-0', { spec: { nodeSelector: { zone: 'a' } } });
      await patchPod(story, 'web-0', { spec: required({ matchExpressions: [zone] }) });
      await patchPod(story, 'web-0', { spec: required({ matchExpressions: [zone, disk] }) });
      const refused = (spec: object, why: string): Promise<void> =>
        expect(patchPod(story, 'web-0', { spec })).rejects.toMatchObject({
          status: { message: expect.stringContaining(why) as string },
        });
      const terms =
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
      await refused(
        { nodeSelector: { zone: 'b' } },
        'spec.nodeSelector: Invalid value: {"zone":"b"}: only additions to spec.nodeSelector are allowed',
      );
      await refused(
        required({ matchExpressions: [disk] }),
        `${terms}[0]: Invalid value: {"MatchExpressions":[{"Key":"disk","Operator":"Exists","Values":null}],"MatchFields":null}: only additions are allowed`,
      );
      await refused({ affinity: null }, `${terms}: Invalid value: null: no additions/deletions`);
      await refused({ schedulingGates: [{ name: 'example.com/other' }] }, 'spec.schedulingGates');
      await patchPod(story, 'web-0', { spec: { schedulingGates: null } });
      await refused(
        { nodeSelector: { zone: 'a', disk: 'b' } },
        'pod updates may not change fields other than',
      );
    });
  });
}

async function gatedPod(
  story: Story,
  schedulingGates: readonly corev1.PodSchedulingGate[],
): Promise<corev1.Pod> {
  const labels = { app: 'web' };
  const spec = { containers: [{ name: 'web', image: 'web:1' }], schedulingGates };
  await applySet(story, { replicas: 1, template: { metadata: { labels }, spec } });
  return podWhere(story, 'web-0', () => true);
}
