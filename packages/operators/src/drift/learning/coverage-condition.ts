import type { ConditionUpdate } from '@kubewright/kube';
import type { Kausality } from '../api.ts';
import { titleOfKind } from '../profiles/profiles.ts';
import { coverageOfCount } from './coverage-of.ts';

const MOST_NAMED = 10;

/** Whether drift is found below all kinds of parents that a policy has seen, and of which it is not denied. */
export function coverageCondition({ spec, status }: Kausality, now: Date): ConditionUpdate {
  const kinds = (status?.kinds ?? []).map((count) => ({ count, coverage: coverageOfCount(count, now) }));
  const open = kinds.filter(({ coverage }) => coverage.state !== 'covered');
  const type = 'Covered';
  if (kinds.length === 0)
    return { type, status: 'Unknown', reason: 'NothingCounted', message: 'no controller has written yet' };
  if (open.length === 0) {
    const message = `drift is found below all ${kinds.length} kinds of parents`;
    return { type, status: 'True', reason: 'AllKinds', message };
  }
  const isLearning = open.some(({ coverage }) => coverage.state === 'learning');
  const effect = !isLearning || spec.mode === 'log' ? '' : effectOf(spec);
  const named = open
    .slice(0, MOST_NAMED)
    .map(({ count, coverage }) => `${titleOfKind(count)}: ${coverage.why}`);
  return {
    type,
    status: 'False',
    reason: isLearning ? 'Learning' : 'NotCovered',
    message: `${named.join('; ')}${effect}`,
  };
}

function effectOf({ enforceUncovered }: Kausality['spec']): string {
  return enforceUncovered === true
    ? '; enforced all the same (enforceUncovered)'
    : '; until then, drift below what is being learned is let through, as in mode log (enforceUncovered: true denies it)';
}
