import { isIPv6 } from 'node:net';
import { type corev1, defined, type discoveryv1, type Stored } from '@kubewright/kube';
import type { Family } from '../services/is-endpoint.ts';
import { withTriggerTime } from '../services/with-trigger-time.ts';
import { desiredEndpoints, type Observed } from './desired.ts';
import { withHints } from './with-hints.ts';
import { type Changes, placeEndpoints } from './place-endpoints.ts';
import { hasLabelsOf, isOwnedBy, newSlice, portKey } from './new-slice.ts';

type Slice = discoveryv1.EndpointSlice;

export type Decision = {
  readonly actions: readonly { readonly type: 'create' | 'update' | 'delete'; readonly slice: Slice }[];
  /** Pods that are left out because their node is not known: they have to be looked at again. */
  readonly lost: readonly Stored<corev1.Pod>[];
};

/** Endpoints per slice: the default of `--max-endpoints-per-slice`. */
const MOST = 100;

/**
 * What brings a service's slices to what they should say. `triggerTime` is when the change happened that leads here, in
 * milliseconds since the epoch, if it is known.
 */
export function decide(observed: Observed, triggerTime: number | undefined): Decision {
  const families = familiesOf(observed.service);
  const decisions = families.map((family) => decideFamily(observed, family));
  const strange = observed.slices.filter(({ addressType }) => !families.includes(addressType as Family));
  const timed = (slice: Slice): Slice => ({
    ...slice,
    metadata: withTriggerTime(slice.metadata, triggerTime),
  });
  const all = decisions.map(({ changes }) => changes);
  // What is made while the service ends would be made against the garbage collector.
  const creates =
    observed.service.metadata.deletionTimestamp === undefined ? all.flatMap((one) => one.create) : [];
  return {
    actions: [
      ...creates.map((slice) => ({ type: 'create', slice: timed(slice) }) as const),
      ...all.flatMap(({ update }) =>
        update.map((slice) => ({ type: 'update', slice: timed(slice) }) as const),
      ),
      ...[...all.flatMap(({ remove }) => remove), ...strange].map(
        (slice) => ({ type: 'delete', slice }) as const,
      ),
    ],
    lost: decisions.flatMap(({ lost }) => lost),
  };
}

/** The families that a service says it has; of an old one what its address tells. */
function familiesOf({ spec }: Stored<corev1.Service>): readonly Family[] {
  const { ipFamilies = [], clusterIP = '' } = spec ?? {};
  const families = ipFamilies.filter((family): family is Family => family === 'IPv4' || family === 'IPv6');
  if (families.length > 0) return families;
  if (clusterIP === '' || clusterIP === 'None') return ['IPv4', 'IPv6'];
  return [isIPv6(clusterIP) ? 'IPv6' : 'IPv4'];
}

function decideFamily(
  observed: Observed,
  family: Family,
): { readonly changes: Changes; readonly lost: readonly Stored<corev1.Pod>[] } {
  const { service } = observed;
  const existing = observed.slices.filter(({ addressType }) => addressType === family);
  const [owned, foreign] = divide(existing, (slice) => isOwnedBy(slice, service));
  const { groups, lost } = desiredEndpoints(observed, family);
  const placed = [...groups].map(([key, group]) =>
    placeEndpoints(
      owned.filter((slice) => portKey(slice.ports) === key),
      group,
      { service, most: MOST, newSlice: () => newSlice(service, family, group.ports) },
    ),
  );
  const others = owned.filter((slice) => !groups.has(portKey(slice.ports)));
  const remove = [...foreign, ...others, ...placed.flatMap((one) => one.remove)];
  const changes: Changes = {
    create: placed.flatMap((one) => one.create),
    update: placed.flatMap((one) => one.update),
    remove,
    keep: placed.flatMap((one) => one.keep),
  };
  const settled = withPlaceholder(changes, { service, family, existing: existing.length });
  return { changes: reuse(withHints(settled, distributionOf(service)), service), lost };
}

/** By the annotation, of the days before the field, no hints are given. */
function distributionOf({
  metadata: { annotations = {} },
  spec,
}: Stored<corev1.Service>): string | undefined {
  const mode =
    annotations['service.kubernetes.io/topology-aware-hints'] ??
    annotations['service.kubernetes.io/topology-mode'];
  return mode === 'Auto' || mode === 'auto' ? undefined : spec?.trafficDistribution;
}

type Place = { readonly service: Stored<corev1.Service>; readonly family: Family; readonly existing: number };

/** A service without endpoints has one slice that says so. */
function withPlaceholder(changes: Changes, { service, family, existing }: Place): Changes {
  const { create, remove } = changes;
  if (create.length > 0 || remove.length !== existing) return changes;
  const [only] = remove;
  const isPlaceholder =
    remove.length === 1 && only !== undefined && isEmpty(only) && isOwnedBy(only, service);
  if (isPlaceholder && hasLabelsOf(only, service)) return { ...changes, remove: [], keep: [only] };
  return { ...changes, create: [newSlice(service, family, [])] };
}

function isEmpty({ endpoints, ports }: Slice): boolean {
  return (endpoints ?? []).length === 0 && (ports ?? []).length === 0;
}

/** A slice that would go takes the place of one that would be made. */
function reuse({ create, update, remove, keep }: Changes, service: Stored<corev1.Service>): Changes {
  const made = [...create];
  const reused: Slice[] = [];
  const gone = remove.filter((slice) => {
    const next = isOwnedBy(slice, service) ? made.pop() : undefined;
    if (next === undefined) return true;
    reused.push({ ...next, metadata: { ...next.metadata, ...identityOf(slice) } });
    return false;
  });
  return { create: made, update: [...update, ...reused], remove: gone, keep };
}

function identityOf({ metadata: { name, resourceVersion } }: Slice): Partial<Slice['metadata']> {
  return {
    ...defined({ name, resourceVersion }),
  };
}

function divide<T>(all: readonly T[], test: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(test), all.filter((one) => !test(one))];
}
