import { batchv1, corev1, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { JobStory } from './job-story.ts';

const CONTROLLERS = [
  'ttl-after-finished-controller',
  'job-controller',
  'garbage-collector-controller',
] as const;

function timesToLive(transport: () => Transport): void {
  test('a Job that is over goes when its time has come, with its pods; others stay', async () => {
    const [short, long, none] = [
      await JobStory.begin(transport()),
      await JobStory.begin(transport()),
      await JobStory.begin(transport()),
    ];
    await none.run();
    await long.run({ ttlSecondsAfterFinished: 3600 });
    await short.run({ ttlSecondsAfterFinished: 1 });
    for (const story of [none, long, short]) {
      const [pod] = await story.active(1);
      await story.end(pod, { phase: 'Succeeded' });
    }
    await waitForObject(short.client, batchv1.jobs, short.key(), (live) => live === undefined);
    expect(await short.pods()).toEqual([]);
    for (const story of [none, long])
      expect((await story.finished()).metadata.deletionTimestamp).toBeUndefined();
    await long.change({ ttlSecondsAfterFinished: 0 });
    await waitForObject(long.client, batchv1.jobs, long.key(), (live) => live === undefined);
    const { items } = await none.client.list(corev1.pods, { namespace: none.namespace });
    expect(items).toHaveLength(1);
  });
}

describeClusters('Times to live after the end', CONTROLLERS, timesToLive);
