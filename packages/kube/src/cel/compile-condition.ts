import type { Environment } from '@marcbachmann/cel-js';
import type { Json, JsonObject } from '../json/json.ts';
import { KubeError } from '../kube-error.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import { type CelType, CelTypes, toDynamic } from './cel-types.ts';
import { celEnvironment } from './cel-environment.ts';
import { describeError } from './describe-error.ts';
import { compileText, type Failure } from './expression.ts';
import {
  type Authorize,
  celAuthorizer,
  registerAuthorizers,
  type RequestedResource,
} from './library/cel-authorizer.ts';
import { CelMeter } from './cel-meter.ts';

/** What a match condition reads. */
export type ConditionInput = {
  readonly object: Json;
  readonly oldObject: Json;
  /** An `AdmissionRequest` without its objects. */
  readonly request: JsonObject;
  readonly authorize: Authorize;
  readonly requested: RequestedResource;
};

/** A compiled match condition; `evaluate` throws when the evaluation fails. */
export type CompiledCondition = { readonly evaluate: (variables: ConditionVariables) => boolean };

/** A {@link ConditionInput} as CEL values, made on first use. */
export type ConditionVariables = () => Readonly<Record<string, unknown>>;

/** What a condition may cost: about 50 ms. */
const BUDGET = 200_000;

const TEXT = { type: 'string' };
const TEXTS = { type: 'array', items: TEXT };
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

type World = { readonly environment: Environment; readonly request: CelType };

let world: World | undefined;

function conditionWorld(): World {
  if (world !== undefined) return world;
  const environment = celEnvironment();
  const request = new CelTypes(environment, (name) => name).typeOf(compileSchema(REQUEST));
  if (request === undefined) throw new KubeError('InvalidSchema', 'the admission request has no type');
  registerAuthorizers(environment);
  environment
    .registerVariable('object', 'dyn')
    .registerVariable('oldObject', 'dyn')
    .registerVariable('namespaceObject', 'dyn')
    .registerVariable('request', request.name)
    .registerVariable('authorizer', 'kubernetes.authorization.Authorizer');
  world = { environment, request };
  return world;
}

/**
 * Compiles a condition of a webhook (`matchConditions`), which must be of type bool.
 * https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-matchconditions
 */
export function compileCondition(text: string): CompiledCondition | Failure {
  const { environment } = conditionWorld();
  const meter = new CelMeter();
  const compiled = compileText(environment, text, meter);
  if ('failure' in compiled) return compiled;
  if (compiled.type !== 'bool') return { failure: `must evaluate to bool but got ${compiled.type}` };
  return {
    evaluate(variables) {
      meter.start(BUDGET);
      try {
        const isTrue = compiled.run(variables()) === true;
        // Throws if the error of an earlier stop was swallowed.
        meter.spend(0);
        return isTrue;
      } catch (error) {
        const message = `expression '${text}' resulted in error: ${describeError(error)}`;
        throw new KubeError('InvalidExpression', message, { cause: error });
      }
    },
  };
}

/** The variables of all conditions on one request. */
export function conditionVariables(input: ConditionInput): ConditionVariables {
  let made: Readonly<Record<string, unknown>> | undefined;
  return () => {
    made ??= {
      object: toDynamic(input.object),
      oldObject: toDynamic(input.oldObject),
      namespaceObject: null,
      request: conditionWorld().request.toCel(input.request),
      authorizer: celAuthorizer(input.authorize, input.requested),
    };
    return made;
  };
}
