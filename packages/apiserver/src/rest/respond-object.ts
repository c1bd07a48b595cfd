import {
  deepFreeze,
  type JsonObject,
  type KubeObject,
  decodedValue,
  stringifyJson,
  apiVersionOf,
} from '@kubewright/kube';
import { failure } from '../api-server-error.ts';
import { goType } from '../model/go-type.ts';
import { encode, encodedAs, type StoredObject } from '../storage/stored-object.ts';
import { inVersion } from '../model/in-version.ts';
import { type RestContext } from './rest-context.ts';
import type { ResourceRequest } from './resource-request.ts';
import { itemBytes, type Page } from './list-objects.ts';
import { bytesReply, jsonReply, type Reply } from '../request/reply.ts';
import { includeObject, listMeta, partialMetadata, tableOf, type TableRequest } from './table-of.ts';

export function tableRequest({ now }: RestContext, request: ResourceRequest): TableRequest {
  const { definition, output, query } = request;
  return { definition, metaVersion: output.metaVersion, include: includeObject(query), now: now() };
}

/** Responds with one object, in the negotiated form. */
export function respondObject(
  context: RestContext,
  request: ResourceRequest,
  code: number,
  { object, stored }: { readonly object: KubeObject; readonly stored?: StoredObject },
): Reply {
  const { definition, output } = request;
  const { resourceVersion = '' } = object.metadata;
  if (output.as === 'Table') {
    const table = tableOf(tableRequest(context, request), [inVersion(object, definition)], {
      resourceVersion,
    });
    return jsonReply(code, table);
  }
  if (output.as === 'PartialObjectMetadataList')
    throw wrongForm(output.as, 'is not a list', goType(definition));
  if (output.as !== 'Object') return jsonReply(code, partialMetadata(object, output.metaVersion));
  if (stored !== undefined) return bytesReply(code, [encodedAs(stored, definition)]);
  // A response that is a Status has another kind than the request.
  return bytesReply(code, [encode(object.kind === 'Status' ? object : inVersion(object, definition))]);
}

/** Responds with a page of a list, in the negotiated form. */
export function respondList(context: RestContext, request: ResourceRequest, page: Page): Reply {
  const { definition, output } = request;
  const apiVersion = apiVersionOf(definition);
  const metadata = listMeta(page);
  if (output.as === 'Table') {
    const objects = page.items.map(({ object }) => inVersion(object, definition));
    return jsonReply(200, tableOf(tableRequest(context, request), objects, metadata));
  }
  if (output.as === 'PartialObjectMetadata')
    throw wrongForm(output.as, 'is a list', `${goType(definition)}List`);
  if (output.as !== 'Object') {
    const items = page.items.map(({ object }) => partialMetadata(object, output.metaVersion));
    const kind = 'PartialObjectMetadataList';
    // A real server never makes the list where there is nothing to put into it.
    const had = items.length === 0 ? null : items;
    const list = { kind, apiVersion: `meta.k8s.io/${output.metaVersion}`, metadata, items: had };
    return bytesReply(200, [Buffer.from(stringifyJson(list))], () => deepFreeze(list));
  }
  // Lists of custom resources always have the field.
  const meta = definition.builtIn ? metadata : { continue: '', ...metadata };
  const head = { kind: `${definition.kind}List`, apiVersion, metadata: meta };
  const open = `${stringifyJson(head).slice(0, -1)},"items":[`;
  const chunks = [Buffer.from(open), ...itemBytes(request, page.items), Buffer.from(']}')];
  return bytesReply(200, chunks, () => sharedList(head, request, page));
}

function wrongForm(as: string, why: string, type: string): Error {
  return failure(406, 'NotAcceptable', `you requested ${as}, but the requested object ${why} (*${type})`);
}

/** The list with the stored objects themselves: its items have the type that those of a built-in list leave out. */
function sharedList(head: JsonObject, { definition }: ResourceRequest, { items }: Page): JsonObject {
  return deepFreeze({
    ...head,
    items: items.flatMap((item) => decodedValue(encodedAs(item, definition)) ?? []),
  });
}
