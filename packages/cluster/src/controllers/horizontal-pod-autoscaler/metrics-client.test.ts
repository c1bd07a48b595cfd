import { createApiServer } from '@kubewright/apiserver';
import { createClient } from '@kubewright/client';
import { expect, test } from 'vitest';
import { createMetricsClient } from './metrics-client.ts';

test('the name of a metric is asked for as it is, whatever it means in an address', async () => {
  const server = createApiServer();
  const recording = server.recordRequests();
  const transport = server.transport();
  const metrics = createMetricsClient(transport, createClient(transport).mapper);
  const external = { metric: { name: 'a?limit=1#b' }, target: { type: 'Value', value: '1' } };
  await metrics.fetch({ type: 'External', external }, { namespace: 'default', selector: '' });
  expect(recording.requests[0]).toMatchObject({ resource: 'a?limit=1#b' });
  await server.close();
});
