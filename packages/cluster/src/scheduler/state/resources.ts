import { parseQuantity, scaledQuantity } from '@kubewright/kube/quantity';

/** Amounts by resource: CPU in thousandths, the rest in whole units. */
export type Resources = ReadonlyMap<string, number>;

type Amounts = { readonly [name: string]: string } | undefined;

/** What is no quantity counts as nothing: validation lets none in. */
export function readResources(amounts: Amounts): Map<string, number> {
  return new Map(Object.entries(amounts ?? {}).map(([name, text]) => [name, amountOf(name, text)]));
}

function amountOf(name: string, text: string): number {
  try {
    return Number(scaledQuantity(parseQuantity(text), name === 'cpu' ? 3 : 0));
  } catch {
    return 0;
  }
}

/** Adds `sign` times `more` to `total`. */
export function addResources(total: Map<string, number>, more: Resources, sign: 1 | -1 = 1): void {
  for (const [name, amount] of more) total.set(name, (total.get(name) ?? 0) + sign * amount);
}

/** Raises each amount of `total` to that of `other`, where that is more. */
export function raiseResources(total: Map<string, number>, other: Resources): void {
  for (const [name, amount] of other) total.set(name, Math.max(total.get(name) ?? 0, amount));
}
