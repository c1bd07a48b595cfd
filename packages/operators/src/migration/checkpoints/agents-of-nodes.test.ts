import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, systemClock } from '@kubewright/client';
import { afterEach, describe, expect, test } from 'vitest';
import { OperatorError } from '../../operator-error.ts';
import { migrationOf } from '../testing/migration-bench.ts';
import { checkpointPath, imagePath } from './agent-paths.ts';
import type { NodeTools } from './checkpoint-jobs.ts';
import { checkpointOf } from './checkpoint-of.ts';
import { httpNodeAgents } from './http-node-agents.ts';
import type { CheckpointOrder, CheckpointState } from './node-agents.ts';
import { type Rejected, type RunningAgent, serveAgent } from './serve-agent.ts';

// Agents of three nodes over HTTP; of the nodes themselves there are only files in memory.

const TOKEN = 'token';
const MIB = 1024 * 1024;
const FACTS = { arch: 'amd64', cgroup: 'v2', kernel: '6.12', criu: '4.1' };
/** Back-off takes no time that matters. */
const HASTY: Clock = {
  ...systemClock,
  after: (ms, run, options) => systemClock.after(ms / 1000, run, options),
};

type Node = {
  readonly images: Map<string, number>;
  readonly archives: Set<string>;
  checkpoints: number;
  readonly tools: NodeTools;
};

/** Archives are so many chunks of a mebibyte. */
function nodeWith(
  chunks: number,
  change: (tools: NodeTools, node: Node) => Partial<NodeTools> = () => ({}),
): Node {
  const images = new Map<string, number>();
  const archives = new Set<string>();
  const tools: NodeTools = {
    facts: async () => FACTS,
    async checkpoint({ pod }) {
      node.checkpoints += 1;
      archives.add(`/checkpoints/${pod}-${node.checkpoints}.tar`);
      return `/checkpoints/${pod}-${node.checkpoints}.tar`;
    },
    async *read() {
      const chunk = new Uint8Array(MIB);
      for (let left = chunks; left > 0; left--) yield chunk;
    },
    removeArchive: async (path) => void archives.delete(path),
    async load(image, archive) {
      let bytes = 0;
      for await (const chunk of archive) bytes += chunk.length;
      images.set(image, bytes);
    },
    removeImage: async (image) => void images.delete(image),
  };
  const node: Node = { images, archives, checkpoints: 0, tools };
  return { ...node, tools: { ...tools, ...change(tools, node) } };
}

const running: RunningAgent[] = [];
const rejected: Rejected[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((agent) => agent.close()));
  rejected.splice(0);
});

/** The agents of nodes `1`, `2`, …: the port of each stands for its name in the address. */
async function agentsOf(...nodes: readonly Node[]) {
  const ports = new Map<string, number>();
  // Found by the name of the node, as DNS would.
  const url = (): string => 'http://127.0.0.1:$(NODE)';
  for (const [index, { tools }] of nodes.entries()) {
    const agents = { url: url(), token: TOKEN };
    const audit = (one: Rejected): void => void rejected.push(one);
    const agent = await serveAgent({ tools, agents, host: '127.0.0.1', port: 0, audit, clock: HASTY });
    running.push(agent);
    ports.set(String(index + 1), agent.port);
  }
  const nameOf = (index: number): string => String(ports.get(String(index)) ?? 0);
  const client = httpNodeAgents({ url: url(), token: TOKEN }, systemClock);
  const order = (from: number, to: number, more: Partial<CheckpointOrder> = {}): CheckpointOrder => ({
    id: 'uid.1',
    namespace: 'shop',
    pod: 'consumer-0',
    container: 'main',
    node: nameOf(from),
    targetNode: nameOf(to),
    image: 'localhost/ms2m/shop/consumer-0:f0e1d2c3-1',
    transfer: 'Direct',
    ...more,
  });
  const made = async (wanted: CheckpointOrder): Promise<readonly CheckpointState[]> => {
    await client.begin(wanted);
    const seen: CheckpointState[] = [];
    for (;;) {
      const state = await client.get(wanted);
      if (state === undefined) throw new TypeError('the agent has forgotten it');
      seen.push(state);
      if (state.phase !== 'Running') return seen;
      await delay(1);
    }
  };
  return { client, order, made, nameOf };
}

describe('a checkpoint', () => {
  test('MIG-62 is an image on the target node alone, and goes with its archive', async () => {
    const nodes = [nodeWith(2), nodeWith(2), nodeWith(2)] as const;
    const { client, order, made } = await agentsOf(...nodes);
    const wanted = order(1, 3);
    expect((await made(wanted)).at(-1)).toMatchObject({
      phase: 'Ready',
      image: wanted.image,
      bytes: 2 * MIB,
    });
    expect(nodes.map(({ images }) => [...images])).toEqual([[], [], [[wanted.image, 2 * MIB]]]);
    await client.remove(wanted);
    expect(nodes.map(({ images, archives }) => images.size + archives.size)).toEqual([0, 0, 0]);
  });

  test('MIG-30 that was ordered twice is made once', async () => {
    const node = nodeWith(1);
    let count = 0;
    const counted = nodeWith(1, ({ checkpoint }) => ({
      checkpoint: (one) => ((count += 1), checkpoint(one)),
    }));
    const { client, order, made } = await agentsOf(counted, node);
    const wanted = order(1, 2);
    await Promise.all([client.begin(wanted), client.begin(wanted)]);
    expect((await made(wanted)).at(-1)?.phase).toBe('Ready');
    expect([count, counted.archives.size]).toEqual([1, 1]);
  });

  test('MIG-63 that arrives otherwise than it left is sent again', async () => {
    let reads = 0;
    const source = nodeWith(2, ({ read }) => ({
      // The first read is for the digest; the second loses a chunk.
      async *read(path) {
        reads += 1;
        const skip = reads === 2 ? 1 : 0;
        let index = 0;
        for await (const chunk of read(path)) if (index++ >= skip) yield chunk;
      },
    }));
    const target = nodeWith(2);
    const { order, made } = await agentsOf(source, target);
    expect((await made(order(1, 2))).at(-1)?.phase).toBe('Ready');
    expect([...target.images.values()]).toEqual([2 * MIB]);
  });

  test('MIG-63 that never arrives whole fails, and is no image', async () => {
    let reads = 0;
    const source = nodeWith(2, ({ read }) => ({
      async *read(path) {
        reads += 1;
        for await (const chunk of read(path)) {
          yield chunk;
          if (reads > 1) return;
        }
      },
    }));
    const target = nodeWith(2);
    const { order, made } = await agentsOf(source, target);
    expect((await made(order(1, 2))).at(-1)).toMatchObject({ phase: 'Failed', reason: 'DigestMismatch' });
    expect(target.images.size).toBe(0);
    expect(reads).toBe(4);
  });

  test('MIG-66 that does not fit on the disk of the target node fails at once, with that reason', async () => {
    let loads = 0;
    const target = nodeWith(0, () => ({
      async load() {
        loads += 1;
        throw Object.assign(new TypeError('write: no space left on device'), { code: 'ENOSPC' });
      },
    }));
    const source = nodeWith(4);
    const { client, order, made } = await agentsOf(source, target);
    const wanted = order(1, 2);
    expect((await made(wanted)).at(-1)).toMatchObject({ phase: 'Failed', reason: 'NoSpace' });
    expect([loads, target.images.size]).toEqual([1, 0]);
    await client.remove(wanted);
    expect(source.archives.size).toBe(0);
  });

  test('MIG-67 is streamed, however large: few chunks are in memory, and the progress is shown', async () => {
    let [read, loaded, most] = [0, 0, 0];
    const source = nodeWith(256, ({ read: content }) => ({
      async *read(path) {
        for await (const chunk of content(path)) {
          read += chunk.length;
          most = Math.max(most, read - 256 * MIB - loaded);
          yield chunk;
        }
      },
    }));
    const target = nodeWith(0, () => ({
      async load(_image, archive) {
        for await (const chunk of archive) loaded += chunk.length;
      },
    }));
    const { order, made } = await agentsOf(source, target);
    const states = await made(order(1, 2));
    expect(states.at(-1)).toMatchObject({ phase: 'Ready', bytes: 256 * MIB });
    expect(loaded).toBe(256 * MIB);
    expect(most).toBeLessThan(32 * MIB);
    const shown = new Set(states.map((state) => ('message' in state ? state.message : '')));
    const progress = [...shown]
      .flatMap((text) => /^(\d+) of 268435456 bytes/.exec(text)?.[1] ?? [])
      .map(Number);
    expect(progress.length).toBeGreaterThan(1);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  });

  test.each<readonly [string, OperatorError, number, CheckpointState['phase']]>([
    [
      '401: it fails at once',
      new OperatorError('Forbidden', '401', { reason: 'RegistryDenied' }),
      1,
      'Failed',
    ],
    ['503, and then not any more: it is pushed', new OperatorError('Unavailable', '503'), 2, 'Ready'],
  ])('MIG-68 is pushed to a registry that responds with %s', async (_what, error, pushes, phase) => {
    let count = 0;
    const source = nodeWith(1, () => ({
      async push(image) {
        count += 1;
        if (count === 1) throw error;
        return `${image}@sha256:0`;
      },
    }));
    const { order, made } = await agentsOf(source, nodeWith(1));
    const image = 'registry.example/checkpoints/consumer-0:f0e1d2c3-1';
    const state = (await made(order(1, 2, { transfer: 'Registry', image }))).at(-1);
    expect([count, state?.phase]).toEqual([pushes, phase]);
    if (state?.phase === 'Failed') expect(state.reason).toBe('RegistryDenied');
  });

  test('MIG-49 whose runtime fails is tried three times, and no more', async () => {
    let count = 0;
    const source = nodeWith(1, () => ({
      checkpoint: () => {
        count += 1;
        return Promise.reject(new OperatorError('Unavailable', 'criu', { reason: 'RuntimeFailed' }));
      },
    }));
    const { order, made } = await agentsOf(source, nodeWith(1));
    expect((await made(order(1, 2))).at(-1)).toMatchObject({ phase: 'Failed', reason: 'RuntimeFailed' });
    expect(count).toBe(3);
  });
});

describe('MIG-64 an agent rejects, and reports', () => {
  const call = async (path: string, method: string, authorization = `Bearer ${TOKEN}`, body?: string) => {
    const node = nodeWith(1);
    const { nameOf } = await agentsOf(node);
    const init = { method, headers: { authorization }, ...(body !== undefined && { body }) };
    const { status } = await fetch(`http://127.0.0.1:${nameOf(1)}${path}`, init);
    expect([node.images.size, node.checkpoints, node.archives.size]).toEqual([0, 0, 0]);
    return status;
  };
  const image = 'localhost/ms2m/shop/consumer-0:f0e1d2c3-1';

  test.each<readonly [string, string, string]>([
    ['no token', 'PUT', ''],
    ['another token', 'PUT', 'Bearer other'],
    ['a token of another kind', 'DELETE', `Basic ${TOKEN}`],
  ])('%s: 401', async (_what, method, authorization) => {
    expect(await call(imagePath(image), method, authorization)).toBe(401);
    expect(rejected).toMatchObject([{ status: 401, method, path: imagePath(image), from: '127.0.0.1' }]);
  });

  test.each([
    'docker.io/library/nginx:latest',
    '../../etc/passwd',
    'localhost/ms2m/shop/../x:0-1',
    'localhost/ms2m/shop/a:latest',
  ])('the image %s, which is of no checkpoint: 403', async (foreign) => {
    expect(await call(imagePath(foreign), 'PUT')).toBe(403);
    expect(await call(imagePath(foreign), 'DELETE')).toBe(403);
    expect(rejected.map(({ status }) => status)).toEqual([403, 403]);
  });

  test('an order for such an image: 403; one that names a path: 400', async () => {
    const order = {
      namespace: 'shop',
      pod: 'p',
      container: 'c',
      node: 'n',
      targetNode: 't',
      image,
      transfer: 'Direct',
    };
    const put = (more: object): Promise<number> =>
      call(checkpointPath('1'), 'PUT', undefined, JSON.stringify({ ...order, ...more }));
    expect(await put({ image: 'docker.io/library/nginx:latest' })).toBe(403);
    expect(await put({ pod: '../../etc/passwd' })).toBe(400);
  });
});

test('MIG-65 the same pod of two namespaces, and of two migrations, has images of its own', () => {
  const imageOf = (namespace: string, uid: string, epoch: number): string => {
    const migration = migrationOf({}, undefined, uid);
    const metadata = { ...migration.metadata, namespace };
    return checkpointOf({ ...migration, metadata }, { handedOver: false, containerName: 'main' }, epoch)
      .image;
  };
  const images = [
    imageOf('shop', '11111111-a', 1),
    imageOf('shop', '11111111-a', 2),
    imageOf('shop', '22222222-b', 1),
    imageOf('bank', '11111111-a', 1),
  ];
  expect(new Set(images).size).toBe(images.length);
  for (const image of images) expect(image).toMatch(/^localhost\/ms2m\/(shop|bank)\/consumer-0:/);
});
