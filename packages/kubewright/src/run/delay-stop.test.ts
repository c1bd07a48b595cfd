import { createManualClock } from '@kubewright/client';
import { expect, test } from 'vitest';
import { delayStop } from './delay-stop.ts';
import { installManifests } from './install-manifests.ts';

test('DRF-74 a manager that is stopped serves its webhooks until no API server calls them any more', async () => {
  const clock = createManualClock();
  const sigterm = new AbortController();
  const signal = delayStop(sigterm.signal, 5000, clock);
  await clock.advance(5000);
  sigterm.abort();
  await clock.advance(4999);
  expect(signal.aborted).toBe(false);
  await clock.advance(1);
  expect(signal.aborted).toBe(true);
});

test('without a delay it stops at once, also where it was stopped before it began', async () => {
  expect(delayStop(AbortSignal.abort(), 0).aborted).toBe(true);
  const clock = createManualClock();
  const signal = delayStop(AbortSignal.abort(), 1000, clock);
  await clock.advance(1000);
  expect(signal.aborted).toBe(true);
});

test('DRF-74 what is installed has a delay, and time enough to end', () => {
  const objects = installManifests([], { operators: [], namespace: 'ops', image: 'kubewright' });
  const deployment = objects.find(({ kind }) => kind === 'Deployment');
  expect(deployment?.['spec']).toMatchObject({
    replicas: 2,
    template: {
      spec: {
        terminationGracePeriodSeconds: 75,
        containers: [{ args: expect.arrayContaining(['--shutdown-delay-seconds=5']) }],
      },
    },
  });
});
