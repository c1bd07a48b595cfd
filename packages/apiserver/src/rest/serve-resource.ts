import { defined, errorText } from '@kubewright/kube';
import { collectionOf } from '../storage/collection-of.ts';
import { encodedAs, objectKey } from '../storage/stored-object.ts';
import type { ResourceDefinition } from '../model/resource-definition.ts';
import {
  failure,
  isStatusError,
  methodNotAllowed,
  methodNotSupported,
  notFound,
  revisionTooLarge,
} from '../api-server-error.ts';
import { MAX_AT_ONCE, readAhead } from './body.ts';
import { type RestContext } from './rest-context.ts';
import type { ResourceRequest } from './resource-request.ts';
import { convertAll, convertAnew, converting } from './converting.ts';
import { createObject, type Written } from './create-object.ts';
import { deleteObject } from './delete-object.ts';
import { type DeleteOptions, deleteOptions } from './delete-options.ts';
import { listObjects, type Page, parseRevision } from './list-objects.ts';
import { type ListOptions, listOptions } from './list-options.ts';
import { patchObject } from './patch-object.ts';
import { bytesReply, jsonReply, type Reply } from '../request/reply.ts';
import { respondList, respondObject } from './respond-object.ts';
import { serveScale } from './serve-scale.ts';
import { pause, type Steps } from '../request/steps.ts';
import { replaceObject } from './replace-object.ts';
import { watchObjects } from './watch-objects.ts';

/** Handles a request on a resource by its verb. Throws an {@link ApiServerError} where it is rejected. */
export function* serveResource(context: RestContext, request: ResourceRequest, verb: string): Steps<Reply> {
  const { body, header } = request;
  if (body.length > MAX_AT_ONCE) yield* readAhead(body, header('content-type'), context.clock);
  const definition = createSubresource(request);
  if (definition === undefined) return yield* serveObjects(context, request, verb);
  const create = { ...request, definition, parent: request.definition };
  return yield* respondWritten(context, create, createObject(context, create));
}

function* serveObjects(context: RestContext, request: ResourceRequest, verb: string): Steps<Reply> {
  const { definition, subresource } = request;
  if (!definition.verbs.includes(verb) && subresource === '') {
    throw definition.builtIn ? methodNotAllowed() : methodNotSupported(definition, verb);
  }
  if (subresource !== '') checkSubresourceVerb(subresource, verb);
  if (subresource === 'scale' && definition.scale !== undefined) {
    return yield* serveScale(context, request, verb, definition.scale);
  }
  const write = WRITES[verb];
  if (write !== undefined) return yield* write(context, request);
  const read = READS[verb];
  return read === undefined ? rejectVerb() : yield* read(context, request);
}

function createSubresource({
  definition: { createSubresources = {} },
  subresource,
}: ResourceRequest): ResourceDefinition | undefined {
  return Object.hasOwn(createSubresources, subresource) ? createSubresources[subresource] : undefined;
}

function rejectVerb(): never {
  throw methodNotAllowed();
}

function checkSubresourceVerb(subresource: string, verb: string): void {
  // A namespace is finalized by PUT only: its finalizers are not to be patched by guess.
  const verbs = subresource === 'finalize' ? ['update'] : ['get', 'update', 'patch'];
  if (!verbs.includes(verb)) rejectVerb();
}

type VerbHandler<R> = (context: RestContext, request: ResourceRequest) => R;

const READS: Readonly<Record<string, VerbHandler<Steps<Reply>>>> = {
  get: getObject,
  *list(context, request) {
    return yield* respondPage(
      context,
      request,
      yield* readPage(context, request, listOptions(request, false)),
    );
  },
  watch: (context, request) => watchObjects(context, request, listOptions(request, true)),
};

const WRITES: Readonly<Record<string, VerbHandler<Steps<Reply>>>> = {
  create: (context, request) => respondWritten(context, request, createObject(context, request)),
  update: (context, request) => respondWritten(context, request, replaceObject(context, request)),
  patch: (context, request) => respondWritten(context, request, patchObject(context, request)),
  delete: removeObject,
  deletecollection: removeCollection,
};

function* getObject(context: RestContext, request: ResourceRequest): Steps<Reply> {
  const { definition, namespace, name, query } = request;
  checkRevision(query.get('resourceVersion') ?? '', context.store.revision);
  const key = objectKey(definition.namespaced ? namespace : '', name);
  const stored = collectionOf(context.store, definition).get(key);
  if (stored === undefined) throw notFound(definition, name);
  yield* convertAnew(context, definition, stored);
  if (request.output.as === 'Object') return bytesReply(200, [encodedAs(stored, definition)]);
  return respondObject(context, request, 200, { object: stored.object, stored });
}

/** A get may request a state that is not older than its `resourceVersion`. */
function checkRevision(text: string, current: number): void {
  const wanted = getRevision(text);
  if (wanted > current) throw revisionTooLarge(BigInt(text), current);
}

function getRevision(text: string): number {
  try {
    return parseRevision(text);
  } catch (error) {
    throw failure(500, '', errorText(error));
  }
}

function* respondWritten(
  context: RestContext,
  request: ResourceRequest,
  write: Steps<Written>,
): Steps<Reply> {
  const written = yield* write;
  const code = written.created ? 201 : 200;
  return yield* converting(context, () => respondObject(context, request, code, written));
}

const JOBS_KEEP_PODS =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them ' +
  'or set propagationPolicy=Orphan to suppress this warning';

function readDeleteOptions(request: ResourceRequest): DeleteOptions {
  const options = deleteOptions(request);
  const { propagationPolicy, orphanDependents } = options;
  const unsaid = propagationPolicy === undefined && orphanDependents === undefined;
  if (unsaid && request.definition.defaultPropagation === 'Orphan') request.warnings.push(JOBS_KEEP_PODS);
  return options;
}

function* removeObject(context: RestContext, request: ResourceRequest): Steps<Reply> {
  const options = readDeleteOptions(request);
  const { object, stored, gone } = yield* deleteObject(context, request, options);
  const { definition, name } = request;
  if (!gone || definition.returnsDeleted === true) {
    const code = !gone && options.orphanDependents === false ? 202 : 200;
    const last = stored === undefined ? { object } : { object, stored };
    return yield* converting(context, () => respondObject(context, request, code, last));
  }
  return jsonReply(200, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: defined({
      name,
      group: definition.group === '' ? undefined : definition.group,
      kind: definition.resource,
      uid: object.metadata.uid,
    }),
  });
}

function* readPage(context: RestContext, request: ResourceRequest, options: ListOptions): Steps<Page> {
  const { definition, query } = request;
  // Fields are selected as the version of the request has them.
  if (query.has('fieldSelector')) {
    const { entries } = collectionOf(context.store, definition);
    yield* convertAll(context, definition, entries);
  }
  return yield* converting(context, () => listObjects(context.store, request, options));
}

function* respondPage(context: RestContext, request: ResourceRequest, page: Page): Steps<Reply> {
  // Metadata alone is the same in each version.
  const { as } = request.output;
  if (as === 'Object' || as === 'Table') yield* convertAll(context, request.definition, page.items);
  return yield* converting(context, () => respondList(context, request, page));
}

/** Objects that are deleted before others have their turn. */
const SLICE = 200;

/** DELETE on a collection: deletes each object as if alone, and returns what was found. */
function* removeCollection(context: RestContext, request: ResourceRequest): Steps<Reply> {
  const selection = listOptions(request, false);
  const options = readDeleteOptions(request);
  const page = yield* readPage(context, request, selection);
  // What is deleted would have to be encoded once more, all of it in one turn.
  const reply = yield* respondPage(context, request, page);
  for (const [index, { name, namespace }] of page.items.entries()) {
    if (index % SLICE === SLICE - 1) yield* pause(context.clock);
    yield* removeListed(context, { ...request, name, namespace, inCollection: true }, options);
  }
  return reply;
}

function* removeListed(context: RestContext, request: ResourceRequest, options: DeleteOptions): Steps<void> {
  try {
    yield* deleteObject(context, request, options);
  } catch (error) {
    // It may have gone on account of one before.
    if (!(isStatusError(error) && error.code === 404)) throw error;
  }
}
