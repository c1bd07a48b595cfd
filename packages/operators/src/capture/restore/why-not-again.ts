import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from '@kubewright/kube';
import { textIn } from './text-in.ts';

/** The conditions of objects that have finished, by kind; a phase is one of {@link PHASES}. */
const CONDITIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Job.batch', ['Complete', 'Failed']],
  ['TaskRun.tekton.dev', ['Succeeded']],
  ['PipelineRun.tekton.dev', ['Succeeded']],
]);
const WITH_PHASE: ReadonlySet<string> = new Set(['Pod.', 'Workflow.argoproj.io']);
const PHASES: ReadonlySet<string> = new Set(['Succeeded', 'Failed', 'Error']);

/** Why an object that has done its work is not created again; undefined for any other one. */
export function whyNotAgain(object: JsonObject): string | undefined {
  const { status } = object;
  if (!isJsonObject(status) || !hasFinished(kindOf(object), status)) return undefined;
  return 'it has finished: restored, it would run again';
}

function kindOf(object: JsonObject): string {
  const [group = '', version] = textIn(object, 'apiVersion').split('/');
  return `${textIn(object, 'kind')}.${version === undefined ? '' : group}`;
}

function hasFinished(kind: string, status: JsonObject): boolean {
  if (WITH_PHASE.has(kind)) return PHASES.has(textIn(status, 'phase'));
  const types = CONDITIONS.get(kind) ?? [];
  const conditions = getOwn(status, 'conditions');
  return isJsonArray(conditions) && conditions.some((condition) => isFinal(condition, types));
}

/** A run of Tekton that has failed has `Succeeded=False`; one that runs has `Unknown`. */
function isFinal(condition: Json, types: readonly string[]): boolean {
  if (!isJsonObject(condition) || !types.includes(textIn(condition, 'type'))) return false;
  const status = textIn(condition, 'status');
  return status === 'True' || (textIn(condition, 'type') === 'Succeeded' && status === 'False');
}
