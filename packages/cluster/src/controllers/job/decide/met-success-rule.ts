import type { batchv1, Stored } from '@kubewright/kube';
import { countCommon, countIndexes, type IndexSet, parseIndexes } from './index-set.ts';

/** Which rule of `spec.successPolicy` the succeeded indexes meet, in words; undefined if none. */
export function metSuccessRule({ spec }: Stored<batchv1.Job>, succeeded: IndexSet): string | undefined {
  if (succeeded.length === 0) return undefined;
  const meets = ({ succeededIndexes, succeededCount }: batchv1.SuccessPolicyRule): boolean => {
    const enough = succeededCount ?? Number.POSITIVE_INFINITY;
    if (succeededIndexes === undefined) return countIndexes(succeeded) >= enough;
    const required = parseIndexes(succeededIndexes, spec.completions ?? 0);
    const count = countCommon(required, succeeded);
    return required.length > 0 && (count === countIndexes(required) || count >= enough);
  };
  const index = (spec.successPolicy?.rules ?? []).findIndex(meets);
  return index < 0 ? undefined : `Matched rules at index ${index}`;
}
