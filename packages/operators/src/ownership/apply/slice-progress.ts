import type { ResourceSlice, ResourceState } from '../api.ts';
import { manifestName } from '../read-manifest.ts';
import { currentStates } from '../slice-states.ts';

type Progress = { readonly isDone: boolean; readonly text: string };

/** How far the operator is with the present manifests of a slice. */
export function sliceProgress(slice: ResourceSlice): Progress {
  const { spec, status, metadata } = slice;
  const manifests = spec?.resources ?? [];
  // The operator has not looked at it yet: states of another generation say nothing.
  const states = status?.observedGeneration === metadata.generation ? currentStates(slice) : [];
  const open = manifests.flatMap((one, index) =>
    isReady(states[index]) ? [] : [{ one, state: states[index] }],
  );
  const count = `${manifests.length - open.length} of ${manifests.length} objects are ready`;
  const [first] = open;
  if (first === undefined) return { isDone: true, text: count };
  return { isDone: false, text: `${count}; ${manifestName(first.one)}: ${whyNotReady(first.state)}` };
}

function isReady(state: ResourceState | undefined): boolean {
  return state?.deleted === true || state?.ready !== undefined;
}

function whyNotReady({ reconciliationError, reconciled }: ResourceState = {}): string {
  return reconciliationError ?? (reconciled === true ? 'not ready' : 'not applied');
}
