import { ApiError } from '@kubewright/client';
import { jsonEqual, type Stored } from '@kubewright/kube';
import {
  type Decision,
  type EventRecorder,
  type Io,
  type Request,
  type Result,
  runSteps,
  type StepsHost,
  updateStatus,
} from '@kubewright/runtime';
import { type Composition, RESOURCE_SLICES, type ResourceSlice, type ResourceState } from './api.ts';
import { manifestSteps, type OwnershipTools, type PassSettings } from './manifest-steps.ts';
import { type DesiredManifest, readManifest } from './read-manifest.ts';

/** The dependencies of a reconcile of a slice. */
export type SlicePass = {
  readonly request: Request;
  readonly io: Io;
  readonly tools: OwnershipTools & PassSettings;
  readonly recorder: EventRecorder;
  /** Logs and counts a decision. */
  readonly report: (io: Io, decision: Decision<unknown, unknown>, writes: boolean) => void;
};

/**
 * Reconciles all objects of a slice, one after the other, and records the result of each. One failure does not block
 * the others; rejects with the first. Writes nothing to the slice when nothing changed.
 */
export async function reconcileSlice(
  slice: Stored<ResourceSlice>,
  composition: Composition,
  pass: SlicePass,
): Promise<Result> {
  const states = createStates(slice, pass.io);
  const results: Result[] = [];
  let failure: { readonly error: unknown } | undefined;
  for (const [index, manifest] of (slice.spec?.resources ?? []).entries()) {
    const read = readManifest(manifest, composition.metadata.annotations);
    try {
      if (typeof read === 'string') states.fail(index, read);
      else results.push(await reconcileManifest(index, read, { slice, states, pass }));
    } catch (error) {
      // Only a failed call: anything else is a bug, and must not end up in a status.
      if (!(error instanceof ApiError)) throw error;
      states.fail(index, error.message);
      failure ??= { error };
    }
  }
  const recorded = await states.write();
  if (failure !== undefined) throw failure.error;
  return recorded === 'done' ? earliest(results) : { requeue: true, problem: 'a webhook changes the status' };
}

function earliest(results: readonly Result[]): Result {
  const again = results.find(({ requeue }) => requeue === true);
  if (again !== undefined) return again;
  const waits = results.flatMap(({ requeueAfter }) => requeueAfter ?? []);
  return waits.length === 0 ? {} : { requeueAfter: Math.min(...waits) };
}

type Place = { readonly slice: Stored<ResourceSlice>; readonly states: States; readonly pass: SlicePass };

async function reconcileManifest(
  index: number,
  manifest: DesiredManifest,
  { slice, states, pass }: Place,
): Promise<Result> {
  const { kind, metadata } = manifest.object;
  const io = { ...pass.io, log: pass.io.log.child({ manifest: `${kind} ${metadata.name}` }) };
  const stateOf = (): ResourceState => states.of(index);
  const host: StepsHost<unknown, ResourceState> = {
    io,
    isNews: (_observed, state) => !jsonEqual(stateOf(), state),
    async record(_observed, state, isLast) {
      states.set(index, state);
      // The result of each write is recorded before the next one; final states once for all manifests.
      return isLast ? 'done' : states.write();
    },
    report: (decision, writes) => pass.report(io, decision, writes),
    notify: (_observed, { events = [] }) => {
      for (const note of events) void pass.recorder.record(slice, note);
    },
  };
  const steps = manifestSteps(manifest, { slice, stateOf }, pass.tools);
  return (await runSteps(steps, pass.request, host)).result;
}

/** The states of a slice's objects. */
type States = {
  of(index: number): ResourceState;
  set(index: number, state: ResourceState): void;
  /** Records the failure of a manifest. */
  fail(index: number, message: string): void;
  /**
   * Writes the states that differ from the server's. `undone`: the server stored others, for example because of a
   * webhook.
   */
  write(): Promise<'done' | 'undone'>;
};

function createStates(slice: Stored<ResourceSlice>, io: Io): States {
  const { generation } = slice.metadata;
  // The original writes no generation: its slices never change.
  const isCurrent = (slice.status?.observedGeneration ?? generation) === generation;
  const states = (slice.spec?.resources ?? []).map((_manifest, index) =>
    isCurrent ? (slice.status?.resources?.[index] ?? {}) : {},
  );
  let stored = slice;
  return {
    of: (index) => states[index] ?? {},
    set: (index, state) => void (states[index] = state),
    fail(index, message) {
      states[index] = { ...states[index], reconciled: false, reconciliationError: message };
    },
    async write() {
      const observed = generation === undefined ? {} : { observedGeneration: generation };
      const status = { resources: [...states], ...observed };
      stored = await updateStatus(io, RESOURCE_SLICES, stored, status);
      return jsonEqual(stored.status, status) ? 'done' : 'undone';
    },
  };
}
