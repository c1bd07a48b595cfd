import { parseTime } from '@kubewright/kube';
import type { NfrDetail } from '../api.ts';
import { decideClass, rowOf } from '../decide/decide-class.ts';
import { factsOf } from '../decide/facts.ts';
import { type ObservedClass, titleOf } from '../decide/observed-class.ts';
import { secondsSince } from '../decide/seconds-since.ts';
import { TABLE } from '../decide/table.ts';

/** Why a class is in its phase. */
export type Explanation = {
  readonly phase: string;
  readonly reason: string;
  readonly message: string;
  /** Seconds in this phase. */
  readonly inPhase: number;
  /** Index of the row of the table that holds now. */
  readonly row: number;
  /** When the table is evaluated again without a change; absent: only on a change. */
  readonly next?: { readonly seconds: number; readonly why: string };
  /** What is not ready, and why. */
  readonly unready: readonly string[];
  /** What is wrong already and counts only if it lasts. */
  readonly coming: readonly { readonly reason: string; readonly message: string; readonly seconds: number }[];
  readonly functions: readonly ExplainedFunction[];
};

export type ExplainedFunction = {
  readonly key: string;
  readonly state: string;
  readonly nfr?: NfrDetail | undefined;
};

/** From stored and live objects: what the operator would decide now. */
export function explainClass(observed: ObservedClass, now: Date): Explanation {
  const facts = factsOf(observed, now);
  const { status } = facts;
  const row = rowOf(facts);
  const details = status.nfr_details ?? [];
  return {
    phase: status.phase ?? 'none',
    reason: status.lifecycle?.reason ?? '',
    message: status.message ?? '',
    inPhase: secondsSince(status.lifecycle?.since, now),
    row: row === undefined ? -1 : TABLE.indexOf(row),
    ...nextOf(observed, details, now),
    unready: facts.children
      .filter(({ readiness }) => !readiness.ready)
      .map(({ desired, readiness: { reason, message = '' } }) =>
        `${titleOf(desired)} ${reason} ${message}`.trim(),
      ),
    coming: facts.coming.map(({ reason, message, wait }) => ({ reason, message, seconds: wait })),
    functions: observed.runtime.spec.functions.map(({ function_key: key }) => {
      const found = status.functions?.find((one) => one.function_key === key);
      const state = found?.ready === true ? 'ready' : (found?.reason ?? 'not ready');
      return { key, state, nfr: details.find((one) => one.function_key === key) };
    }),
  };
}

function nextOf(
  observed: ObservedClass,
  details: readonly NfrDetail[],
  now: Date,
): Pick<Explanation, 'next'> {
  const { action, requeueAfter } = decideClass(observed, now);
  if (action !== undefined) return { next: { seconds: 0, why: `${action.type}, at once` } };
  const waits = [
    ...(requeueAfter === undefined
      ? []
      : [{ seconds: requeueAfter / 1000, why: 'the row is checked again' }]),
    ...details.flatMap((detail) => enforcementDue(detail, observed, now)),
  ];
  const [next] = waits.toSorted((a, b) => a.seconds - b.seconds);
  return next === undefined ? {} : { next };
}

/** What stored enforcement waits for. */
function enforcementDue(
  { function_key, decision, enforcement }: NfrDetail,
  { settings }: ObservedClass,
  now: Date,
): readonly { readonly seconds: number; readonly why: string }[] {
  const until = (time: string | undefined, length: number): number =>
    time === undefined
      ? 0
      : Math.max(0, Math.ceil(length - (now.getTime() - parseTime(time).getTime()) / 1000));
  if (decision === 'WaitCooldown')
    return [
      { seconds: until(enforcement?.applied_at, settings.cooldown), why: `the cooldown of ${function_key}` },
    ];
  if (decision === 'WaitStability')
    return [
      {
        seconds: until(enforcement?.since, settings.stability),
        why: `the stability window of ${function_key}`,
      },
    ];
  return [];
}
