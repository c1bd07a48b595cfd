import { compareText, type KubeObject, type Stored } from '@kubewright/kube';
import { compareQuantity } from '@kubewright/kube/quantity';
import { objectAt, statusOf } from '../../objects/read.ts';
import {
  addAmounts,
  type Amounts,
  amountsIn,
  amountsOf,
  formatAmounts,
  growth,
  sameAmounts,
  withoutZeros,
} from '../../quota/amounts.ts';
import type { CountedWrite, Evaluator } from '../../quota/evaluator.ts';
import { scopesOf } from '../../quota/scope-selector.ts';

/** A quota's usage after a write. */
export type Charge = { readonly quota: Stored; readonly used: Amounts };

export type Verdict = { readonly rejected: string } | { readonly charges: readonly Charge[] };

/** A quota's limits and its usage by its status. */
type Standing = { readonly quota: Stored; readonly hard: Amounts; readonly used: Amounts };

/**
 * What a write costs each of a namespace's quotas, or why one of them rejects it (`resourcequota.CheckRequest`). Pure;
 * `now` in milliseconds.
 */
export function chargeQuotas(
  quotas: readonly Stored[],
  write: CountedWrite,
  evaluator: Evaluator,
  now: number,
): Verdict {
  const standings = quotas.map(standingOf).filter((one) => matches(one, evaluator, write.object));
  for (const standing of standings) {
    const rejected = unfit(standing, evaluator, write.object);
    if (rejected !== undefined) return { rejected };
  }
  if (standings.length === 0) return { charges: [] };
  const usage = evaluator.usage(write.object, now);
  const negative = [...usage].filter(([, amount]) => compareQuantity(amount, '0') < 0).map(([name]) => name);
  if (negative.length > 0)
    return { rejected: `quota usage is negative for resource(s): ${negative.sort(compareText).join(',')}` };
  const { old } = write;
  const more = old === undefined ? usage : growth(usage, evaluator.usage(old, now));
  // What did not count before counts in full.
  const costs = (standing: Standing): Amounts =>
    old !== undefined && matches(standing, evaluator, old) ? more : usage;
  return chargeAll(standings, costs, write.subresource !== 'status');
}

/** A status reports what is there already: it is charged, and not `limited`. */
function chargeAll(
  standings: readonly Standing[],
  costs: (standing: Standing) => Amounts,
  limited: boolean,
): Verdict {
  const charges: Charge[] = [];
  for (const standing of standings) {
    const requested = amountsOf(withoutZeros(costs(standing)), standing.hard.keys());
    const rejected = limited ? excess(standing, requested) : undefined;
    if (rejected !== undefined) return { rejected };
    const used = addAmounts(standing.used, requested);
    if (!sameAmounts(used, standing.used)) charges.push({ quota: standing.quota, used });
  }
  return { charges };
}

function standingOf(quota: Stored): Standing {
  const status = statusOf(quota);
  return { quota, hard: amountsIn(objectAt(status, 'hard')), used: amountsIn(objectAt(status, 'used')) };
}

function matches({ quota, hard }: Standing, evaluator: Evaluator, object: KubeObject): boolean {
  if (evaluator.matching([...hard.keys()]).length === 0) return false;
  return scopesOf(quota).every((selector) => evaluator.inScope(selector, object));
}

/** Why the object cannot even be counted. */
function unfit(
  { quota, hard, used }: Standing,
  evaluator: Evaluator,
  object: KubeObject,
): string | undefined {
  const name = quota.metadata.name;
  const names = evaluator.matching([...hard.keys()]);
  const complaint = evaluator.complaint(names, object);
  if (complaint !== undefined) return `failed quota: ${name}: ${complaint}`;
  if (names.every((one) => used.has(one))) return undefined;
  return `status unknown for quota: ${name}, resources: ${[...names].sort(compareText).join(',')}`;
}

function excess({ quota, hard, used }: Standing, requested: Amounts): string | undefined {
  const sum = addAmounts(used, requested);
  const over = [...requested.keys()].filter(
    (name) => compareQuantity(sum.get(name) ?? '0', hard.get(name) ?? '0') > 0,
  );
  if (over.length === 0) return undefined;
  const shown = (amounts: Amounts): string => formatAmounts(amountsOf(amounts, over));
  const figures = `requested: ${shown(requested)}, used: ${shown(used)}, limited: ${shown(hard)}`;
  return `exceeded quota: ${quota.metadata.name}, ${figures}`;
}
