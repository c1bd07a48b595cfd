import { defined, formatMicroTime, type JsonObject } from '@kubewright/kube';
import type { UserInfo } from '../request/user-info.ts';
import type { HandledRequest } from '../request/handled-request.ts';
import type { ResourceInfo } from '../request/request-info.ts';
import type { RequestRecord } from './request-record.ts';

/** Takes one `audit.k8s.io/v1 Event` per request, when its response is complete. */
export type AuditSink = (event: JsonObject) => void;

/** Resources whose error messages may quote secrets. */
const CONFIDENTIAL = new Set(['secrets', 'tokenreviews', 'serviceaccounts/token']);
const LONGEST_AGENT = 1024;

/**
 * The event of a request, of level Metadata: who did what, when, and how it ended; never the content.
 * https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/
 */
export function auditEvent(
  request: HandledRequest,
  record: RequestRecord,
  code: number,
  now: Date,
): JsonObject {
  const { auditId, sender, impersonated, info, annotations } = record;
  const agent = request.headers['user-agent'];
  return defined({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: auditId,
    stage: 'ResponseComplete',
    requestURI: request.path,
    verb: info?.verb ?? request.method.toLowerCase(),
    user: userOf(sender),
    impersonatedUser: impersonated === undefined ? undefined : userOf(impersonated),
    sourceIPs: request.source === undefined ? undefined : [request.source],
    userAgent: typeof agent === 'string' ? agent.slice(0, LONGEST_AGENT) : undefined,
    objectRef: info?.resource === undefined ? undefined : referenceTo(info.resource),
    responseStatus: statusOf(record, code),
    requestReceivedTimestamp: formatMicroTime(record.receivedAt),
    stageTimestamp: formatMicroTime(now),
    annotations: annotations && Object.fromEntries(annotations),
  });
}

function userOf({ username, uid, groups, extra }: UserInfo): JsonObject {
  return defined({ username, uid, groups, extra });
}

function referenceTo({ resource, namespace, name, group, version, subresource }: ResourceInfo): JsonObject {
  return {
    resource,
    ...(namespace === '' ? {} : { namespace }),
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { apiGroup: group }),
    apiVersion: version,
    ...(subresource === '' ? {} : { subresource }),
  };
}

function statusOf({ error, info }: RequestRecord, code: number): JsonObject {
  if (error === undefined) return { metadata: {}, code };
  const { status, reason, message, details } = error;
  const confidential = isConfidential(info?.resource);
  return defined({
    metadata: {},
    status,
    message: confidential ? undefined : message,
    reason,
    details: confidential ? undefined : details,
    code,
  });
}

function isConfidential(target: ResourceInfo | undefined): boolean {
  if (target === undefined) return false;
  const { resource, subresource } = target;
  return CONFIDENTIAL.has(resource) || CONFIDENTIAL.has(`${resource}/${subresource}`);
}
