import { ApiError } from '@kubewright/client';
import { jsonEqual, type JsonObject, type KubeObject } from '@kubewright/kube';
import {
  type AdmissionRequest,
  type AdmissionResponse,
  admissionWebhook,
  allowed,
  denied,
  errored,
  type Manager,
  patched,
} from '@kubewright/runtime';
import { ANNOTATIONS } from '../api/annotations.ts';
import { CAPTURE_SCHEDULES } from '../api/capture-schedule.ts';
import { PATHS } from './author-webhooks.ts';
import { missingRight } from './missing-right.ts';
import { rightsOf } from './rights-of.ts';

/** Serves both webhooks, on every replica. */
export function addAuthorWebhooks(manager: Manager): void {
  const server = manager.webhookServer();
  server.register(
    PATHS.record,
    admissionWebhook((request) => recordAuthor(request)),
  );
  server.register(
    PATHS.check,
    admissionWebhook((request, { signal }) => checkAuthor(request, manager, signal)),
  );
}

/** Whatever the request says about its author is replaced. */
function recordAuthor(request: AdmissionRequest): AdmissionResponse {
  const object = asObject(request.object);
  if (object === undefined) return allowed();
  const { [ANNOTATIONS.author]: _claimed, ...others } = object.metadata.annotations ?? {};
  const author = expectedAuthor(request);
  const annotations = author === undefined ? others : { ...others, [ANNOTATIONS.author]: author };
  return patched(object, { ...object, metadata: { ...object.metadata, annotations } });
}

/** Another webhook may have changed what the first one recorded. */
async function checkAuthor(
  request: AdmissionRequest,
  { client }: Pick<Manager, 'client'>,
  signal: AbortSignal,
): Promise<AdmissionResponse> {
  const object = asObject(request.object);
  if (object === undefined) return allowed();
  if (authorOf(object) !== expectedAuthor(request))
    return denied(`annotation ${ANNOTATIONS.author} is written by the operator capture alone`);
  if (!isAuthored(request)) return allowed();
  try {
    const { rights, unresolved } = await rightsOf(object, request.namespace, client);
    const missing = await missingRight(request.userInfo, rights, { client, signal });
    if (missing !== undefined) return denied(missing);
    if (unresolved === undefined) return allowed();
    const lacksAll = await missingRight(request.userInfo, [unresolved.right], { client, signal });
    return lacksAll === undefined ? allowed() : errored(422, unresolved.message);
  } catch (error) {
    // Not a denial: the same check may succeed later.
    if (!(error instanceof ApiError)) throw error;
    return errored(500, `cannot check the rights of User "${request.userInfo.username}": ${error.message}`);
  }
}

/** The author of a new request is who creates it, and stays the same; of a schedule, who has written its spec. */
function expectedAuthor(request: AdmissionRequest): string | undefined {
  if (isAuthored(request)) return request.userInfo.username;
  const old = asObject(request.oldObject);
  return old && authorOf(old);
}

function isAuthored({ operation, object, oldObject }: AdmissionRequest): boolean {
  if (operation === 'CREATE') return true;
  if (object?.['kind'] !== CAPTURE_SCHEDULES.kind) return false;
  return !jsonEqual(object['spec'] ?? null, oldObject?.['spec'] ?? null);
}

function authorOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[ANNOTATIONS.author];
}

/** The API server has checked it against its schema. */
function asObject(object: JsonObject | undefined): KubeObject | undefined {
  return object as KubeObject | undefined;
}
