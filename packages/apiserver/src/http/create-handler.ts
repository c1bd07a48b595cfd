import type { ApiRequest } from '@kubewright/kube';
import type { Forward } from '../aggregation/aggregator.ts';
import type { Authorizer } from '../auth/authorizer.ts';
import { type Impersonation, impersonation } from '../auth/impersonation.ts';
import { accessForbidden } from '../auth/access-forbidden.ts';
import { withSelectedName } from '../auth/with-selected-name.ts';
import type { UserInfo } from '../request/user-info.ts';
import type { Discovery } from '../discovery/discovery.ts';
import { hasSubresource } from '../discovery/subresource.ts';
import type { HandledRequest, Handler } from '../request/handled-request.ts';
import type { Registry } from '../registry/registry.ts';
import type { ResourceDefinition } from '../model/resource-definition.ts';
import {
  badRequest,
  isStatusError,
  methodNotAllowed,
  notFound,
  statusOf,
  unknownResource,
} from '../api-server-error.ts';
import type { RestContext } from '../rest/rest-context.ts';
import type { ResourceRequest } from '../rest/resource-request.ts';
import { uuid } from '../objects/uuid.ts';
import { type Reply, statusReply, textReply, withWarnings } from '../request/reply.ts';
import { serveResource } from '../rest/serve-resource.ts';
import { carryOut, type Steps, wait, whenReady } from '../request/steps.ts';
import { connect } from '../upstream/connect.ts';
import { negotiate } from '../request/negotiate.ts';
import { auditEvent, type AuditSink } from './audit-event.ts';
import { encodeReply } from './encode-reply.ts';
import { annotate, type RequestRecord } from './request-record.ts';
import { requestInfo, type RequestInfo, type ResourceInfo } from '../request/request-info.ts';
import { whenComplete } from './when-complete.ts';
import { systemPath } from './system-path.ts';

export type HandlerOptions = {
  readonly context: RestContext;
  readonly discovery: Discovery;
  readonly authorize: Authorizer;
  /** Serves further paths that are no resources. */
  readonly otherPath: (path: string) => Reply | undefined;
  readonly audit?: AuditSink | undefined;
  /** Proxies requests that an extension server serves. */
  readonly forward: Forward;
};

const LONGEST_AUDIT_ID = 64;
const EVERY_ANSWER = { 'cache-control': 'no-cache, private' };

export function createHandler(options: HandlerOptions): Handler {
  const { context } = options;
  const routed = { ...options, impersonate: impersonation(options.authorize) };
  return (request, user) => {
    const auditId = header(request, 'audit-id')?.slice(0, LONGEST_AUDIT_ID) ?? uuid(context.random);
    const receivedAt = context.now();
    const annotations = options.audit === undefined ? undefined : new Map<string, string>();
    const record: RequestRecord = { auditId, receivedAt, warnings: [], annotations, sender: user };
    const reply = carryOut(respond(routed, request, record));
    return whenReady(reply, (reply) => {
      const shown = encodeReply(request, withWarnings(reply, record.warnings));
      const whole = { ...shown, headers: { ...EVERY_ANSWER, 'audit-id': auditId, ...shown.headers } };
      const { audit } = options;
      if (audit === undefined) return whole;
      return whenComplete(whole, () => audit(auditEvent(request, record, whole.status, context.now())));
    });
  };
}

type Routed = HandlerOptions & { readonly impersonate: Impersonation };

/** The response, or the Status of the error that was thrown instead. */
function* respond(options: Routed, request: HandledRequest, record: RequestRecord): Steps<Reply> {
  try {
    return yield* route(options, request, record);
  } catch (error) {
    const { path } = request;
    if (!isStatusError(error)) options.context.log('request failed', { path, error: describe(error) });
    record.error = statusOf(error);
    return statusReply(record.error);
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function header({ headers }: Pick<ApiRequest, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' || value === undefined ? value : value.join(', ');
}

function* route(options: Routed, request: HandledRequest, record: RequestRecord): Steps<Reply> {
  const { sender } = record;
  const info = requestInfo(request);
  if (info === undefined) throw badRequest(`invalid URL escape in ${JSON.stringify(request.path)}`);
  record.info = info;
  const access = withSelectedName(info);
  const user = options.impersonate(request.headers, sender, access);
  if (user !== sender) record.impersonated = user;
  const decision = options.authorize({ user, info: access });
  annotate(record, 'authorization.k8s.io/decision', decision.allowed ? 'allow' : 'forbid');
  annotate(record, 'authorization.k8s.io/reason', decision.reason);
  if (!decision.allowed) throw accessForbidden(user, access, decision.reason);
  // Who may not send a request cannot make this server keep anything of its body.
  if (request.receive !== undefined) yield* wait(request.receive(sender));
  const elsewhere = options.forward(request, info.path, user);
  if (elsewhere !== undefined) return elsewhere instanceof Promise ? yield* wait(elsewhere) : elsewhere;
  if (info.resource === undefined) return nonResource(options, request, info);
  return yield* resource(options.context, request, user, info, record);
}

function nonResource(
  { discovery, context, otherPath }: HandlerOptions,
  request: HandledRequest,
  info: RequestInfo,
): Reply {
  const { registry } = context;
  const found =
    systemPath(info, registry) ??
    otherPath(info.path) ??
    discovery(info.path, {
      accept: header(request, 'accept'),
      ifNoneMatch: header(request, 'if-none-match'),
      hash: info.query.get('hash'),
    });
  if (found === undefined) return unknownPath(info.path, registry);
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
  return found;
}

/** Under a group that is served a Status, elsewhere plain text. */
function unknownPath(path: string, registry: Registry): Reply {
  const [prefix = '', group = ''] = path.split('/').filter((part) => part !== '');
  const served = prefix === 'apis' && registry.all().some((definition) => definition.group === group);
  if (prefix === 'api' || served) throw unknownResource();
  return textReply(404, '404 page not found\n');
}

function* resource(
  context: RestContext,
  request: HandledRequest,
  user: UserInfo,
  { query, verb, resource: target }: RequestInfo,
  record: RequestRecord,
): Steps<Reply> {
  if (target === undefined) throw unknownResource();
  const { group, version, namespace, name, subresource } = target;
  const definition = context.registry.find(group, version, target.resource);
  const connected = definition === undefined ? undefined : connect(definition, request, target, query);
  if (connected !== undefined) return connected instanceof Promise ? yield* wait(connected) : connected;
  if (request.method === 'HEAD') throw methodNotAllowed();
  if (definition === undefined) return unserved(context, target);
  const served: ResourceRequest = {
    definition,
    namespace: definition.namespaced ? namespace : '',
    name,
    subresource,
    query,
    header: (key) => header(request, key),
    body: request.body,
    user,
    output: negotiate(header(request, 'accept'), {
      streams: verb === 'list' || verb === 'watch',
      tables: definition.createOnly !== true,
    }),
    signal: () => request.signal,
    warnings: record.warnings,
    sent: {},
    receivedAt: record.receivedAt.getTime(),
    annotate: (key, value) => annotate(record, key, value),
  };
  if (definition.deprecation !== undefined) record.warnings.push(definition.deprecation);
  checkPlace(served, target, verb);
  return yield* serveResource(context, served, verb);
}

/** Nothing of that name: of a group that is served a Status, of others plain text. */
function unserved({ registry }: RestContext, { group }: ResourceInfo): Reply {
  if (registry.all().some((definition) => definition.group === group)) throw unknownResource();
  return textReply(404, '404 page not found\n');
}

const VERBS_OF_COLLECTIONS = new Set(['list', 'watch', 'create', 'deletecollection']);
const VERBS_OF_OBJECTS = new Set(['get', 'watch', 'update', 'patch', 'delete']);

const CREATE = new Set(['create']);

function verbsAt(
  { createSubresources = {} }: ResourceDefinition,
  name: string,
  subresource: string,
): Set<string> {
  if (Object.hasOwn(createSubresources, subresource)) return CREATE;
  return name === '' ? VERBS_OF_COLLECTIONS : VERBS_OF_OBJECTS;
}

/** The path must fit the resource: its scope, its subresources, a name where the verb needs one. */
function checkPlace(
  { definition, name, subresource }: ResourceRequest,
  target: ResourceInfo,
  verb: string,
): void {
  checkScope(definition, target, verb);
  if (target.rest.length > 0 || (definition.createOnly === true && name !== '')) throw unknownResource();
  if (subresource !== '' && !hasSubresource(definition, subresource)) {
    throw definition.builtIn ? unknownResource() : notFound(definition, name);
  }
  if (!verbsAt(definition, name, subresource).has(verb)) throw methodNotAllowed();
}

function checkScope(
  { namespaced }: ResourceDefinition,
  { namespace, name, inNamespace }: ResourceInfo,
  verb: string,
): void {
  if (!namespaced && inNamespace) throw unknownResource();
  if (!namespaced || namespace !== '') return;
  if (name !== '') throw unknownResource();
  if (verb !== 'list' && verb !== 'watch') throw methodNotAllowed();
}
