import type { KubeObject } from '@kubewright/kube';
import type { Verdict } from './detect-drift.ts';
import type { Applied } from './applied-by.ts';
import { changedFields } from './changed-fields.ts';
import type { Review, Facts } from './review.ts';

/** The warning in mode log; servers cut warnings at 120 characters. */
const WOULD_BE_DENIED =
  '[kausality] drift detected: no approval found for this mutation (would be blocked in enforce mode)';

/** The warning for who wrote drift that is let through. */
export function warningOf({ unenforced }: Facts): string {
  return unenforced === undefined ? WOULD_BE_DENIED : `[kausality] drift detected; not denied: ${unenforced}`;
}

/** The warning for a controller that changes annotations that it is gated by. */
export const NOT_BY_ITSELF = '[kausality] a controller does not approve its own changes; left as they were';

const VERBS = { CREATE: 'creates', UPDATE: 'updates', DELETE: 'deletes' } as const;

/** Why a change is denied, or would be: who changed what, why it is drift, and what to do. */
export function explain(review: Review, { parent }: Facts, verdict: Verdict): string {
  switch (verdict.reason) {
    case 'Frozen': {
      const { message, at } = verdict.freeze;
      const why = `${message === undefined ? '' : `: ${message}`}${typeof at === 'string' ? ` (since ${at})` : ''}`;
      const command = `kubewright drift unfreeze ${targetOf(parent)}${namespaceFlag(parent)}`;
      return `mutation blocked: parent frozen${why}. ${titleOf(parent)} is frozen, so ${titleOf(review.object)} stays as it is; end it with: ${command}`;
    }
    case 'Rejected':
      return `drift rejected: ${verdict.rejection.reason ?? 'no reason given'} (${describeChange(review, parent)})`;
    case 'Drift':
      return `drift detected: no approval found for this mutation. ${describeChange(review, parent)}. Approve with: ${approveCommand(review, parent)}`;
    default:
      return '';
  }
}

/** Who changes what, and why that is drift. */
export function describeChange(review: Review, parent: KubeObject | undefined): string {
  const { user, operation, object } = review;
  const { generation = 0 } = parent?.metadata ?? {};
  const what = `${user} ${VERBS[operation]} ${titleOf(object)}${fieldsIn(review)}`;
  return `${what}, but nobody has changed ${titleOf(parent)}, which owns it: its generation ${generation} is reconciled`;
}

/** What a tool puts back. */
export function describeCorrection(review: Review, { record, revision = '' }: Applied): string {
  const { user, operation, object } = review;
  const what = `${user} ${VERBS[operation]} ${titleOf(object)}${fieldsIn(review)}`;
  return `${what}: ${record.title} applies ${revision} again, and corrects what has been changed since`;
}

function fieldsIn({ operation, object, old }: Review): string {
  return operation === 'UPDATE' && old !== undefined
    ? ` (${changedFields(old, object) || 'metadata.labels, which policies select'})`
    : '';
}

function approveCommand({ operation, object }: Review, parent: KubeObject | undefined): string {
  const owner = operation === 'CREATE' ? ` --parent ${targetOf(parent)}` : '';
  return `kubewright drift approve ${targetOf(object)}${owner}${namespaceFlag(object)}`;
}

function titleOf(object: KubeObject | undefined): string {
  return object === undefined ? 'its parent' : `${object.kind} ${nameOf(object)}`;
}

function targetOf(object: KubeObject | undefined): string {
  return object === undefined ? '' : `${object.kind.toLowerCase()}/${nameOf(object)}`;
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? `${metadata.generateName ?? ''}*`;
}

function namespaceFlag(object: KubeObject | undefined): string {
  const { namespace } = object?.metadata ?? {};
  return namespace === undefined ? '' : ` -n ${namespace}`;
}
