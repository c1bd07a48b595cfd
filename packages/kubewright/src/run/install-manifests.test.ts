import { expect, test } from 'vitest';
import { installManifests } from './install-manifests.ts';

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
