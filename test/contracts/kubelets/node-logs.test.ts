import type { Nodes } from '@kubewright/cluster';
import type { corev1, Transport } from '@kubewright/kube';
import { beforeEach, describe, expect, test } from 'vitest';
import { findKubectl } from '../../../tools/assets/find.mjs';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { call } from '../../support/api.ts';
import { OUTER_ADDRESS } from '../../support/fake-kubelet.ts';
import { runSession } from '../../support/kubectl-session.ts';
import { isReady, NodeStory, statusOf } from '../nodes/node-story.ts';

const shell = (script: string): readonly object[] => [
  { name: 'main', image: 'busybox:1', command: ['sh', '-c', script] },
];

/** It runs, or has been over since. */
const hasBegun = (pod: corev1.Pod): boolean => (statusOf(pod)?.containerID ?? '') !== '';

function nodeLogs(transport: () => Transport, nodes: () => Nodes, kubeconfigPath: () => string): void {
  let story: NodeStory;
  beforeEach(async () => {
    story = await NodeStory.begin(transport());
  });

  const read = async (path: string): Promise<string> => {
    const { body } = await call(transport(), 'GET', `/api/v1/namespaces/${story.namespace}/pods/${path}`);
    return (body['text'] ?? body['message']) as string;
  };
  const run = (name: string, script: string, restartPolicy: 'Always' | 'Never' = 'Never') =>
    story.run(name, { containers: shell(script) as never, restartPolicy });

  test('a simulated server logs that it runs', async () => {
    await story.run('web');
    await story.until('web', isReady);
    expect(await read('web/log')).toBe('main: started from web:1, attempt 0\n');
  });

  test('what a command printed is there after its end, as much of it as is asked for', async () => {
    await run('speaker', 'echo one; echo two; echo three');
    await story.until('speaker', ({ status }) => status?.phase === 'Succeeded');
    expect(await read('speaker/log')).toBe('one\ntwo\nthree\n');
    expect(await read('speaker/log?tailLines=2')).toBe('two\nthree\n');
    expect(await read('speaker/log?tailLines=0')).toBe('');
    expect(await read('speaker/log?limitBytes=5')).toBe('one\nt');
    expect(await read('speaker/log?sinceTime=2100-01-01T00:00:00Z')).toBe('');
    expect(await read('speaker/log?sinceSeconds=3600&tailLines=1&timestamps=true')).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z three\n$/,
    );
  });

  test('whoever follows hears the end', async () => {
    await run('brief', 'echo hello; sleep 1');
    await story.until('brief', hasBegun);
    expect(await read('brief/log?follow=true')).toBe('hello\n');
  });

  test('the attempt before the last one is remembered', async () => {
    await run('crasher', 'echo it hurts; exit 1', 'Always');
    await story.until('crasher', (pod) => (statusOf(pod)?.restartCount ?? 0) > 0);
    expect(await read('crasher/log?previous=true')).toBe('it hurts\n');
  });

  test('a container that waits says for what', async () => {
    await story.run('stuck', {}, { 'image-error': 'no such image' });
    await story.until('stuck', (pod) => statusOf(pod)?.state?.waiting?.reason === 'ErrImagePull');
    expect(await read('stuck/log')).toMatch(
      /^container "main" in pod "stuck" is waiting to start: (image can't be pulled|trying and failing to pull image)$/,
    );
    expect(await read('stuck/log?previous=true')).toBe(
      'previous terminated container "main" in pod "stuck" not found',
    );
  });

  const needsAddress = OUTER_ADDRESS === undefined ? ' [needs a network address beside the loopback]' : '';
  describe.skipIf(OUTER_ADDRESS === undefined)(`through the API server’s proxy${needsAddress}`, () => {
    const proxy = (path: string): string => `/api/v1/nodes/node-1/proxy${path}`;

    test('a kubelet is well, and lists its own pods', async () => {
      expect((await call(transport(), 'GET', proxy('/healthz'))).body).toEqual({ text: 'ok' });
      await story.run('here', { nodeName: 'node-1' });
      await story.run('there', { nodeName: 'node-2' });
      await Promise.all([story.until('here', isReady), story.until('there', isReady)]);
      const { body } = await call(transport(), 'GET', proxy('/pods'));
      const names = (body['items'] as { metadata: { name: string; namespace: string } }[])
        .filter(({ metadata }) => metadata.namespace === story.namespace)
        .map(({ metadata }) => metadata.name);
      expect(body).toMatchObject({ kind: 'PodList', apiVersion: 'v1' });
      expect(names).toEqual(['here']);
    });

    test('a container is written down while it runs on', async () => {
      await story.run('web', { nodeName: 'node-1' });
      await story.until('web', isReady);
      const place = `/checkpoint/${story.namespace}/web/main`;
      const { status, body } = await call(transport(), 'POST', proxy(place));
      expect(status).toBe(200);
      expect(body).toEqual({ items: [expect.stringContaining(`checkpoint-web_${story.namespace}-main-`)] });
      const [path = ''] = body['items'] as string[];
      expect(await nodes().checkpoints.read(path)).toBeDefined();
    });

    test.each([
      ['a pod that is not there', '/absent/main', 404, 'pod does not exist'],
      ['a container that is not there', '/web/absent', 404, 'container absent does not exist'],
      ['a timeout that is none', '/web/main?timeout=soon', 404, 'cannot parse value of timeout parameter'],
    ])('no checkpoint of %s', async (_, place, status, text) => {
      await story.run('web', { nodeName: 'node-1' });
      await story.until('web', isReady);
      const answer = await call(transport(), 'POST', proxy(`/checkpoint/${story.namespace}${place}`));
      expect(answer).toMatchObject({ status, body: { text } });
    });

    test('what no kubelet serves is not found', async () => {
      expect((await call(transport(), 'GET', proxy('/absent'))).status).toBe(404);
      expect((await call(transport(), 'GET', proxy('/checkpoint/a/b/c'))).status).toBe(405);
    });

    test('nobody answers on a node that is lost', async () => {
      nodes().lose('node-2');
      const { status, body } = await call(transport(), 'GET', '/api/v1/nodes/node-2/proxy/healthz');
      nodes().restore('node-2');
      expect(status).toBe(503);
      expect(body['message']).toContain('error trying to reach service: ');
      expect((await call(transport(), 'GET', '/api/v1/nodes/node-2/proxy/healthz')).status).toBe(200);
    });
  });

  const kubectl = findKubectl();
  describe.skipIf(kubectl === undefined)(
    `by kubectl${kubectl === undefined ? ' [needs kubectl: npm run assets]' : ''}`,
    () => {
      const say = async (command: string): Promise<string> => {
        const [result] = await runSession(kubectl ?? '', kubeconfigPath(), command);
        return `${result?.out}${result?.err}`;
      };

      test('logs, the last of them, those of before, and those to come', async () => {
        await run('speaker', 'echo one; echo two; exit 1', 'Always');
        await run('brief', 'echo hello; sleep 2');
        await story.until('speaker', (pod) => (statusOf(pod)?.restartCount ?? 0) > 0);
        await story.until('brief', hasBegun);
        const of = (more: string): Promise<string> => say(`logs -n ${story.namespace} ${more}`);
        expect(await of('speaker')).toBe('one\ntwo\n');
        expect(await of('speaker --tail=1')).toBe('two\n');
        expect(await of('speaker --previous')).toBe('one\ntwo\n');
        expect(await of('brief -f')).toBe('hello\n');
        expect(await of('brief -c other')).toBe('error: container other is not valid for pod brief\n');
      });

      test.skipIf(OUTER_ADDRESS === undefined)('get --raw through the proxy', async () => {
        expect(await say('get --raw /api/v1/nodes/node-1/proxy/healthz')).toBe('ok');
      });
    },
  );
}

describeClusters('kubelets of simulated nodes', { controllers: [], nodes: 2, kubectl: true }, nodeLogs);
