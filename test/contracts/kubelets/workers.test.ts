import { type Nodes, WorkerRuntime } from '@kubewright/cluster';
import type { corev1, Transport } from '@kubewright/kube';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { call } from '../../support/api.ts';
import { isReady, NodeStory, statusOf } from '../nodes/node-story.ts';

const IMAGE = 'registry.example/counter:v1';
const workers = new WorkerRuntime({ images: { [IMAGE]: new URL('./workers/counter.mjs', import.meta.url) } });
/** Threads start slowly on a busy machine. */
const PATIENT = { timeout: 30_000 };

function workersAsContainers(transport: () => Transport, nodes: () => Nodes): void {
  let story: NodeStory;
  beforeEach(async () => {
    story = await NodeStory.begin(transport());
  });

  const log = async (path: string): Promise<string> => {
    const { body } = await call(transport(), 'GET', `/api/v1/namespaces/${story.namespace}/pods/${path}`);
    return body['text'] as string;
  };
  const run = (name: string, does: string, more: Partial<corev1.Container> = {}, restart = 'Never') =>
    story.run(name, {
      containers: [
        {
          name: 'main',
          image: IMAGE,
          args: does.split(' '),
          env: [
            { name: 'WHO', value: 'world' },
            { name: 'GREETING', value: 'hello $(WHO)' },
          ],
          ...more,
        },
      ],
      restartPolicy: restart,
    } as Partial<corev1.PodSpec>);
  const ended = (name: string): Promise<corev1.Pod> =>
    story.until(name, (pod) => statusOf(pod)?.state?.terminated !== undefined);

  test('an image is a script, with arguments, an environment and two streams of output', async () => {
    await run('talker', 'exit $(WHO)');
    const pod = await ended('talker');
    expect(statusOf(pod)?.containerID).toMatch(/^worker:\/\//);
    expect(statusOf(pod)?.state?.terminated).toMatchObject({ exitCode: 3, reason: 'Error' });
    expect(pod.status?.phase).toBe('Failed');
    const lines = (await log('talker/log')).split('\n');
    expect(lines).toContain('talker begins with 0, greeting hello world, exit world');
    expect(lines).toContain('to stderr');
  });

  test('a script that has nothing left to do has succeeded', async () => {
    await run('short', 'nothing');
    await story.until('short', ({ status }) => status?.phase === 'Succeeded');
  });

  test('an error that nobody catches ends it, and the log says which', async () => {
    await run('crasher', 'crash', {}, 'Always');
    await story.until('crasher', (pod) => (statusOf(pod)?.restartCount ?? 0) > 0);
    expect(await log('crasher/log?previous=true')).toContain('RangeError: it crashed');
    const last = statusOf(await story.until('crasher', () => true))?.lastState?.terminated;
    expect(last).toMatchObject({ exitCode: 1, reason: 'Error' });
  });

  test('one that takes more memory than its limit is killed for it', async () => {
    await run('hoarder', 'hoard', { resources: { limits: { memory: '16Mi' } } });
    expect(statusOf(await ended('hoarder'))?.state?.terminated).toMatchObject({
      exitCode: 137,
      reason: 'OOMKilled',
    });
  });

  test('one that says so is not ready', async () => {
    await run('shy', 'unready stay');
    const pod = await story.until(
      'shy',
      (one) => statusOf(one)?.ready === false && statusOf(one)?.started === true,
    );
    expect(pod.status?.phase).toBe('Running');
  });

  test.each([
    ['asked to end', 'handle stay', 30, 7],
    ['that does not listen', 'stay', 30, 143],
    ['that goes on', 'ignore stay', 1, 137],
  ])('a worker %s ends', async (_, does, grace, exitCode) => {
    await run('leaver', does);
    await story.until('leaver', isReady);
    await expect.poll(() => log('leaver/log'), PATIENT).toContain('begins with 0');
    const states = story.history(
      'leaver',
      (pod) => pod === undefined || statusOf(pod)?.state?.terminated !== undefined,
    );
    await story.remove('leaver', grace);
    const last = (await states).at(-1);
    expect(last === undefined ? undefined : statusOf(last)?.state?.terminated?.exitCode).toBe(exitCode);
    await story.untilGone('leaver');
  });

  test('what it had in mind lives on in a container that is made from its checkpoint', async () => {
    await run('source', 'count remember stay');
    const source = await story.until('source', isReady);
    await expect.poll(() => log('source/log'), PATIENT).toContain('count 3');
    const node = source.spec.nodeName ?? '';
    const path = `/checkpoint/${story.namespace}/source/main`;
    const answer = await nodes().kubelet.handle({ method: 'POST', path, headers: {} }, node);
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.body) chunks.push(chunk);
    const { items } = JSON.parse(Buffer.concat(chunks).toString()) as { items: [string] };
    const archive = await nodes().checkpoints.read(items[0]);
    await workers.loadCheckpoint('registry.example/source:checkpoint', archive ?? new Uint8Array());

    await run('target', 'other', { image: 'registry.example/source:checkpoint', env: [] });
    await story.until('target', isReady);
    // As restored processes do, it keeps the arguments and the environment that it had.
    await expect
      .poll(() => log('target/log'), PATIENT)
      .toMatch(/^target begins with ([3-9]|\d\d+), greeting hello world, count remember stay\n/m);
  });

  test('one that says nothing of itself cannot be written down', async () => {
    await run('silent', 'stay');
    const pod = await story.until('silent', isReady);
    const path = `/checkpoint/${story.namespace}/silent/main`;
    const { status } = await nodes().kubelet.handle(
      { method: 'POST', path, headers: {} },
      pod.spec.nodeName ?? '',
    );
    expect(status).toBe(500);
  });
}

afterAll(() => workers.close());

describeClusters(
  'workers as containers',
  { controllers: [], nodes: { nodes: 2, runtimes: [workers] } },
  workersAsContainers,
);
