import type { ApiResponse, Transport } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { kubeletCheckpoint } from './kubelet-checkpoint.ts';

const CONTAINER = { namespace: 'shop', pod: 'consumer-0', container: 'main' };

/** A kubelet that responds so; the paths that it was called by. */
function kubelet(respond: () => Promise<ApiResponse>) {
  const paths: string[] = [];
  const transport: Transport = {
    request: ({ path }) => {
      paths.push(path);
      return respond();
    },
    close: async () => undefined,
  };
  return { transport, paths };
}

const response = (status: number, text: string) => async (): Promise<ApiResponse> => ({
  status,
  headers: {},
  body: (async function* () {
    yield Buffer.from(text);
  })(),
});

test('a checkpoint, by the kubelet and through the API server', async () => {
  const { transport, paths } = kubelet(response(200, '{"items":["/var/lib/kubelet/checkpoints/a.tar"]}'));
  expect(await kubeletCheckpoint(transport, CONTAINER)).toBe('/var/lib/kubelet/checkpoints/a.tar');
  await kubeletCheckpoint(transport, { ...CONTAINER, container: 'a/../b' }, { node: 'node-1' });
  expect(paths).toEqual([
    '/checkpoint/shop/consumer-0/main',
    '/api/v1/nodes/node-1/proxy/checkpoint/shop/consumer-0/a%2F..%2Fb',
  ]);
});

test.each<readonly [string, () => Promise<ApiResponse>, string, boolean]>([
  ['404: the gate is off', response(404, '404 page not found'), 'CheckpointDisabled', false],
  ['404: another container', response(404, 'container "main" not found'), 'ContainerNotFound', false],
  ['403: not for this token', response(403, 'Forbidden'), 'CheckpointForbidden', false],
  ['500: the runtime', response(500, 'criu dump failed'), 'RuntimeFailed', true],
  ['200 with an empty list', response(200, '{"items":[]}'), 'NoArchive', false],
  ['200 with something else', response(200, '[]'), 'NoArchive', false],
  ['a timeout', () => Promise.reject(new TypeError('aborted')), 'CheckpointTimedOut', true],
])(
  'MIG-49 %s has a reason of its own, and may be repeated or not',
  async (_what, respond, reason, retryable) => {
    const { transport, paths } = kubelet(respond);
    await expect(kubeletCheckpoint(transport, CONTAINER)).rejects.toMatchObject({ reason, retryable });
    expect(paths).toHaveLength(1);
  },
);
