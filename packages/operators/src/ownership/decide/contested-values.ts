import type { ManifestState, OwnershipReport } from '../api.ts';
import type { ContestedField } from '../read-manifest.ts';
import { type DecideContext, newsOf, type ResourceDecision, withReport } from './resource-decision.ts';

const REASON = 'OtherComposition';
/** Bounds the status. */
const LIMIT = 20;

/** The state without what is said of other Compositions: that is found anew at each look. */
export function withoutContested(state: ManifestState): ManifestState {
  return state.ownership?.reason === REASON ? withReport(state, undefined) : state;
}

/**
 * A decision on an object of which another Composition wants other values. It is not reconciled where theirs count: the
 * manifest is not what is there.
 */
export function withContested(
  decision: ResourceDecision,
  contested: readonly ContestedField[],
  context: DecideContext,
): ResourceDecision {
  const { status } = decision;
  if (contested.length === 0 || status === undefined || status.deleted === true) return decision;
  if (decision.action !== undefined)
    return { ...decision, status: { ownership: reportValues(contested), ...status } };
  return status.reconciliationError === undefined
    ? contestedEnd(decision, status, contested, context)
    : decision;
}

/** Nothing is left to do about it. */
function contestedEnd(
  decision: ResourceDecision,
  status: ManifestState,
  contested: readonly ContestedField[],
  context: DecideContext,
): ResourceDecision {
  const report = reportValues(contested);
  const events = [...(decision.events ?? []), ...newsOf(report, context)];
  const isLost = contested.some((field) => field.isLost) && !context.failOpen;
  return {
    ...decision,
    ...(isLost ? { reason: 'Contested' } : {}),
    status: { ...withReport(status, report), ...(isLost ? lostTo(report) : {}) },
    ...(events.length === 0 ? {} : { events }),
  };
}

function lostTo({ message }: OwnershipReport): ManifestState {
  return { reconciled: false, reconciliationError: message };
}

function reportValues(contested: readonly ContestedField[]): OwnershipReport {
  const lost = contested.filter(({ isLost }) => isLost);
  const shown = (lost.length > 0 ? lost : contested).slice(0, LIMIT);
  const paths = [...new Set(shown.map(({ path }) => path))];
  const holders = [...new Set(shown.map(({ holder }) => holder))];
  const who = holders.join(', ');
  const why =
    lost.length > 0
      ? `${who} has other values, which count because it is older`
      : `${who} wants other values; those of this Composition count because it is older`;
  return {
    state: 'Contested',
    reason: REASON,
    message: `${paths.join(', ')}: ${why}`,
    managers: holders,
    paths,
  };
}
