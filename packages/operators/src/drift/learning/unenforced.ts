import { type KubeObject, parseApiVersion } from '@kubewright/kube';
import type { Kausality } from '../api.ts';
import { coverageOf, isKnown, type KindCount } from './coverage-of.ts';

/**
 * Why a policy does not deny drift below a parent, although its mode is `enforce`: it could not tell it from what the
 * controller does on its own. Undefined: it denies. Pure.
 */
export function unenforced(
  parent: KubeObject | undefined,
  { spec, status }: Kausality,
  now: Date,
): string | undefined {
  // Of most parents nothing has to be learned.
  if (parent === undefined || spec.enforceUncovered === true || isKnown(parent)) return undefined;
  const { state, why } = coverageOf(parent, countOf(parent, status?.kinds), now);
  return state === 'learning' ? `${parent.kind} is not covered yet: ${why}` : undefined;
}

function countOf(
  { apiVersion, kind }: KubeObject,
  kinds: readonly KindCount[] | undefined,
): KindCount | undefined {
  const { group } = parseApiVersion(apiVersion);
  return kinds?.find((one) => one.group === group && one.kind === kind);
}
