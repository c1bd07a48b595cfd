import type { Kausality } from '../../api.ts';
import { coverageOfCount, type KindCount } from '../../learning/coverage-of.ts';
import { titleOfKind } from '../../profiles/profiles.ts';
import type { Finding } from '../../../kit/report-findings.ts';

type Result = Omit<Finding, 'check'>;

/** What each policy denies, or would deny, of what controllers have written since it counts; and what it cannot tell. */
export function checkCounts(policies: readonly Kausality[], now: Date): readonly Result[] {
  return policies.flatMap((policy) => {
    const { kinds = [], alarms, since } = policy.status ?? {};
    const { name } = policy.metadata;
    if (kinds.length === 0 || alarms === undefined || since === undefined)
      return [{ status: 'ok', what: `policy ${name} has counted nothing yet` } as const];
    const verb = policy.spec.mode === 'enforce' ? 'are' : 'would be';
    const total = `policy ${name}: ${alarms} in ${ageOf(since, now)} ${verb} denied`;
    return [{ status: 'ok', what: total } as const, ...kinds.flatMap((one) => resultsOf(name, one, now))];
  });
}

function resultsOf(policy: string, count: KindCount, now: Date): readonly Result[] {
  const { writes, alarms, lastAlarm = '' } = count;
  const what = `policy ${policy}: ${titleOfKind(count)}`;
  const { state, why } = coverageOfCount(count, now);
  const coverage: Result = {
    status: state === 'learning' ? 'warning' : 'ok',
    what: `${what} is ${state === 'covered' ? 'covered' : 'not covered'}: ${why}`,
    ...(state === 'learning' ? { fix: 'add a ControllerProfile, or wait; see docs/drift.md' } : {}),
  };
  if (alarms === 0) return [coverage];
  const drift: Result = {
    status: 'warning',
    what: `${what}: ${alarms} of ${writes} writes are drift, the last one at ${lastAlarm}`,
    fix: 'kubewright drift list -A shows the latest; if the controller is right, approve it by an ApprovalPolicy, or add a ControllerProfile',
  };
  return [coverage, drift];
}

const UNITS = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
] as const;

function ageOf(since: string, now: Date): string {
  const age = now.getTime() - Date.parse(since);
  const [ms, unit] = UNITS.find(([length]) => age >= length) ?? UNITS[2];
  const count = Math.max(1, Math.floor(age / ms));
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
