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
import { podLogReader } from './pod-log.ts';
import { parseList } from './parse-list.ts';
import { storedObject } from '../rest/stored-object.ts';
import { continueReader } from './continue-reader.ts';

export type ClientOptions = CallSettings & {
  /** The field manager of writes that name none. */
  readonly fieldOwner?: string;
  /** Shared by the clients of one server, so that they share its discovery cache. */
  readonly mapper?: RestMapper;
  /** Gets, lists and watches return `PartialObjectMetadata`, of any kind. */
  readonly metadataOnly?: boolean;
  /** A larger watch event fails with `TooLarge`. Default 32 MiB. */
  readonly maxEventBytes?: number;
};

type Context = {
  readonly transport: Transport;
  readonly call: Call;
  readonly mapper: RestMapper;
  readonly options: ClientOptions;
};

/** A {@link Client} over `transport`, which the caller closes. */
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
    podLog: podLogReader(transport),
  };
}

/** A complete reference needs neither the mapper nor a promise. */
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
      const onHead = onContinue && continueReader(onContinue);
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
      const response = await send('PATCH', path, HEADERS[patch.type], patch.body, options);
      return storedObject(resource, response, options);
    },
    async apply<T extends KubeObject>(
      ref: Ref<T>,
      object: ApplyConfiguration<NoInfer<T>>,
      options: ApplyOptions = {},
    ) {
      const resource = await resolve(context, ref);
      const path = objectPath(resource, keyOf(object), options.subresource);
      const response = await send('PATCH', path, HEADERS.apply, object as KubeObject, options);
      return storedObject(resource, response, options);
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
      const response = await send(objectPath(resource, key, undefined), options);
      return getOwn(response, 'kind') === 'Status'
        ? (response as Status & JsonObject)
        : storedObject(resource, response, options);
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
