import { type discoveryv1, jsonEqual } from '@kubewright/kube';
import type { Changes } from './place-endpoints.ts';

type Slice = discoveryv1.EndpointSlice;
type Endpoint = discoveryv1.Endpoint;

/** `spec.trafficDistribution`: ready endpoints are for those in their own zone, or on their own node. */
export function withHints(changes: Changes, distribution: string | undefined): Changes {
  const hint = (slice: Slice): Slice => {
    const endpoints = (slice.endpoints ?? []).map((endpoint) => hinted(endpoint, distribution));
    return jsonEqual(endpoints, slice.endpoints ?? []) ? slice : { ...slice, endpoints };
  };
  const kept = changes.keep.map((slice) => ({ slice, now: hint(slice) }));
  return {
    ...changes,
    create: changes.create.map(hint),
    update: [
      ...changes.update.map(hint),
      ...kept.filter(({ slice, now }) => slice !== now).map(({ now }) => now),
    ],
    keep: kept.filter(({ slice, now }) => slice === now).map(({ slice }) => slice),
  };
}

const CLOSE = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];

/** One that is not ready keeps the hints that it has, as long as there are any to be given. */
function hinted(endpoint: Endpoint, distribution = ''): Endpoint {
  const { hints: _, ...bare } = endpoint;
  if (!CLOSE.includes(distribution)) return bare;
  if (endpoint.conditions?.ready !== true) return endpoint;
  const { zone, nodeName } = endpoint;
  const hints = {
    ...(zone === undefined ? {} : { forZones: [{ name: zone }] }),
    ...(nodeName === undefined || distribution !== 'PreferSameNode'
      ? {}
      : { forNodes: [{ name: nodeName }] }),
  };
  return Object.keys(hints).length === 0 ? bare : { ...bare, hints };
}
