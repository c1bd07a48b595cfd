import { createApiServer } from '@kubewright/apiserver';
import { createClient } from '@kubewright/client';
import { appsv1, type Transport } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { writeDeployment } from './act.ts';
import { REVISION } from './constants.ts';

type Deployment = appsv1.Deployment;
type Mutate = (sent: Deployment) => Deployment;

const labels = { app: 'web' };
const DEPLOYMENT: Deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', annotations: { [REVISION]: '1' } },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
  },
};

const annotated = ({ metadata, ...sent }: Deployment, annotations: Record<string, string>): Deployment => ({
  ...sent,
  metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } },
});

/** What somebody's mutating webhook makes of each update. */
function mutating(transport: Transport, mutate: Mutate): Transport {
  return {
    ...transport,
    request(request) {
      if (request.method !== 'PUT') return transport.request(request);
      const sent = JSON.parse(String(request.body)) as Deployment;
      return transport.request({ ...request, body: JSON.stringify(mutate(sent)) });
    },
  };
}

test.each<[string, Mutate, boolean]>([
  ['stored as it was sent', (sent) => sent, true],
  ['stored with the revision from before', (sent) => annotated(sent, { [REVISION]: '1' }), false],
  ['stored with an annotation that nobody sent', (sent) => annotated(sent, { team: 'blue' }), false],
  ['stored with no status', ({ status: _status, ...sent }) => sent, false],
  ['stored with other counts', (sent) => ({ ...sent, status: { ...sent.status, replicas: 7 } }), false],
])('tells whether a status and a revision hold that are %s', async (_title, mutate, held) => {
  const server = createApiServer();
  const deployment = await createClient(server.transport()).create(appsv1.deployments, DEPLOYMENT);
  const client = createClient(mutating(server.transport(), mutate));
  const write = { status: { replicas: 2, observedGeneration: 1 }, revision: '2' };
  expect(await writeDeployment(client, deployment, write)).toBe(held);
  await server.close();
});

test('what is as it should be is not written', async () => {
  const server = createApiServer();
  const deployment = await createClient(server.transport()).create(appsv1.deployments, DEPLOYMENT);
  await server.close();
  const write = { status: deployment.status ?? {}, revision: '1' };
  expect(await writeDeployment(createClient(server.transport()), deployment, write)).toBe(true);
});
