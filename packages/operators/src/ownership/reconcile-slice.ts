import { ApiError, type Client } from '@kubewright/client';
import type { Stored } from '@kubewright/kube';
import { type EventNote, updateStatus } from '@kubewright/runtime';
import {
  type Composition,
  RESOURCE_SLICES,
  type ResourceSlice,
  type ResourceState,
  type SliceStatus,
} from './api.ts';
import { type DesiredManifest, readManifest } from './observe/manifest.ts';
import { type ReconcileDeps, reconcileResource } from './reconcile-resource.ts';

/** What one pass over a slice needs from outside. */
export type SliceDeps = ReconcileDeps & {
  readonly client: Client;
  /** Tells people about a slice; never fails. */
  readonly notify: (about: ResourceSlice, note: EventNote) => void;
};

/** Milliseconds until the next look, if only time has to pass; `error` asks for the queue's back-off. */
export type SliceResult = { readonly requeueAfter?: number; readonly error?: unknown };

/**
 * Brings every object of a slice to its manifest, one after the other, and records per object how it went. One
 * object's failure does not keep the others from being handled.
 *
 * Writes nothing to the slice when nothing changed.
 */
export async function reconcileSlice(
  slice: Stored<ResourceSlice>,
  composition: Composition,
  deps: SliceDeps,
): Promise<SliceResult> {
  const recorder = createRecorder(slice, deps.client);
  const results: SliceResult[] = [];
  for (const [index, manifest] of (slice.spec?.resources ?? []).entries()) {
    const read = readManifest(manifest, composition.metadata.annotations);
    if (typeof read === 'string') recorder.fail(index, read);
    else results.push(await reconcileManifest(index, read, { slice, recorder, deps }));
  }
  await recorder.write();
  const waits = results.flatMap(({ requeueAfter }) => requeueAfter ?? []);
  const error = results.find((result) => result.error !== undefined)?.error;
  return {
    ...(waits.length === 0 ? {} : { requeueAfter: Math.min(...waits) }),
    ...(error === undefined ? {} : { error }),
  };
}

type SlicePass = {
  readonly slice: Stored<ResourceSlice>;
  readonly recorder: Recorder;
  readonly deps: SliceDeps;
};

async function reconcileManifest(
  index: number,
  manifest: DesiredManifest,
  { slice, recorder, deps }: SlicePass,
): Promise<SliceResult> {
  const record = (state: ResourceState): Promise<void> => {
    recorder.states[index] = state;
    return recorder.write();
  };
  try {
    const result = await reconcileResource(manifest, recorder.states[index] ?? {}, deps, record);
    recorder.states[index] = result.state;
    for (const note of result.events) deps.notify(slice, note);
    return result.requeueAfter === undefined ? {} : { requeueAfter: result.requeueAfter };
  } catch (error) {
    // Only a call that failed: anything else is a defect of ours and must not end up in a status.
    if (!(error instanceof ApiError)) throw error;
    recorder.fail(index, error.message);
    return { error };
  }
}

/** Holds the states of a slice's objects and writes them where they differ from what the server has. */
type Recorder = {
  readonly states: ResourceState[];
  /** Notes that a manifest could not be handled. */
  fail(index: number, message: string): void;
  write(): Promise<void>;
};

function createRecorder(slice: Stored<ResourceSlice>, client: Client): Recorder {
  const { generation } = slice.metadata;
  // The original writes no generation: its slices never change.
  const current = (slice.status?.observedGeneration ?? generation) === generation;
  const states = (slice.spec?.resources ?? []).map((_manifest, index) =>
    current ? (slice.status?.resources?.[index] ?? {}) : {},
  );
  let stored = slice;
  return {
    states,
    fail(index, message) {
      states[index] = { ...states[index], reconciled: false, reconciliationError: message };
    },
    async write() {
      const observed = generation === undefined ? {} : { observedGeneration: generation };
      const status: SliceStatus = { resources: [...states], ...observed };
      stored = await updateStatus({ client }, RESOURCE_SLICES, stored, status);
    },
  };
}
