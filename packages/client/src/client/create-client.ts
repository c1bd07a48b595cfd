import {
  type ApiRequest,
  type ApplyConfiguration,
  getOwn,
  type Json,
  type JsonObject,
  type KubeObject,
  type Status,
  stringifyJson,
  type Transport,
} from '@kubewright/kube';
import { collectionPath, creationPath, objectPath, queryString } from '../rest/object-path.ts';
import { createRestMapper, type RestMapper } from '../rest/rest-mapper.ts';
import {
  isResourceRef,
  keyOf,
  type ObjectKey,
  type Ref,
  type ResourceRef,
  type WriteRef,
} from '../rest/resource-ref.ts';
import { type Call, type CallSettings, createCall, HEADERS } from '../call/call.ts';
import type {
  ApplyOptions,
  Client,
  DeleteOptions,
  GetOptions,
  PageOptions,
  Patch,
  WatchOptions,
  WriteOptions,
} from './client.ts';
import { openWatch } from './open-watch.ts';
import { deleteBody, listParameters, watchParameters, writeParameters } from './parameters.ts';
import { parseList } from './parse-list.ts';
import { storedObject } from '../rest/stored-object.ts';
import { tellContinue } from './tell-continue.ts';

export type ClientOptions = CallSettings & {
  /** Manager of every write that names none. */
  readonly fieldOwner?: string;
  /** Shared between the clients of one server, to share what discovery told. */
  readonly mapper?: RestMapper;
  /** Reads, lists and watches bring `metadata` only, as `PartialObjectMetadata`: of whatever kind, at little cost. */
  readonly metadataOnly?: boolean;
  /** Watch events beyond this are refused with `TooLarge`. Default 32 MiB. */
  readonly maxEventBytes?: number;
};

type Context = {
  readonly transport: Transport;
  readonly call: Call;
  readonly mapper: RestMapper;
  readonly options: ClientOptions;
};

/** A {@link Client} that makes its calls through `transport`, which stays the caller's to close. */
export function createClient(transport: Transport, options: ClientOptions = {}): Client {
  const call = createCall(transport, options);
  const mapper = options.mapper ?? createRestMapper(call);
  const context: Context = { transport, call, mapper, options };
  return {
    mapper,
    ...reader(context),
    ...writer(context),
    ...patcher(context),
    ...remover(context),
    ...watcher(context),
  };
}

/** Complete references skip the mapper and its promise. */
function resolve<T extends KubeObject>(
  context: Context,
  ref: Ref<T>,
): ResourceRef<T> | Promise<ResourceRef<T>> {
  return isResourceRef(ref) ? ref : context.mapper.resolve(ref);
}

function reader(context: Context): Pick<Client, 'get' | 'list'> {
  const { call } = context;
  const { metadataOnly = false } = context.options;
  const [one, many] = metadataOnly ? [HEADERS.metadata, HEADERS.metadataList] : [HEADERS.read, HEADERS.read];
  return {
    async get<T extends KubeObject>(ref: Ref<T>, key: ObjectKey, options: GetOptions = {}) {
      const { subresource, resourceVersion, signal } = options;
      const resource = await resolve(context, ref);
      const path = objectPath(resource, key, subresource);
      const query = queryString({ resourceVersion });
      return storedObject(resource, await call('GET', path + query, { headers: one, signal }), options);
    },
    async list<T extends KubeObject>(ref: Ref<T>, options: PageOptions = {}) {
      const resource = await resolve(context, ref);
      const path = collectionPath(resource, options.namespace);
      const { signal, onContinue } = options;
      const query = queryString(listParameters(options));
      const onHead = onContinue && tellContinue(onContinue);
      return parseList(resource, await call('GET', path + query, { headers: many, signal, onHead }));
    },
  };
}

type SendObject = (
  method: ApiRequest['method'],
  path: string,
  headers: ApiRequest['headers'],
  body: Json,
  options: ApplyOptions,
) => Promise<JsonObject>;

function sender({ call, options: { fieldOwner } }: Context): SendObject {
  return async function send(method, path, headers, body, options) {
    const query = queryString(writeParameters(options, fieldOwner));
    const content = { headers, body: stringifyJson(body), signal: options.signal };
    return call(method, path + query, content);
  };
}

function writer(context: Context): Pick<Client, 'create' | 'update'> {
  const send = sender(context);
  return {
    async create<T extends KubeObject, I extends KubeObject = T>(
      ref: WriteRef<T, I>,
      object: NoInfer<I>,
      options: WriteOptions = {},
    ) {
      const resource = await resolve(context, ref);
      const key = keyOf(object);
      const path =
        options.subresource === undefined
          ? creationPath(resource, key)
          : objectPath(resource, key, options.subresource);
      return storedObject(resource, await send('POST', path, HEADERS.write, object, options), options);
    },
    async update<T extends KubeObject, I extends KubeObject = T>(
      ref: WriteRef<T, I>,
      object: NoInfer<I>,
      options: WriteOptions = {},
    ) {
      const resource = await resolve(context, ref);
      const path = objectPath(resource, keyOf(object), options.subresource);
      return storedObject(resource, await send('PUT', path, HEADERS.write, object, options), options);
    },
  };
}

function patcher(context: Context): Pick<Client, 'patch' | 'apply'> {
  const send = sender(context);
  return {
    async patch<T extends KubeObject>(ref: Ref<T>, key: ObjectKey, patch: Patch, options: WriteOptions = {}) {
      const resource = await resolve(context, ref);
      const path = objectPath(resource, key, options.subresource);
      const answer = await send('PATCH', path, HEADERS[patch.type], patch.body, options);
      return storedObject(resource, answer, options);
    },
    async apply<T extends KubeObject>(
      ref: Ref<T>,
      object: ApplyConfiguration<NoInfer<T>>,
      options: ApplyOptions = {},
    ) {
      const resource = await resolve(context, ref);
      const path = objectPath(resource, keyOf(object), options.subresource);
      const answer = await send('PATCH', path, HEADERS.apply, object as KubeObject, options);
      return storedObject(resource, answer, options);
    },
  };
}

function remover(context: Context): Pick<Client, 'delete' | 'deleteAll'> {
  const send = (path: string, options: DeleteOptions): Promise<JsonObject> => {
    const body = deleteBody(options);
    const { signal } = options;
    if (body === undefined) return context.call('DELETE', path, { headers: HEADERS.read, signal });
    return context.call('DELETE', path, { headers: HEADERS.write, body, signal });
  };
  return {
    async delete<T extends KubeObject>(ref: Ref<T>, key: ObjectKey, options: DeleteOptions = {}) {
      const resource = await resolve(context, ref);
      const answer = await send(objectPath(resource, key, undefined), options);
      return getOwn(answer, 'kind') === 'Status'
        ? (answer as Status & JsonObject)
        : storedObject(resource, answer, options);
    },
    async deleteAll(ref, list, options = {}) {
      const path = collectionPath(await resolve(context, ref), list.namespace);
      await send(path + queryString(listParameters(list)), options);
    },
  };
}

function watcher(context: Context): Pick<Client, 'watch'> {
  return {
    async *watch<T extends KubeObject>(ref: Ref<T>, options: WatchOptions = {}) {
      const resource = await resolve(context, ref);
      const query = queryString(watchParameters(options));
      const path = collectionPath(resource, options.namespace) + query;
      const { signal } = options;
      const headers = context.options.metadataOnly === true ? HEADERS.metadata : HEADERS.read;
      const request = { method: 'GET', path, headers } as const;
      const withSignal = signal === undefined ? request : { ...request, signal };
      const { maxEventBytes } = context.options;
      yield* openWatch(context.transport, resource, withSignal, { maxEventBytes, onOpen: options.onOpen });
    },
  };
}
