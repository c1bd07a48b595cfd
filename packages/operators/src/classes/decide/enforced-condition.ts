import { enforcementMode, isEnforced } from '../enforcement-mode.ts';
import type { DecidedFunction, NfrCondition } from './decided-function.ts';
import type { ResourceDecision } from './decide-resources.ts';
import type { Facts } from './facts.ts';

/** True when every function has what is recommended, in the dimensions that are enforced. */
export function enforcedCondition(
  { runtime }: Facts,
  decided: readonly DecidedFunction[],
  resources: ResourceDecision,
): NfrCondition {
  const isOn = enforcementMode(runtime) === 'enforce';
  if (decided.length === 0) return { is: false, reason: isOn ? 'NoRecommendation' : 'SkipMode', message: '' };
  const failure = decided
    .flatMap(({ detail: { enforcement, resources: sizes = [] } }) => [
      enforcement,
      ...sizes.map((size) => size.enforcement),
    ])
    .map((each) => each?.failure)
    .find((each) => each !== undefined);
  if (failure !== undefined) return { is: false, reason: failure.reason, message: failure.message };
  const hasSizes = resources.details.some(({ dimension }) => isEnforced(runtime, dimension));
  const isDone = ({ enforced: { decision } }: DecidedFunction): boolean =>
    decision === 'NoChange' || (hasSizes && decision === 'SkipDimension');
  const next = decided.find((one) => !isDone(one));
  const open = next?.enforced.decision ?? resources.open;
  return {
    is: open === undefined,
    reason: open ?? 'Enforced',
    message: next === undefined ? '' : ownedText(next),
  };
}

/** Who keeps the replicas that are not ours to set. */
function ownedText({ enforced: { decision }, nfr }: DecidedFunction): string {
  if (decision !== 'SkipOwned') return '';
  return `${nfr.owner?.name} keeps the replicas of ${nfr.function.key}: nothing is enforced against it`;
}
