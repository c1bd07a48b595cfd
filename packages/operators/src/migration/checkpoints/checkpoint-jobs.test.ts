import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '@kubewright/client';
import { expect, onTestFinished, test } from 'vitest';
import { DIGEST_HEADER, imagePath } from './agent-paths.ts';
import { CheckpointJobs, type NodeTools } from './checkpoint-jobs.ts';
import type { CheckpointOrder } from './node-agents.ts';
import { serveAgent } from './serve-agent.ts';

/** It waits for nothing between attempts. */
const hasty: Clock = { ...systemClock, after: (_ms, callback) => systemClock.after(0, callback) };

const tools: NodeTools = {
  facts: async () => ({ arch: 'amd64', cgroup: 'v2', kernel: '6.12', criu: '4.1' }),
  checkpoint: async () => '/archive',
  async *read() {
    yield Buffer.alloc(100_000);
  },
  removeArchive: async () => undefined,
  load: async () => undefined,
  removeImage: async () => undefined,
};

const ORDER: CheckpointOrder = {
  id: 'a.1',
  namespace: 'shop',
  pod: 'consumer-0',
  container: 'main',
  node: 'node-1',
  targetNode: 'node-2',
  image: 'localhost/ms2m/shop/consumer-0:a-1',
  transfer: 'Direct',
};

test('MIG-45 a target node that says nothing any more, and closes no connection, ends the checkpoint', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  onTestFinished(() => silent.closeAllConnections());
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const agents = { url: `http://127.0.0.1:${port}`, token: 'token' };
  const jobs = new CheckpointJobs(tools, agents, hasty, 100);
  jobs.begin(ORDER);
  await expect
    .poll(() => jobs.state('a.1'))
    .toMatchObject({
      phase: 'Failed',
      reason: 'CheckpointFailed',
      message: 'the agent of node node-2: silent for 100 ms',
    });
  // It does not wait for what has ended.
  await jobs.remove('a.1');
  expect(jobs.state('a.1')).toBeUndefined();
});

test('MIG-67 an agent that makes the image for long says that it goes on', async () => {
  let finish: () => void = () => undefined;
  const load = async (_image: string, archive: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const _chunk of archive);
    await new Promise<void>((resolve) => (finish = resolve));
  };
  const quick: Clock = { ...systemClock, after: (ms, callback) => systemClock.after(ms / 500, callback) };
  const agents = { url: 'http://127.0.0.1', token: 'token' };
  const options = { tools: { ...tools, load }, agents, host: '127.0.0.1', port: 0, clock: quick };
  const agent = await serveAgent(options);
  onTestFinished(() => agent.close());
  const body = Buffer.alloc(1000);
  const sent = request(`http://127.0.0.1:${agent.port}${imagePath(ORDER.image)}`, {
    method: 'PUT',
    headers: {
      authorization: 'Bearer token',
      [DIGEST_HEADER]: createHash('sha256').update(body).digest('hex'),
    },
  });
  const said: number[] = [];
  sent.on('information', ({ statusCode }) => {
    said.push(statusCode);
    finish();
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(201);
  expect(new Set(said)).toEqual(new Set([102]));
  response.resume();
});
