import {
  type ApiRequest,
  isJsonArray,
  isJsonObject,
  type Json,
  parseJson,
  stringifyJson,
} from '@kubewright/kube';

/**
 * The write without what it says of managedFields: the server then keeps those that it has. So it treats, with 200, a
 * write that has an entry which it cannot read.
 */
export function voidClaims(request: ApiRequest): ApiRequest {
  if (request.method === 'GET' || request.body === undefined) return request;
  const text = Buffer.from(request.body as Uint8Array).toString();
  if (!text.includes('managedFields')) return request;
  return { ...request, body: stringifyJson(withoutClaims(parseJson(text))) };
}

function withoutClaims(body: Json): Json {
  if (isJsonArray(body)) return body.filter((operation) => !isAboutClaims(operation));
  if (!isJsonObject(body) || !isJsonObject(body['metadata'])) return body;
  const { managedFields: _managedFields, ...metadata } = body['metadata'];
  return { ...body, metadata };
}

function isAboutClaims(operation: Json): boolean {
  const path = isJsonObject(operation) ? operation['path'] : undefined;
  return typeof path === 'string' && path.startsWith('/metadata/managedFields');
}
