import { type Json, type JsonObject, isJsonArray, isJsonObject } from '@kubewright/kube';
import { PATCH, query } from '../support/api.ts';
import type { FuzzKind } from './kinds/fuzz-kind.ts';
import { randomJsonPatch, randomMerge, randomRewrite, randomStrategic, overlay } from './mutate.ts';
import { type Choices, createChoices } from './choices.ts';
import type { View } from './view.ts';

/** A request to either server. Bodies differ only where the servers' own values do: uid, resourceVersion, times. */
export type FuzzRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: Json;
  readonly contentType?: string;
  /** `/status`, `/scale`, or the object itself. */
  readonly subresource: '' | '/status' | '/scale';
  readonly dryRun: boolean;
};

export type Target = { readonly kind: FuzzKind; readonly namespace: string; readonly name: string };

type Maker = (context: {
  readonly random: Choices;
  readonly target: Target;
  readonly view: View;
  readonly path: string;
}) => Omit<FuzzRequest, 'dryRun' | 'path'> & {
  readonly path?: string;
  readonly parameters?: Readonly<Record<string, string | boolean | undefined>>;
};

const MANAGERS = ['alpha', 'beta', 'gamma', 'delta', 'kubectl-client-side-apply'];
const MANY = Array.from({ length: 14 }, (_, index) => `updater-${index}`);

function complete(target: Target, body: JsonObject): JsonObject {
  const { kind, name, namespace } = target;
  const metadata = isJsonObject(body['metadata']) ? body['metadata'] : {};
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    ...body,
    metadata: { ...metadata, name, namespace },
  };
}

/** A whole object: usually valid, because it extends the kind's base. */
function whole(random: Choices, target: Target): JsonObject {
  const body = target.kind.body(random) as JsonObject;
  return complete(target, random.chance(0.9) ? overlay(target.kind.base, body) : body);
}

function withoutServerFields(random: Choices, object: JsonObject): JsonObject {
  const metadata = { ...(object['metadata'] as Record<string, Json>) };
  if (random.chance(0.5)) delete metadata['managedFields'];
  if (random.chance(0.4)) delete metadata['resourceVersion'];
  if (random.chance(0.1)) delete metadata['uid'];
  return { ...object, metadata };
}

const create: Maker = ({ random, target }) => ({
  method: 'POST',
  path: target.kind.collection(target.namespace),
  body: whole(random, target),
  subresource: '',
});

const replace: Maker = ({ random, target, view }) => {
  const from = random.chance(0.1) ? view.stale : view.live;
  const kept = random.chance(0.8) && from !== undefined;
  const change = target.kind.body(random) as JsonObject;
  const body = kept ? overlay(from, random.chance(0.85) ? change : {}) : whole(random, target);
  return { method: 'PUT', body: withoutServerFields(random, complete(target, body)), subresource: '' };
};

const jsonPatch: Maker = ({ random, target, view }) => ({
  method: 'PATCH',
  body: randomJsonPatch(random, view.live ?? {}, target.kind.body(random) as JsonObject),
  contentType: PATCH.json,
  subresource: '',
});

const mergePatch: Maker = ({ random, target, view }) => ({
  method: 'PATCH',
  body: randomMerge(random, target.kind.body(random) as JsonObject, view),
  contentType: PATCH.merge,
  subresource: '',
});

const strategicPatch: Maker = ({ random, target }) => ({
  method: 'PATCH',
  body: randomStrategic(random, target.kind.body(random) as JsonObject),
  contentType: PATCH.strategic,
  subresource: '',
});

const apply: Maker = ({ random, target, view }) => {
  const body = whole(random, target);
  const metadata = body['metadata'] as JsonObject;
  const version = (view.stale?.['metadata'] as JsonObject | undefined)?.['resourceVersion'];
  const guarded = random.chance(0.03) && version !== undefined;
  return {
    method: 'PATCH',
    body: guarded ? { ...body, metadata: { ...metadata, resourceVersion: version } } : body,
    contentType: PATCH.apply,
    subresource: '',
    parameters: { force: random.chance(0.5) ? true : undefined },
  };
};

function randomPreconditions(random: Choices, live: JsonObject | undefined): JsonObject {
  const metadata = (live?.['metadata'] ?? {}) as JsonObject;
  const name = random.pick(['uid', 'resourceVersion']);
  return { [name]: random.chance(0.5) ? (metadata[name] ?? null) : '1' };
}

const remove: Maker = ({ random, view }) => {
  const options = { kind: 'DeleteOptions', apiVersion: 'v1' };
  const guarded = random.chance(0.3);
  const propagationPolicy = random.pick(['Background', 'Foreground', 'Orphan']);
  return {
    method: 'DELETE',
    subresource: '',
    ...(guarded ? { body: { ...options, preconditions: randomPreconditions(random, view.live) } } : {}),
    parameters: { propagationPolicy: random.chance(0.2) ? propagationPolicy : undefined },
  };
};

const status: Maker = ({ random, target, view }) => {
  const generated = target.kind.status?.(random) ?? {};
  const body = { status: generated, ...(random.chance(0.3) ? (target.kind.body(random) as JsonObject) : {}) };
  const how = random.int(3);
  if (how === 0 && view.live !== undefined) {
    return {
      method: 'PUT',
      body: withoutServerFields(random, complete(target, overlay(view.live, body))),
      subresource: '/status',
    };
  }
  if (how === 1) {
    return {
      method: 'PATCH',
      body: complete(target, body),
      contentType: PATCH.apply,
      subresource: '/status',
      parameters: { force: random.chance(0.5) ? true : undefined },
    };
  }
  return { method: 'PATCH', body, contentType: PATCH.merge, subresource: '/status' };
};

const scale: Maker = ({ random, target, view }) => {
  const replicas = random.chance(0.95) ? random.int(4) : -1;
  if (random.chance(0.3)) {
    const { name, namespace } = target;
    const version = (view.live?.['metadata'] as JsonObject | undefined)?.['resourceVersion'];
    const guard = random.chance(0.3) && version !== undefined ? { resourceVersion: version } : {};
    const body = {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name, namespace, ...guard },
      spec: { replicas },
    };
    return { method: 'PUT', body, subresource: '/scale' };
  }
  return { method: 'PATCH', body: { spec: { replicas } }, contentType: PATCH.merge, subresource: '/scale' };
};

const rewrite: Maker = ({ random, view }) => {
  const metadata = view.live?.['metadata'] as JsonObject | undefined;
  const entries = metadata?.['managedFields'];
  const value = randomRewrite(random, isJsonArray(entries) ? entries : []);
  const guard = {
    op: 'replace',
    path: '/metadata/resourceVersion',
    value: metadata?.['resourceVersion'] ?? '1',
  };
  const patch: Json[] = [
    { op: random.chance(0.9) ? 'replace' : 'add', path: '/metadata/managedFields', value },
  ];
  if (random.chance(0.5)) patch.push(guard);
  return { method: 'PATCH', body: patch, contentType: PATCH.json, subresource: '' };
};

const read: Maker = ({ random, target }) => ({
  method: 'GET',
  subresource: target.kind.scale && random.chance(0.3) ? '/scale' : '',
});

const MAKERS: readonly (readonly [weight: number, make: Maker, needs?: (kind: FuzzKind) => boolean])[] = [
  [6, create],
  [12, replace],
  [8, jsonPatch],
  [10, mergePatch],
  [8, strategicPatch],
  [30, apply],
  [4, remove],
  [7, status, (kind) => kind.status !== undefined],
  [5, scale, (kind) => kind.scale],
  [6, rewrite],
  [1, read],
];

function chooseMaker(random: Choices, kind: FuzzKind): Maker {
  const fit = MAKERS.filter(([, , needs]) => needs?.(kind) ?? true);
  let left = random.int(fit.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, make] of fit) {
    left -= weight;
    if (left < 0) return make;
  }
  return read;
}

function parametersOf(random: Choices, method: FuzzRequest['method']): Record<string, string | undefined> {
  const writes = method !== 'GET' && method !== 'DELETE';
  const validation = random.chance(0.3) ? random.pick(['Strict', 'Warn', 'Ignore']) : undefined;
  return {
    dryRun: method !== 'GET' && random.chance(0.04) ? 'All' : undefined,
    fieldManager: writes ? random.pick(random.chance(0.15) ? MANY : MANAGERS) : undefined,
    fieldValidation: writes ? validation : undefined,
  };
}

/** The request of `seed`, on an object as `view` has it. An absent object is usually created. */
export function makeRequest(seed: number, target: Target, view: View): FuzzRequest {
  const random = createChoices(seed);
  const absent = view.live === undefined && random.chance(0.7);
  const make = absent ? random.pick([create, apply]) : chooseMaker(random, target.kind);
  const path = `${target.kind.collection(target.namespace)}/${target.name}`;
  const { parameters, path: own, ...made } = make({ random, target, view, path });
  const common = parametersOf(random, made.method);
  const dryRun = common['dryRun'] !== undefined;
  return { ...made, path: (own ?? path + made.subresource) + query({ ...parameters, ...common }), dryRun };
}
