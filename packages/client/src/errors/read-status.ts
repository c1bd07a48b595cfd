import {
  defined,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type Status,
  type StatusCause,
} from '@kubewright/kube';

/** The `Status` that a server sent. Drops fields of a wrong type; `code` is 0 where it is missing. */
export function readStatus(value: JsonObject): Status {
  const [metadata, details] = [getOwn(value, 'metadata'), getOwn(value, 'details')];
  return defined({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: isJsonObject(metadata) ? metadata : {},
    status: textAt(value, 'status') === 'Success' ? 'Success' : 'Failure',
    message: textAt(value, 'message'),
    reason: textAt(value, 'reason'),
    details: isJsonObject(details) ? readDetails(details) : undefined,
    code: numberAt(value, 'code') ?? 0,
  } as const);
}

function readDetails(details: JsonObject): NonNullable<Status['details']> {
  const causes = getOwn(details, 'causes');
  return defined({
    name: textAt(details, 'name'),
    group: textAt(details, 'group'),
    kind: textAt(details, 'kind'),
    uid: textAt(details, 'uid'),
    causes: isJsonArray(causes) ? causes.filter(isJsonObject).map(readCause) : undefined,
    retryAfterSeconds: numberAt(details, 'retryAfterSeconds'),
  });
}

function readCause(cause: JsonObject): StatusCause {
  return defined({
    reason: textAt(cause, 'reason'),
    message: textAt(cause, 'message'),
    field: textAt(cause, 'field'),
  });
}

function textAt(object: JsonObject, key: string): string | undefined {
  const value = getOwn(object, key);
  return typeof value === 'string' ? value : undefined;
}

function numberAt(object: JsonObject, key: string): number | undefined {
  const value = getOwn(object, key);
  return typeof value === 'number' ? value : undefined;
}
