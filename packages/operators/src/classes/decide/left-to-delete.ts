import { odgmNames } from '../templates/safe-name.ts';
import type { Facts } from './facts.ts';
import { type Live, titleOf } from './observed-class.ts';

/** What keeps the finalizer in place; also a kind whose objects cannot be listed. */
export function leftToDelete({ owned, pods, unobserved = [] }: Facts): readonly string[] {
  return [
    ...owned.map((object) => titleOf(object)),
    ...pods.map(({ metadata }) => `Pod/${metadata.name}`),
    ...unobserved.map((kind) => `${kind}s, which cannot be listed`),
  ];
}

const ODGM_WAIT = 60;

/** The data grid stays until no function uses it, or for a minute. */
export function nextToDelete({ owned, pods, inPhase, phase, runtime }: Facts): Live | undefined {
  const odgm = odgmNames(runtime.metadata.name).deployment;
  const isOdgm = ({ metadata }: Pick<Live, 'metadata'>): boolean => metadata.labels?.['app'] === odgm;
  const going = owned.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const function_ = going.find((object) => !isOdgm(object));
  if (function_ !== undefined) return function_;
  const isUsed = pods.some((pod) => !isOdgm(pod)) || owned.some((object) => !isOdgm(object));
  return isUsed && !(phase === 'deleting' && inPhase >= ODGM_WAIT) ? undefined : going[0];
}
