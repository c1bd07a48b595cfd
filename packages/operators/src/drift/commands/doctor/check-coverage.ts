import type { Stored } from '@kubewright/kube';
import { phaseOf, READY_CONDITIONS, saysReady } from '../../decide/is-reconciling.ts';
import { isKnown } from '../../learning/coverage-of.ts';
import { profileOf } from '../../profiles/profiles.ts';
import type { Finding } from '../../../kit/report-findings.ts';
import type { Tracked } from './read-tracked.ts';

type Result = Omit<Finding, 'check'>;

/** Of each kind of owner, whether what its controller does can be drift, and why not. */
export function checkCoverage({ owners }: Pick<Tracked, 'owners'>, now: Date): readonly Result[] {
  const byKind = new Map<string, Stored[]>();
  for (const one of owners) {
    const kind = `${one.kind} (${one.apiVersion})`;
    byKind.set(kind, [...(byKind.get(kind) ?? []), one]);
  }
  const results = [...byKind].map(([kind, objects]) => coverageOf(kind, objects, now));
  return results.length > 0 ? results : [{ status: 'ok', what: 'nothing that policies name has an owner' }];
}

function coverageOf(kind: string, objects: readonly Stored[], now: Date): Result {
  const [first] = objects;
  const { uncovered, ready } = (first && profileOf(first)) ?? {};
  if (uncovered !== undefined) return { status: 'ok', what: `${kind} is not covered: ${uncovered}` };
  if (!objects.some(isKnown))
    return {
      status: 'ok',
      what: `${kind} is covered when a policy has learned it: its status has none of the conditions ${READY_CONDITIONS.join(', ')}, no observedGeneration, and there is no profile`,
    };
  const waiting = objects.filter((one) => phaseOf(one, now) === 'Initializing');
  if (waiting.length < objects.length) return { status: 'ok', what: `${kind} is covered` };
  const expected = ready === undefined ? READY_CONDITIONS.join(', ') : ready.join(' and ');
  return ready === undefined && !objects.some(saysReady)
    ? {
        status: 'warning',
        what: `${kind} is not covered yet: its status has none of the conditions ${expected}, so it counts as ready ten minutes after it was created`,
      }
    : { status: 'warning', what: `${kind} is not covered yet: none was ever ready (${expected})` };
}
