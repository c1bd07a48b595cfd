import { type corev1, type discoveryv1, jsonEqual, type Stored } from '@kubewright/kube';
import type { Group } from './desired.ts';
import { endpointKey, hasLabelsOf, labelsFor } from './new-slice.ts';

type Slice = discoveryv1.EndpointSlice;
type Endpoint = discoveryv1.Endpoint;

/** Slices by what is to become of them. */
export type Changes = {
  readonly create: readonly Slice[];
  readonly update: readonly Slice[];
  readonly remove: readonly Slice[];
  readonly keep: readonly Slice[];
};

export type PlaceOptions = {
  readonly service: Stored<corev1.Service>;
  /** Endpoints per slice. */
  readonly most: number;
  readonly newSlice: () => Slice;
};

/**
 * Finds a place for the endpoints of one set of ports: those that have one keep it; the others fill slices that change
 * anyway, then one that has room for all of them, then new ones. Slices left empty go.
 */
export function placeEndpoints(
  existing: readonly Slice[],
  { endpoints }: Group,
  options: PlaceOptions,
): Changes {
  const homeless = new Map(endpoints);
  const settled = existing.map((slice) => settle(slice, homeless, options.service));
  const those = (what: Settled['what']): readonly Slice[] =>
    settled.flatMap((one) => (one.what === what ? [one.slice] : []));
  const queue = [...homeless.values()];
  const update = [...those('update')].sort(byLength).map((slice) => fill(slice, queue, options.most));
  const housed = house(queue, those('keep'), options);
  return { ...housed, update: [...update, ...housed.update], remove: those('remove') };
}

type Settled = { readonly slice: Slice; readonly what: 'update' | 'remove' | 'keep' };

/** Lets endpoints that are still wanted stay in their slice, as they are now; they are homeless no more. */
function settle(slice: Slice, homeless: Map<string, Endpoint>, service: Stored<corev1.Service>): Settled {
  const met = (slice.endpoints ?? []).map((endpoint) => ({ endpoint, wanted: take(homeless, endpoint) }));
  const kept = met.flatMap(({ wanted }) => wanted ?? []);
  const changed = met.some(({ endpoint, wanted }) => wanted === undefined || !isSame(wanted, endpoint));
  if (changed && kept.length === 0) return { slice, what: 'remove' };
  if (!changed && hasLabelsOf(slice, service)) return { slice, what: 'keep' };
  const relabelled = { ...slice, metadata: { ...slice.metadata, labels: labelsFor(service) } };
  return { slice: changed ? { ...relabelled, endpoints: kept } : relabelled, what: 'update' };
}

function take(homeless: Map<string, Endpoint>, endpoint: Endpoint): Endpoint | undefined {
  const key = endpointKey(endpoint);
  const wanted = homeless.get(key);
  homeless.delete(key);
  return wanted;
}

/** The rest goes into a slice that has room for all of them, or into new ones. */
function house(
  queue: Endpoint[],
  slices: readonly Slice[],
  { most, newSlice }: PlaceOptions,
): Omit<Changes, 'remove'> {
  const create: Slice[] = [];
  const roomy: Slice[] = [];
  while (queue.length > 0) {
    const free = slices.filter((slice) => !roomy.includes(slice));
    const target = queue.length < most ? fullestWithRoom(free, queue.length, most) : undefined;
    if (target === undefined) create.push(fill(newSlice(), queue, most));
    else roomy.push(target, fill(target, queue, most));
  }
  const isKept = (slice: Slice): boolean => !roomy.includes(slice);
  return { create, update: roomy.filter((slice) => !slices.includes(slice)), keep: slices.filter(isKept) };
}

/** Takes from the queue what the slice has room for. */
function fill(slice: Slice, queue: Endpoint[], most: number): Slice {
  const endpoints = slice.endpoints ?? [];
  const more = queue.splice(0, Math.max(0, most - endpoints.length));
  return more.length === 0 ? slice : { ...slice, endpoints: [...endpoints, ...more] };
}

function byLength(a: Slice, b: Slice): number {
  return (b.endpoints ?? []).length - (a.endpoints ?? []).length;
}

/** The slice that `count` more fill best. */
function fullestWithRoom(slices: readonly Slice[], count: number, most: number): Slice | undefined {
  const room = (slice: Slice): number => most - count - (slice.endpoints ?? []).length;
  const fitting = slices.filter((slice) => room(slice) >= 0 && room(slice) < most);
  return fitting.reduce<Slice | undefined>(
    (best, slice) => (best === undefined || room(slice) < room(best) ? slice : best),
    undefined,
  );
}

/** Equal but for hints, and for the version of the pod that somebody has seen. */
function isSame(a: Endpoint, b: Endpoint): boolean {
  const content = (endpoint: Endpoint): Endpoint => {
    const { hints: _, targetRef, addresses, ...rest } = endpoint;
    if (targetRef === undefined) return { ...rest, addresses: [...addresses].sort() };
    const { resourceVersion: _version, ...pod } = targetRef;
    return { ...rest, addresses: [...addresses].sort(), targetRef: pod };
  };
  return jsonEqual(content(a), content(b));
}
