import type { JsonObject } from '@kubewright/kube';
import { type Amounts, aggregateContainerResources } from '../../pods/aggregate-container-resources.ts';
import { quantityMillis } from '../../validation/quantities.ts';
import { entriesAt, maybeString, objectAt, objectsAt, stringAt } from '../../objects/read.ts';

/** Requests and limits. */
type Requested = { readonly requests: JsonObject; readonly limits: JsonObject };

/** One bound of one resource, for things of one type. */
type Bound = { readonly type: string; readonly name: string; readonly enforced: string };

/** A message where the bound is violated. */
type Constraint = (bound: Bound, requested: Requested) => string | undefined;

/** The limits of a LimitRange's spec that a pod's or a claim's spec violates. */
export function checkLimits(kind: string, range: JsonObject, spec: JsonObject): readonly string[] {
  return kind === 'Pod' ? checkPod(range, spec) : checkClaim(range, spec);
}

function checkPod(range: JsonObject, pod: JsonObject): readonly string[] {
  return objectsAt(range, 'limits').flatMap((limit) => {
    const type = stringAt(limit, 'type');
    if (type === 'Pod') return check(limit, wholePod(pod), POD_CONSTRAINTS);
    if (type !== 'Container') return [];
    return [...objectsAt(pod, 'containers'), ...objectsAt(pod, 'initContainers')].flatMap((container) =>
      check(limit, requestedIn(objectAt(container, 'resources')), POD_CONSTRAINTS),
    );
  });
}

/** Only the requests of a claim are checked. */
function checkClaim(range: JsonObject, claim: JsonObject): readonly string[] {
  const requested = { requests: objectAt(claim, 'resources', 'requests'), limits: {} };
  return objectsAt(range, 'limits').flatMap((limit) =>
    stringAt(limit, 'type') === 'PersistentVolumeClaim' ? check(limit, requested, CLAIM_CONSTRAINTS) : [],
  );
}

type Constraints = readonly (readonly [string, Constraint])[];

function check(limit: JsonObject, requested: Requested, constraints: Constraints): readonly string[] {
  const type = stringAt(limit, 'type');
  return constraints.flatMap(([key, constraint]) =>
    entriesAt(limit, key).flatMap(
      ([name, enforced]) => constraint({ type, name, enforced }, requested) ?? [],
    ),
  );
}

function requestedIn(resources: JsonObject): Requested {
  return { requests: objectAt(resources, 'requests'), limits: objectAt(resources, 'limits') };
}

const POD_LEVEL = ['cpu', 'memory'];

/** What the containers request together, or what the pod requests as a whole. */
function wholePod(spec: JsonObject): Requested {
  const amounts = (which: 'requests' | 'limits'): Amounts => ({
    ...aggregateContainerResources(spec, which),
    ...Object.fromEntries(
      entriesAt(objectAt(spec, 'resources'), which).filter(([name]) => POD_LEVEL.includes(name)),
    ),
  });
  return { requests: amounts('requests'), limits: amounts('limits') };
}

function isLess(a: string, b: string): boolean {
  return quantityMillis(a) < quantityMillis(b);
}

const atLeast: Constraint = ({ type, name, enforced }, { requests, limits }) => {
  const [request, limit] = [maybeString(requests, name), maybeString(limits, name)];
  const rule = `minimum ${name} usage per ${type} is ${enforced}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  if (isLess(request, enforced)) return `${rule}, but request is ${request}`;
  return limit !== undefined && isLess(limit, enforced) ? `${rule}, but limit is ${limit}` : undefined;
};

const atMost: Constraint = ({ type, name, enforced }, { requests, limits }) => {
  const [request, limit] = [maybeString(requests, name), maybeString(limits, name)];
  const rule = `maximum ${name} usage per ${type} is ${enforced}`;
  if (limit === undefined) return `${rule}.  No limit is specified`;
  if (isLess(enforced, limit)) return `${rule}, but limit is ${limit}`;
  return request !== undefined && isLess(enforced, request)
    ? `${rule}, but request is ${request}`
    : undefined;
};

const requestAtMost: Constraint = ({ type, name, enforced }, { requests }) => {
  const request = maybeString(requests, name);
  const rule = `maximum ${name} usage per ${type} is ${enforced}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  return isLess(enforced, request) ? `${rule}, but request is ${request}` : undefined;
};

const ratioAtMost: Constraint = ({ type, name, enforced }, { requests, limits }) => {
  const request = quantityMillis(maybeString(requests, name) ?? '0');
  const limit = quantityMillis(maybeString(limits, name) ?? '0');
  const rule = `${name} max limit to request ratio per ${type} is ${enforced}`;
  if (request === 0n) return `${rule}, but no request is specified or request is 0`;
  if (limit === 0n) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = Number(limit) / Number(request);
  if (ratio * 1000 <= Number(quantityMillis(enforced))) return undefined;
  return `${rule}, but provided ratio is ${ratio.toFixed(6)}`;
};

const POD_CONSTRAINTS: Constraints = [
  ['min', atLeast],
  ['max', atMost],
  ['maxLimitRequestRatio', ratioAtMost],
];

const CLAIM_CONSTRAINTS: Constraints = [
  ['min', atLeast],
  ['max', requestAtMost],
];
