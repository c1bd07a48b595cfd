import type { Environment } from '@marcbachmann/cel-js';
import type { Json, JsonObject } from '../json/json.ts';
import { KubeError } from '../kube-error.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import { celEnvironment } from './cel-environment.ts';
import { type CelType, CelTypes, toDynamic } from './cel-types.ts';
import {
  type Authorize,
  celAuthorizer,
  registerAuthorizers,
  type RequestedResource,
} from './library/cel-authorizer.ts';

/** What expressions of admission read. */
export type AdmissionInput = {
  readonly object: Json;
  readonly oldObject: Json;
  /** An `AdmissionRequest` without its objects. */
  readonly request: JsonObject;
  /** The Namespace of the object; null for an object that is in none, and for conditions. */
  readonly namespaceObject?: Json;
  /** What a binding of a policy refers to; null where it refers to nothing. */
  readonly params?: Json;
  readonly authorize: Authorize;
  readonly requested: RequestedResource;
};

/** An {@link AdmissionInput} as CEL values, made on first use. */
export type AdmissionVariables = () => Readonly<Record<string, unknown>>;

/** The variables that not all expressions have. */
export type OptionalVariables = { readonly params: boolean; readonly authorizer: boolean };

const TEXT = { type: 'string' };
const TIME = { type: 'string', format: 'date-time' };
const INTEGER = { type: 'integer' };
const TEXTS = { type: 'array', items: TEXT };
const TEXT_MAP = { type: 'object', additionalProperties: TEXT };
const ANYTHING = { 'x-kubernetes-int-or-string': true };
const struct = (properties: JsonObject): JsonObject => ({ type: 'object', properties });
const KIND = struct({ group: TEXT, version: TEXT, kind: TEXT });
const RESOURCE = struct({ group: TEXT, version: TEXT, resource: TEXT });
const USER = struct({
  username: TEXT,
  uid: TEXT,
  groups: TEXTS,
  extra: { type: 'object', additionalProperties: TEXTS },
});
const REQUEST = struct({
  kind: KIND,
  resource: RESOURCE,
  subResource: TEXT,
  requestKind: KIND,
  requestResource: RESOURCE,
  requestSubResource: TEXT,
  name: TEXT,
  namespace: TEXT,
  operation: TEXT,
  userInfo: USER,
  dryRun: { type: 'boolean' },
  options: ANYTHING,
});
/** `UID` as upstream spells it: no Namespace has such a field, so that it is declared and never there. */
const NAMESPACE = struct({
  metadata: struct({
    name: TEXT,
    generateName: TEXT,
    namespace: TEXT,
    labels: TEXT_MAP,
    annotations: TEXT_MAP,
    UID: TEXT,
    creationTimestamp: TIME,
    deletionGracePeriodSeconds: INTEGER,
    deletionTimestamp: TIME,
    generation: INTEGER,
    resourceVersion: TEXT,
    finalizers: TEXTS,
  }),
  spec: struct({ finalizers: TEXTS }),
  status: struct({
    conditions: {
      type: 'array',
      items: struct({ status: TEXT, type: TEXT, lastTransitionTime: TIME, message: TEXT, reason: TEXT }),
    },
    phase: TEXT,
  }),
});

type World = { readonly environment: Environment; readonly request: CelType; readonly namespace: CelType };

let world: World | undefined;

function admissionWorld(): World {
  if (world !== undefined) return world;
  const environment = celEnvironment();
  const types = new CelTypes(environment, (name) => name);
  const typeOf = (schema: JsonObject): CelType => {
    const type = types.typeOf(compileSchema(schema));
    if (type === undefined) throw new KubeError('InvalidSchema', 'a variable of admission has no type');
    return type;
  };
  const [request, namespace] = [typeOf(REQUEST), typeOf(NAMESPACE)];
  registerAuthorizers(environment);
  environment
    .registerVariable('object', 'dyn')
    .registerVariable('oldObject', 'dyn')
    .registerVariable('namespaceObject', namespace.name)
    .registerVariable('request', request.name);
  world = { environment, request, namespace };
  return world;
}

/** A new environment with the variables of admission; more may be added to it. */
export function admissionEnvironment({ params, authorizer }: OptionalVariables): Environment {
  const environment = admissionWorld().environment.clone();
  if (params) environment.registerVariable('params', 'dyn');
  if (authorizer) environment.registerVariable('authorizer', 'kubernetes.authorization.Authorizer');
  return environment;
}

/** The variables of all expressions on one request. */
export function admissionVariables(input: AdmissionInput): AdmissionVariables {
  let made: Readonly<Record<string, unknown>> | undefined;
  return () => {
    const { request, namespace } = admissionWorld();
    made ??= {
      object: toDynamic(input.object),
      oldObject: toDynamic(input.oldObject),
      namespaceObject: namespace.toCel(input.namespaceObject ?? null),
      request: request.toCel(input.request),
      params: toDynamic(input.params ?? null),
      authorizer: celAuthorizer(input.authorize, input.requested),
    };
    return made;
  };
}
