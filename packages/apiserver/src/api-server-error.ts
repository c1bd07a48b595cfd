import { errorText, type Json, type Status, type StatusCause } from '@kubewright/kube';
import { type FieldError, formatFieldError } from '@kubewright/kube/validation';

/** Reasons of failures that no response carries as they are; `code` is 0 then. */
export type LocalReason =
  /** Another server cannot be reached, or has the wrong certificate. */
  | 'ConnectionFailed'
  /** A kept connection ended before anything came back on it: the same may be sent again. */
  | 'ConnectionLost'
  /** A connection ended in the middle of a response. */
  | 'ConnectionReset'
  | 'BadResponse'
  /** Bytes that are not what they should be: no YAML, no protobuf, no snapshot. */
  | 'Malformed'
  | 'TooLarge'
  | 'TimedOut'
  | 'Canceled'
  /** Something was called twice, too late, or with what it cannot use. */
  | 'InvalidState';

const RETRYABLE_REASONS: ReadonlySet<string> = new Set<LocalReason>([
  'ConnectionFailed',
  'ConnectionLost',
  'ConnectionReset',
  'TimedOut',
]);

/**
 * An error that a response carries as its `Status`, or a failure of the server's own ({@link localError}). The one
 * error class of this package; `code` is the HTTP status. The makers below follow `k8s.io/apimachinery/pkg/api/errors`,
 * texts included.
 */
export class ApiServerError extends Error {
  readonly code: number;
  readonly status: Status;
  readonly retryable: boolean;

  constructor(status: Status, options?: ErrorOptions) {
    super(status.message ?? status.reason ?? `status ${status.code}`, options);
    this.name = 'ApiServerError';
    this.code = status.code;
    this.status = status;
    this.retryable = status.code === 429 || status.code >= 500 || RETRYABLE_REASONS.has(status.reason ?? '');
  }
}

/** A resource without its version, as error texts name it: `deployments.apps`. */
export type GroupResource = { readonly group: string; readonly resource: string };

type Details = NonNullable<Status['details']>;

export function failure(code: number, reason: string, message: string, details?: Details): ApiServerError {
  const base = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message } as const;
  const status = reason === '' ? base : { ...base, reason };
  return new ApiServerError(details === undefined ? { ...status, code } : { ...status, details, code });
}

/** A failure that no response carries as it is: it becomes an internal error, or part of a message. */
export function localError(reason: LocalReason, message: string, cause?: unknown): ApiServerError {
  return new ApiServerError(failure(0, reason, message).status, { cause });
}

/** Whether `error` is what a response carries. */
export function isStatusError(error: unknown): error is ApiServerError {
  return error instanceof ApiServerError && error.code !== 0;
}

/** Whether `error` is a failure of the server's own, for this reason. */
export function isLocalError(error: unknown, reason: LocalReason): boolean {
  return error instanceof ApiServerError && error.code === 0 && error.status.reason === reason;
}

function qualified({ group, resource }: GroupResource): string {
  return group === '' ? resource : `${resource}.${group}`;
}

function about({ group, resource }: GroupResource, name: string): Details {
  return {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    ...(resource === '' ? {} : { kind: resource }),
  };
}

export function notFound(resource: GroupResource, name: string): ApiServerError {
  return failure(404, 'NotFound', `${qualified(resource)} "${name}" not found`, about(resource, name));
}

export function alreadyExists(resource: GroupResource, name: string): ApiServerError {
  return failure(
    409,
    'AlreadyExists',
    `${qualified(resource)} "${name}" already exists`,
    about(resource, name),
  );
}

/** All generated names were taken. */
export function generatedNameTaken(resource: GroupResource, name: string): ApiServerError {
  const message = `${qualified(resource)} "${name}" already exists, the server was not able to generate a unique name for the object`;
  return failure(409, 'AlreadyExists', message, { ...about(resource, name), retryAfterSeconds: 1 });
}

export function conflict(resource: GroupResource, name: string, why: string): ApiServerError {
  const message = `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`;
  return failure(409, 'Conflict', message, about(resource, name));
}

export const MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';

export function forbidden(
  resource: GroupResource,
  name: string,
  why: string,
  causes?: readonly StatusCause[],
): ApiServerError {
  const what = name === '' ? qualified(resource) : `${qualified(resource)} "${name}"`;
  const details = about(resource, name);
  const message = `${what} is forbidden: ${why}`;
  return failure(403, 'Forbidden', message, causes === undefined ? details : { ...details, causes });
}

export function badRequest(message: string): ApiServerError {
  return failure(400, 'BadRequest', message);
}

export function expired(message: string): ApiServerError {
  return failure(410, 'Expired', message);
}

export function unauthorized(): ApiServerError {
  return failure(401, 'Unauthorized', 'Unauthorized');
}

export function internalError(message: string, cause?: unknown): ApiServerError {
  const error = failure(500, 'InternalError', `Internal error occurred: ${message}`, {
    causes: [{ message }],
  });
  return cause === undefined ? error : new ApiServerError(error.status, { cause });
}

export function tooLarge(limit: number): ApiServerError {
  const message = `Request entity too large: limit is ${limit}`;
  return failure(413, 'RequestEntityTooLarge', message);
}

export function tooManyRequests(message: string): ApiServerError {
  return failure(429, 'TooManyRequests', message, { retryAfterSeconds: 1 });
}

export function unsupportedMediaType(accepted: readonly string[]): ApiServerError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return failure(415, 'UnsupportedMediaType', message);
}

export function notAcceptable(accepted: readonly string[]): ApiServerError {
  const message = `only the following media types are accepted: ${accepted.join(', ')}`;
  return failure(406, 'NotAcceptable', message);
}

/** No route: the path names nothing that is served. */
export function unknownResource(): ApiServerError {
  return failure(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function methodNotAllowed(): ApiServerError {
  return failure(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  );
}

/** 405 for a verb that a custom resource does not have. */
export function methodNotSupported(resource: GroupResource, action: string): ApiServerError {
  const message = `${action} is not supported on resources of kind "${qualified(resource)}"`;
  return failure(405, 'MethodNotAllowed', message, about(resource, ''));
}

/** A revision from the future: a list does not wait for it. */
export function revisionTooLarge(wanted: number | bigint, current: number): ApiServerError {
  const message = `Timeout: Too large resource version: ${wanted}, current: ${current}`;
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  return failure(504, 'Timeout', message, { causes, retryAfterSeconds: 1 });
}

/** A kind, with the group in which it is stored, by which errors name it, where that is another one. */
type InvalidKind = { readonly group: string; readonly storageGroup?: string; readonly kind: string };

/** Errors that a response lists. Nobody reads more of them, and a body has room for hundreds of thousands. */
const MAX_ERRORS = 1000;

/** What was sent breaks rules of its kind. `kind` is qualified by its group in the message. */
export function invalid(
  { group: served, storageGroup: group = served, kind }: InvalidKind,
  name: string,
  errors: readonly FieldError[],
): ApiServerError {
  const listed = errors.slice(0, MAX_ERRORS);
  const causes = listed.map(causeOf);
  const texts = [...new Set(listed.map(formatFieldError))];
  if (errors.length > MAX_ERRORS) texts.push(`and more than ${MAX_ERRORS} errors in all`);
  const why = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const what = group === '' ? kind : `${kind}.${group}`;
  const details = { ...about({ group, resource: kind }, name), causes };
  return failure(422, 'Invalid', `${what} "${name}" is invalid: ${why}`, details);
}

const CAUSE_REASONS: Readonly<Record<FieldError['type'], string>> = {
  Required: 'FieldValueRequired',
  Invalid: 'FieldValueInvalid',
  TypeInvalid: 'FieldValueTypeInvalid',
  Duplicate: 'FieldValueDuplicate',
  NotSupported: 'FieldValueNotSupported',
  Forbidden: 'FieldValueForbidden',
  NotFound: 'FieldValueNotFound',
  TooLong: 'FieldValueTooLong',
  TooShort: 'FieldValueTooShort',
  TooFew: 'FieldValueTooFew',
  TooMany: 'FieldValueTooMany',
  InternalError: 'InternalError',
};

function causeOf(error: FieldError): StatusCause {
  const message = formatFieldError(error).slice(error.field.length + 2);
  return { reason: CAUSE_REASONS[error.type], message, field: error.field };
}

/** The Status of whatever was thrown. */
export function statusOf(error: unknown): Status {
  if (isStatusError(error)) return error.status;
  return internalError(errorText(error)).status;
}

/** `details.causes` and all as JSON, which a Status is. */
export function statusJson(status: Status): Json {
  return status;
}
