import {
  type ApiRequest,
  isJsonArray,
  isJsonObject,
  type Json,
  parseJson,
  stringifyJson,
} from '@kubewright/kube';

/**
 * The write without its managedFields: the server then keeps those that it has. It does the same, with 200, for a
 * write with an entry that it cannot decode.
 */
export function withoutManagedFields(request: ApiRequest): ApiRequest {
  if (request.method === 'GET' || request.body === undefined) return request;
  const text = Buffer.from(request.body as Uint8Array).toString();
  if (!text.includes('managedFields')) return request;
  return { ...request, body: stringifyJson(withoutFields(parseJson(text))) };
}

function withoutFields(body: Json): Json {
  if (isJsonArray(body)) return body.filter((operation) => !isManagedFieldsPath(operation));
  if (!isJsonObject(body) || !isJsonObject(body['metadata'])) return body;
  const { managedFields: _managedFields, ...metadata } = body['metadata'];
  return { ...body, metadata };
}

function isManagedFieldsPath(operation: Json): boolean {
  const path = isJsonObject(operation) ? operation['path'] : undefined;
  return typeof path === 'string' && path.startsWith('/metadata/managedFields');
}
