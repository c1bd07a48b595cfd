import type { EventNote } from '@kubewright/runtime';
import type { NfrDetail } from '../api.ts';
import type { DecidedFunction, NfrCondition } from './decided-function.ts';
import type { Enforced } from './enforce.ts';
import type { Facts } from './facts.ts';
import type { FunctionNfr } from './function-nfr.ts';

const SKIPPED: Readonly<Partial<Record<string, readonly [reason: string, message: string]>>> = {
  WaitCooldown: ['NFRSkippedCooldown', 'the cooldown after the last change has not passed'],
  WaitStability: ['NFRSkippedStability', 'the recommendation has to be stable first'],
  SkipStale: ['NFRSkippedStale', 'the load was not read lately'],
  SkipOwned: ['NFRSkippedOwned', 'another controller keeps the replicas'],
  SkipPartial: ['NFRSkippedPartial', 'the load may be more than what is known of it'],
};

/** Once for each problem with the load, until another one or none was there. */
export function problemNow(
  { status, load }: Facts,
  { is, reason, message }: NfrCondition,
): readonly EventNote[] {
  const before = status.conditions?.find(({ type }) => type === 'NfrObserved');
  if (is || load === undefined || message === '' || before?.reason === reason) return [];
  return [{ type: 'Warning', reason: `NFR${reason}`, message }];
}

/** Once per change of decision or target. */
export function nfrEvents({ nfr, detail, enforced }: DecidedFunction): readonly EventNote[] {
  const { function_key, recommended, enforcement } = detail;
  const notes = [
    nfr.applied === undefined
      ? undefined
      : (['NFRApplied', `Applied NFR enforcement: replicas -> ${nfr.applied}`] as const),
    isClampedNow(nfr, detail)
      ? (['NFRClampedMax', `${recommended} replicas are more than allowed`] as const)
      : undefined,
    skippedNow(nfr, detail),
    isBoundedNow(nfr, detail, enforced)
      ? (['NFRDeltaBounded', `${enforced.step} replicas now, ${enforcement?.target} in the end`] as const)
      : undefined,
  ];
  return notes.flatMap((note) =>
    note === undefined
      ? []
      : [{ type: 'Normal' as const, reason: note[0], message: `${note[1]} (${function_key})` }],
  );
}

function isClampedNow({ stored }: FunctionNfr, { enforcement }: NfrDetail): boolean {
  const before = stored?.enforcement;
  const isSame = before?.clamped === 'max' && before.target === enforcement?.target;
  return enforcement?.clamped === 'max' && !isSame;
}

function skippedNow(
  { stored }: FunctionNfr,
  { decision, enforcement }: NfrDetail,
): readonly [string, string] | undefined {
  const isSame = stored?.decision === decision && stored.enforcement?.target === enforcement?.target;
  return isSame ? undefined : SKIPPED[decision];
}

function isBoundedNow({ stored }: FunctionNfr, { enforcement }: NfrDetail, { step }: Enforced): boolean {
  const applying = enforcement?.applying?.replicas;
  const isStep = applying !== undefined && applying === step && step !== enforcement?.target;
  return isStep && stored?.enforcement?.applying?.replicas !== step;
}
