import { defined } from '@kubewright/kube';
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
  const { status, action } = decision;
  if (contested.length === 0 || status === undefined || status.deleted === true) return decision;
  const report = reportValues(contested);
  if (action !== undefined)
    return status.ownership === undefined ? { ...decision, status: withReport(status, report) } : decision;
  if (status.reconciliationError !== undefined) return decision;
  const isLost = contested.some((field) => field.isLost) && !context.failOpen;
  const lost = isLost ? { reconciled: false, reconciliationError: report.message } : {};
  const events = [...(decision.events ?? []), ...newsOf(report, context)];
  return {
    ...decision,
    ...(isLost ? { reason: 'Contested' } : {}),
    status: { ...withReport(status, report), ...lost },
    ...defined({ events: events.length === 0 ? undefined : events }),
  };
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
