import { KNATIVE_API, knativeCondition } from '../knative-api.ts';
import type { Facts } from './facts.ts';
import type { Live } from './observed-class.ts';

/**
 * A Service that has the name of a Service of Knative, which makes one of that name itself: the last moment to delete it is
 * when the new pods are ready, because Knative cannot get the address before.
 */
export function blocksAddress({ orphans, children }: Facts): Live | undefined {
  return orphans.find(
    ({ apiVersion, metadata: { name } }) =>
      apiVersion === 'v1' &&
      children.some(
        ({ live }) =>
          live?.apiVersion === KNATIVE_API &&
          live.metadata.name === name &&
          knativeCondition(live, 'ConfigurationsReady')?.status === 'True',
      ),
  );
}

/** A Service of Knative, gone or going, whose name the next Service to apply has: Knative made one of that name. */
export function holdsName({ owned, toApply }: Facts): Live | undefined {
  if (toApply?.apiVersion !== 'v1') return undefined;
  return owned.find(
    ({ apiVersion, metadata }) => apiVersion === KNATIVE_API && metadata.name === toApply.metadata.name,
  );
}
