import { jsonEqual, type Stored } from '@kubewright/kube';
import {
  type Decision,
  type EventRecorder,
  type Io,
  type Request,
  type Result,
  runSteps,
  type StepsHost,
} from '@kubewright/runtime';
import type { ResourceSlice, ManifestState } from './api.ts';
import { type Elsewhere, manifestSteps, type OwnershipTools, type PassSettings } from './manifest-steps.ts';
import type { MigrationMetrics } from './migration-metrics.ts';
import type { DesiredManifest } from './read-manifest.ts';
import type { RestPass } from './rest/rest-pass.ts';
import type { Look } from './rest/rest-of.ts';
import type { SliceStates } from './slice-states.ts';

/** The dependencies of a reconcile of a slice. */
export type SlicePass = {
  readonly request: Request;
  readonly io: Io;
  readonly tools: OwnershipTools & PassSettings;
  readonly recorder: EventRecorder;
  /** Logs and counts a decision. */
  readonly report: (io: Io, decision: Decision<unknown, unknown>, writes: boolean) => void;
  readonly metrics: Pick<MigrationMetrics, 'noteReport'>;
  /** The other Compositions; absent: there are none. */
  readonly elsewhere?: Elsewhere;
  /** What is remembered of the objects; absent: all are looked at. */
  readonly rest?: RestPass;
};

/** Where the state of a manifest is kept. `write` stores it on the server. */
export type StateStore = Pick<SliceStates, 'write' | 'whenStored'> & {
  readonly get: () => ManifestState;
  readonly set: (state: ManifestState) => void;
};

/** Brings one object to its manifest, as far as that can be done now. `onLook` gets the last look, if the result is of that. */
export async function reconcileManifest(
  manifest: DesiredManifest,
  slice: Stored<ResourceSlice>,
  store: StateStore,
  pass: SlicePass,
  onLook?: (look: Look) => void,
): Promise<Result> {
  const { kind, metadata } = manifest.object;
  const io = { ...pass.io, log: pass.io.log.child({ manifest: `${kind} ${metadata.name}` }) };
  const host: StepsHost<unknown, ManifestState> = {
    io,
    isNews: (_observed, state) => !jsonEqual(store.get(), state),
    async record(_observed, state, isLast) {
      const { ownership } = store.get();
      store.set(state);
      store.whenStored(() => pass.metrics.noteReport(kind, ownership, state.ownership));
      // The result of each write is recorded before the next one; final states once for all manifests.
      return isLast ? 'done' : store.write();
    },
    report: (decision, writes) => pass.report(io, decision, writes),
    notify: (_observed, { events = [] }) => {
      for (const note of events) pass.recorder.record(slice, note);
    },
  };
  let last: Look | undefined;
  const noteLook = (look: Look): void => void (last = look);
  const scene = { slice, stateOf: store.get, elsewhere: pass.elsewhere, onLook: noteLook };
  const { reason, result } = await runSteps(manifestSteps(manifest, scene, pass.tools), pass.request, host);
  if (last !== undefined && last.decision.reason === reason) onLook?.(last);
  return result;
}
