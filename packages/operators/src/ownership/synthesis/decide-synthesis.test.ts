import type { corev1, Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import type { Composition, CompositionStatus, ResourceSlice, Synthesis } from '../api.ts';
import { decideSynthesis, type ObservedSynthesis } from './decide-synthesis.ts';
import type { Synthesizer } from './synthesizers.ts';

const now = new Date('2026-01-02T03:04:05Z');
const ago = (seconds: number): string => new Date(now.getTime() - seconds * 1000).toISOString();
const meta = (name: string) => ({ name, namespace: 'ns', uid: name, resourceVersion: '1', generation: 1 });

const composition = (status: CompositionStatus = {}): Stored<Composition> => ({
  apiVersion: 'eno.azure.io/v1',
  kind: 'Composition',
  metadata: meta('shop'),
  spec: { synthesizer: { name: 'printer' } },
  status,
});
const synthesizer = (spec: Synthesizer['spec'] = {}): Stored<Synthesizer> => ({
  apiVersion: 'eno.azure.io/v1',
  kind: 'Synthesizer',
  metadata: meta('printer'),
  spec: { image: 'printer:1', ...spec },
});
const slice = (name: string): Stored<ResourceSlice> => ({
  apiVersion: 'eno.azure.io/v1',
  kind: 'ResourceSlice',
  metadata: meta(name),
});
const item = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
const output = { ok: true, items: [item], results: [] } as const;

type Given = Partial<ObservedSynthesis> & {
  readonly status?: CompositionStatus;
  readonly slices?: readonly Stored<ResourceSlice>[];
};

function step({ status, slices = [], ...synthesis }: Given) {
  const observed = {
    synthesizer: synthesizer(),
    inputs: { ok: true, items: [], revisions: [] } as const,
    pods: [],
    output: undefined,
    ...synthesis,
  };
  return decideSynthesis({ composition: composition(status), slices, synthesis: observed }, now);
}

const flight = step({}).status?.inFlightSynthesis as Synthesis;

function phased(phase: 'Failed' | 'Pending', state: corev1.ContainerState): corev1.PodStatus {
  const container = { name: 'synthesizer', image: '', imageID: '', ready: false, restartCount: 0, state };
  return { phase, containerStatuses: [container] };
}

function pod(status: corev1.PodStatus, seconds = 1, attempt = 1): Stored<corev1.Pod> {
  const { action } = step({ status: { inFlightSynthesis: { ...flight, attempts: attempt } } });
  if (action?.type !== 'createPod') throw new TypeError('no pod');
  const annotations = { ...action.pod.metadata.annotations, 'eno.azure.io/started': ago(seconds) };
  const stored = { ...action.pod.metadata, annotations, uid: 'p', resourceVersion: '1' };
  return { ...action.pod, metadata: stored, status } as Stored<corev1.Pod>;
}

describe('a synthesis', () => {
  test('begins once, under a name that follows from what it is made of', () => {
    expect(flight).toMatchObject({
      attempts: 1,
      observedCompositionGeneration: 1,
      observedSynthesizerGeneration: 1,
    });
    expect(flight.uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(step({}).status?.inFlightSynthesis?.uuid).toBe(flight.uuid);
    const newer = { ...synthesizer(), metadata: { ...meta('printer'), generation: 2 } };
    expect(step({ synthesizer: newer }).status?.inFlightSynthesis?.uuid).not.toBe(flight.uuid);
  });

  test('waits for its inputs, says which one is missing, and does not run with too many', () => {
    const missing = step({ inputs: { ok: false, message: 'input a: not found' } });
    expect(missing).toMatchObject({
      reason: 'MissingInputs',
      error: 'input a: not found',
      requeueAfter: 30_000,
    });
    const items = [{ ...item, data: { text: 'x'.repeat(130_000) } }];
    expect(step({ inputs: { ok: true, items, revisions: [] } })).toMatchObject({ reason: 'InputsTooLarge' });
  });

  test('runs one pod, and waits for it', () => {
    const status = { inFlightSynthesis: flight };
    expect(step({ status })).toMatchObject({ reason: 'CreatePod', action: { type: 'createPod' } });
    const running = step({ status, pods: [pod({ phase: 'Running' }, 20)] });
    expect(running).toEqual({ reason: 'Synthesizing', requeueAfter: 101_000 });
  });

  test('writes slices, and only then switches to them', () => {
    const pods = [pod({ phase: 'Succeeded' })];
    const before: Synthesis = { uuid: 'before', resourceSlices: [{ name: 'old' }] };
    const status = { inFlightSynthesis: flight, currentSynthesis: before };
    const slices = [slice('old')];
    const first = step({ status, pods, output, slices });
    expect(first).toMatchObject({ action: { type: 'createSlice', synthesisUUID: flight.uuid } });
    const name = `shop-${flight.uuid?.slice(0, 8) ?? ''}-1`;
    const second = step({ status, pods, output, slices: [...slices, slice(name)] });
    expect(second.action).toBeUndefined();
    expect(second.status).toMatchObject({
      currentSynthesis: { uuid: flight.uuid, resourceSlices: [{ name }] },
      previousSynthesis: before,
    });
    expect(second.status).toHaveProperty('inFlightSynthesis', undefined);

    const current = { currentSynthesis: { ...flight, resourceSlices: [{ name }] } };
    const all = [...slices, slice(name)];
    expect(step({ status: current, pods, slices: all })).toMatchObject({ action: { type: 'deletePod' } });
    const dropped = step({ status: current, slices: all });
    expect(dropped).toMatchObject({ action: { type: 'deleteSlice', slice: { metadata: { name: 'old' } } } });
    expect(step({ status: current, slices: [slice(name)] })).toEqual({ reason: 'UpToDate' });
  });

  test('keeps an old slice without its finalizer until its objects are pruned', () => {
    const status = { currentSynthesis: { ...flight, resourceSlices: [{ name: 'new' }] } };
    const inventory = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a' }];
    const old = { ...slice('old'), status: { inventory } };
    expect(step({ status, slices: [old, slice('new')] })).toEqual({ reason: 'Pruning' });
    const held = { ...old, metadata: { ...old.metadata, finalizers: ['eno.azure.io/cleanup'] } };
    expect(step({ status, slices: [held, slice('new')] })).toMatchObject({ action: { slice: held } });
    const pruned = { ...old, status: { inventory: [] } };
    expect(step({ status, slices: [pruned, slice('new')] })).toMatchObject({ action: { slice: pruned } });
  });

  test('is tried again later and later, and its pod stays until then', () => {
    const status = { inFlightSynthesis: flight };
    const failed = phased('Failed', { terminated: { exitCode: 3 } });
    const error = 'the synthesizer has failed with exit code 3';
    const early = step({ status, pods: [pod(failed, 1)] });
    expect(early).toEqual({ reason: 'SynthesisFailed', error, requeueAfter: 4000 });
    const due = step({ status, pods: [pod(failed, 6)] });
    expect(due).toMatchObject({ error, status: { inFlightSynthesis: { attempts: 2, uuid: flight.uuid } } });
    const tenth = { inFlightSynthesis: { ...flight, attempts: 10 } };
    const late = step({ status: tenth, pods: [pod(failed, 0, 10)] });
    expect(late.requeueAfter).toBe(300_000);
    const next = { inFlightSynthesis: { ...flight, attempts: 2 } };
    expect(step({ status: next, pods: [pod({ phase: 'Failed' })] })).toMatchObject({
      action: { type: 'deletePod' },
    });
  });

  test('fails when its pod takes too long, or prints no list', () => {
    const status = { inFlightSynthesis: flight };
    const pending = phased('Pending', { waiting: { reason: 'ImagePullBackOff' } });
    expect(step({ status, pods: [pod(pending, 121)] }).error).toBe('the pod took too long: ImagePullBackOff');
    const pods = [pod({ phase: 'Succeeded' })];
    expect(step({ status, pods, output: { ok: false, message: 'no list' } }).error).toBe('no list');
  });

  test('is begun anew when its synthesizer changes while it runs', () => {
    const newer = { ...synthesizer(), metadata: { ...meta('printer'), generation: 2 } };
    const status = { inFlightSynthesis: flight };
    const next = step({ status, synthesizer: newer, pods: [pod({ phase: 'Running' })] });
    expect(next.status?.inFlightSynthesis).toMatchObject({ observedSynthesizerGeneration: 2, attempts: 1 });
  });
});
