import type { corev1, Transport } from '@kubewright/kube';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { admissionSuite, RULE } from '../../../support/admission.ts';
import { patchOf } from '../../../support/webhook-server.ts';
import { markReady } from '../readiness.ts';
import { applySet, settled } from '../stateful.ts';
import { Story } from '../story.ts';
import { fence, findPod, podWhere } from './orphans.ts';

const CHECKPOINT = 'registry.example.com/checkpoint@sha256:0f3a';

/** What a webhook may make of a pod that a set creates. */
export function atAdmission(transport: () => Transport): void {
  const shared: Transport = {
    request: (request) => transport().request(request),
    close: () => Promise.resolve(),
  };
  const { register } = admissionSuite(() => ({ transport: () => shared }), 'at-admission');
  let story: Story;
  beforeEach(async () => {
    story = await Story.begin(transport(), () => false);
  });
  afterEach(() => story.end());

  test('a set keeps the pod that a webhook changed as it was made, and only that one was shown to it', async () => {
    const [asked = []] = await register('mutating', {
      with: {
        rules: [{ ...RULE, operations: ['CREATE'], resources: ['pods'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': story.namespace } },
        matchConditions: [{ name: 'the-migrated', expression: "object.metadata.name == 'web-1'" }],
      },
      answering: () =>
        patchOf([
          { op: 'replace', path: '/spec/containers/0/image', value: CHECKPOINT },
          { op: 'add', path: '/spec/nodeSelector', value: { 'kubernetes.io/hostname': 'b' } },
          { op: 'add', path: '/metadata/annotations', value: { 'example.com/migration': 'm' } },
        ]),
    });
    await applySet(story, { replicas: 3, podManagementPolicy: 'Parallel' });
    const made = new Map<string, corev1.Pod>();
    for (const name of ['web-0', 'web-1', 'web-2']) {
      made.set(name, await podWhere(story, name, () => true));
      await markReady(story.client, story.key(name));
    }
    const set = await settled(story);
    await fence(story);
    const kept = await findPod(story, 'web-1');
    expect(kept).toMatchObject({
      metadata: {
        uid: made.get('web-1')?.metadata.uid,
        annotations: { 'example.com/migration': 'm' },
        labels: {
          'controller-revision-hash': set.status?.updateRevision,
          'statefulset.kubernetes.io/pod-name': 'web-1',
          'apps.kubernetes.io/pod-index': '1',
        },
        ownerReferences: [{ uid: set.metadata.uid, controller: true }],
      },
      spec: {
        hostname: 'web-1',
        subdomain: 'web',
        nodeSelector: { 'kubernetes.io/hostname': 'b' },
        containers: [{ image: CHECKPOINT }],
      },
    });
    expect((await findPod(story, 'web-0'))?.spec.containers[0]?.image).toBe('web:1');
    expect(asked.map((one) => one['name'])).toEqual(['web-1']);
  });
}
