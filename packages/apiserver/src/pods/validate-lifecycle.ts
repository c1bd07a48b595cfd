import type { Json, JsonObject } from '@kubewright/kube';
import { isHttpHeaderName } from '@kubewright/kube/validation';
import {
  type Errors,
  forbidden,
  inside,
  invalid,
  invalidFor,
  NONE,
  nonNegative,
  oneOf,
  required,
} from '../validation/errors.ts';
import { portNumberOrName } from '../validation/formats.ts';
import {
  has,
  itemsAt,
  maybeNumber,
  maybeObject,
  numberAt,
  objectsAt,
  stringAt,
  valueAt,
} from '../objects/read.ts';

/** What the validation of probes and lifecycle hooks needs of their pod. */
export type HandlerContext = {
  readonly gracePeriod: number | undefined;
  /** `spec.os.name`, undefined without `spec.os`. */
  readonly os: string | undefined;
};

export function validateLivenessProbe(container: JsonObject, path: string, context: HandlerContext): Errors {
  return probe(container, 'livenessProbe', path, context, mustSucceedOnce);
}

export function validateStartupProbe(container: JsonObject, path: string, context: HandlerContext): Errors {
  return probe(container, 'startupProbe', path, context, mustSucceedOnce);
}

export function validateReadinessProbe(container: JsonObject, path: string, context: HandlerContext): Errors {
  return probe(container, 'readinessProbe', path, context, (value, at) =>
    invalid(
      has(value, 'terminationGracePeriodSeconds'),
      `${at}.terminationGracePeriodSeconds`,
      valueAt(value, 'terminationGracePeriodSeconds'),
      'must not be set for readinessProbes',
    ),
  );
}

function mustSucceedOnce(value: JsonObject, path: string): Errors {
  const threshold = numberAt(value, 'successThreshold');
  return invalid(threshold !== 1, `${path}.successThreshold`, threshold, 'must be 1');
}

function probe(
  container: JsonObject,
  key: string,
  path: string,
  context: HandlerContext,
  extra: (value: JsonObject, path: string) => Errors,
): Errors {
  const at = `${path}.${key}`;
  return inside(maybeObject(container, key), (value) => [
    ...validateProbe(value, at, context),
    ...extra(value, at),
  ]);
}

const PROBE_HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc'];
const HOOK_HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'sleep'];

function validateProbe(value: JsonObject, path: string, context: HandlerContext): Errors {
  const grace = maybeNumber(value, 'terminationGracePeriodSeconds');
  return [
    ...validateHandler(value, PROBE_HANDLERS, path, context),
    ...nonNegative(value, 'initialDelaySeconds', path),
    ...nonNegative(value, 'timeoutSeconds', path),
    ...nonNegative(value, 'periodSeconds', path),
    ...nonNegative(value, 'successThreshold', path),
    ...nonNegative(value, 'failureThreshold', path),
    ...invalid(
      grace !== undefined && grace <= 0,
      `${path}.terminationGracePeriodSeconds`,
      grace ?? null,
      'must be greater than 0',
    ),
  ];
}

/** One handler exactly; the first in the order of `kinds` is validated, the rest are forbidden. */
function validateHandler(
  value: JsonObject,
  kinds: readonly string[],
  path: string,
  context: HandlerContext,
): Errors {
  const present = kinds.filter((kind) => has(value, kind));
  if (present.length === 0) return required(false, path, 'must specify a handler type');
  return present.flatMap((kind, index) => {
    const at = `${path}.${kind}`;
    if (index > 0) return forbidden(true, at, 'may not specify more than 1 handler type');
    return validateAction(kind, maybeObject(value, kind) ?? {}, at, context);
  });
}

function validateAction(kind: string, action: JsonObject, path: string, context: HandlerContext): Errors {
  switch (kind) {
    case 'exec':
      return required(itemsAt(action, 'command').length > 0, `${path}.command`);
    case 'httpGet':
      return validateHttpGet(action, path);
    case 'sleep':
      return validateSleep(numberAt(action, 'seconds'), path, context.gracePeriod);
    default:
      return portNumberOrName(port(valueAt(action, 'port')), `${path}.port`);
  }
}

function port(value: Json): number | string {
  return typeof value === 'string' ? value : Number(value ?? 0);
}

function validateHttpGet(action: JsonObject, path: string): Errors {
  return [
    ...required(stringAt(action, 'path') !== '', `${path}.path`),
    ...portNumberOrName(port(valueAt(action, 'port')), `${path}.port`),
    ...oneOf(stringAt(action, 'scheme'), `${path}.scheme`, ['HTTP', 'HTTPS']),
    ...objectsAt(action, 'httpHeaders').flatMap((header) => {
      const name = stringAt(header, 'name');
      return invalidFor(`${path}.httpHeaders`, name, isHttpHeaderName(name));
    }),
  ];
}

function validateSleep(seconds: number, path: string, gracePeriod: number | undefined): Errors {
  if (gracePeriod === undefined) return NONE;
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`;
  return invalid(seconds < 0 || seconds > gracePeriod, path, seconds, detail);
}

/** `containers[].lifecycle`. */
export function validateLifecycle(container: JsonObject, path: string, context: HandlerContext): Errors {
  const hook = (lifecycle: JsonObject, key: string): Errors =>
    inside(maybeObject(lifecycle, key), (value) =>
      validateHandler(value, HOOK_HANDLERS, `${path}.lifecycle.${key}`, context),
    );
  return inside(maybeObject(container, 'lifecycle'), (lifecycle) => [
    ...hook(lifecycle, 'postStart'),
    ...hook(lifecycle, 'preStop'),
  ]);
}
