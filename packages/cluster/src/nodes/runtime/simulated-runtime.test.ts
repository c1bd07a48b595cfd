import { createManualClock } from '@kubewright/client';
import type { corev1, Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import type { Behaviour } from './behaviour.ts';
import { behaviourOf } from './behaviour-of.ts';
import type { ContainerStart } from './container-runtime.ts';
import { SimulatedRuntime } from './simulated-runtime.ts';

const container = (more: Partial<corev1.Container> = {}): corev1.Container => ({
  name: 'main',
  image: 'registry/web:1',
  ...more,
});
const pod = (annotations: Readonly<Record<string, string>> = {}, one = container()): Stored<corev1.Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'p',
    namespace: 'n',
    uid: 'u',
    resourceVersion: '1',
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [`nodes.kubewright.dev/${key}`, value]),
    ),
  },
  spec: { containers: [one] },
});

describe('a command', () => {
  test.each<[readonly string[], Behaviour]>([
    [[], {}],
    [['true'], { exitAfterMs: 0, exitCode: 0 }],
    [['/bin/sh', '-c', 'exit 3'], { exitAfterMs: 0, exitCode: 3 }],
    [['sh', '-c', 'sleep 2; false'], { exitAfterMs: 2000, exitCode: 1 }],
    [
      ['sh', '-c', 'echo "hello world" && sleep 0.5 && exit'],
      { exitAfterMs: 500, exitCode: 0, logs: ['hello world'] },
    ],
    [['sh', '-c', 'exit 300'], { exitAfterMs: 0, exitCode: 44 }],
    [['sleep', '10'], { exitAfterMs: 10_000, exitCode: 0 }],
    [['sleep', 'infinity'], {}],
    [['sh', '-c', 'echo starting; ./server; exit 1'], { logs: ['starting'] }],
    [['node', 'server.js'], {}],
    [['__proto__'], {}],
    [['constructor', '1'], {}],
  ])('%j', (command, expected) => {
    expect(behaviourOf(pod(), container({ command }), {})).toEqual(expected);
  });
});

describe('the command of an init container', () => {
  test.each<[readonly string[], Behaviour]>([
    [[], { exitAfterMs: 1000, exitCode: 0 }],
    [['sh', '-c', 'cp /tmp/a /tmp/b && chown 1 /tmp/b'], { exitAfterMs: 2000, exitCode: 0 }],
    [['sh', '-c', 'wait-for-it; exit 3'], { exitAfterMs: 1000, exitCode: 3 }],
    [['sleep', 'infinity'], {}],
  ])('%j ends, as others wait for it', (command, expected) => {
    const one = container({ command });
    expect(behaviourOf({ ...pod(), spec: { containers: [], initContainers: [one] } }, one, {})).toEqual(
      expected,
    );
    const sidecar = container({ command, restartPolicy: 'Always' });
    const withSidecar = { ...pod(), spec: { containers: [], initContainers: [sidecar] } };
    expect(behaviourOf(withSidecar, sidecar, {})).toEqual(behaviourOf(pod(), container({ command }), {}));
  });
});

describe('an annotation', () => {
  test.each<[Readonly<Record<string, string>>, Behaviour]>([
    [
      { 'exit-after': '1.5s', 'exit-code': '7' },
      { exitAfterMs: 1500, exitCode: 7 },
    ],
    [
      { 'exit-after': '200ms', exits: '2' },
      { exitAfterMs: 200, exits: 2 },
    ],
    [{ oom: 'true' }, { exitAfterMs: 0, exitCode: 137, exitReason: 'OOMKilled' }],
    [
      { crash: 'true', 'exit-after': '1m' },
      { exitAfterMs: 60_000, exitCode: 1 },
    ],
    [{ crash: 'false' }, {}],
    [{ ready: 'false' }, { unready: true }],
    [{ 'exit-after': 'soon', 'exit-code': '-1', stop: '1e9' }, {}],
    [{ unknown: 'x' }, {}],
  ])('%j', (annotations, expected) => {
    expect(behaviourOf(pod(annotations), container(), {})).toEqual(expected);
  });
});

test('what is said of an image goes over the command, and an annotation over both', () => {
  const images = { '*/web:*': { exitAfterMs: 1 }, '*': { exitAfterMs: 2 } };
  const one = container({ command: ['false'] });
  expect(behaviourOf(pod(), one, images)).toEqual({ exitAfterMs: 1, exitCode: 1 });
  expect(behaviourOf(pod({ 'exit-after': '3ms' }), one, images).exitAfterMs).toBe(3);
  const init = { ...pod({ 'exit-after': '3ms' }), spec: { containers: [], initContainers: [one] } };
  expect(behaviourOf(init, one, images).exitAfterMs).toBe(1);
});

describe('a container', () => {
  const begin = async (annotations: Readonly<Record<string, string>> = {}, one = container()) => {
    const clock = createManualClock();
    const runtime = new SimulatedRuntime({ clock });
    let news = 0;
    runtime.onChange(() => news++);
    const start: ContainerStart = {
      id: 'a',
      attempt: 0,
      pod: pod(annotations, one),
      container: one,
      ip: '10.0.0.1',
      node: 'node-1',
    };
    await runtime.start(start);
    return { clock, runtime, start, news: () => news };
  };

  test('runs until it is stopped, and then ends by itself', async () => {
    const { clock, runtime, news } = await begin();
    await clock.advance(3_600_000);
    expect(runtime.state('a')).toMatchObject({ type: 'running', started: true, ready: true });
    expect(news()).toBe(0);
    runtime.stop('a', 30_000);
    expect(runtime.state('a')).toMatchObject({ type: 'exited', exitCode: 0 });
  });

  test('of a pod that works and does not serve fails when it is broken off', async () => {
    const { runtime, start } = await begin();
    const broken = { ...start.pod, spec: { ...start.pod.spec, restartPolicy: 'Never' } } as const;
    await runtime.start({ ...start, id: 'b', pod: broken });
    runtime.stop('b', 30_000);
    expect(runtime.state('b')).toMatchObject({ type: 'exited', exitCode: 143 });
  });

  test('that takes longer to end than it gets is killed; a shorter time counts', async () => {
    const { clock, runtime, news } = await begin({ stop: '1m' });
    runtime.stop('a', 30_000);
    await clock.advance(10_000);
    expect(runtime.state('a')?.type).toBe('running');
    runtime.stop('a', 60_000);
    runtime.stop('a', 1_000);
    await clock.advance(1_000);
    expect(runtime.state('a')).toMatchObject({ type: 'exited', exitCode: 137 });
    expect(news()).toBe(1);
  });

  test('ends by itself, and tells', async () => {
    const { clock, runtime, news } = await begin({ 'exit-after': '5s', 'exit-code': '2' });
    await clock.advance(4_999);
    expect(runtime.state('a')?.type).toBe('running');
    await clock.advance(1);
    expect(runtime.state('a')).toMatchObject({ exitCode: 2, finishedAt: clock.now() });
    expect(news()).toBe(1);
  });

  test('becomes ready after its probes’ delay', async () => {
    const readinessProbe = { initialDelaySeconds: 2, successThreshold: 2, periodSeconds: 3 };
    const { clock, runtime, news } = await begin({}, container({ readinessProbe }));
    expect(runtime.state('a')).toMatchObject({ started: true, ready: false });
    await clock.advance(5_000);
    expect(runtime.state('a')).toMatchObject({ ready: true });
    expect(news()).toBe(1);
  });

  test('behaves as its pod’s annotations say at present', async () => {
    const { runtime, start } = await begin();
    runtime.update('a', pod({ ready: 'false' }));
    expect(runtime.state('a')).toMatchObject({ ready: false });
    runtime.update('a', start.pod);
    expect(runtime.state('a')).toMatchObject({ ready: true });
  });

  test('that is removed is not known any more', async () => {
    const { clock, runtime, news } = await begin({ 'exit-after': '5s' });
    runtime.remove('a');
    await clock.advance(10_000);
    expect(runtime.state('a')).toBeUndefined();
    expect(news()).toBe(0);
  });
});
