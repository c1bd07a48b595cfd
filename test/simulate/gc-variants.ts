import { isJsonObject, type Json, type JsonObject, parseJson, stringifyJson } from '@kubewright/kube';
import type { Tamper } from './tampered-controllers.ts';

/** Controllers that are broken on purpose: a simulation that masters them too would prove nothing. */
export const gcVariants: Readonly<Record<string, Tamper>> = {
  /** Deletes and patches what it once decided about, whatever has become of it since. */
  unguarded: (transport) => ({
    ...transport,
    request: (request) => {
      const { method, body } = request;
      if (typeof body !== 'string' || (method !== 'DELETE' && method !== 'PATCH'))
        return transport.request(request);
      return transport.request({
        ...request,
        body: stringifyJson(withoutGuards(parseJson(Buffer.from(body)))),
      });
    },
  }),
};

function withoutGuards(body: Json): Json {
  if (!isJsonObject(body)) return body;
  const { preconditions: _guard, metadata, ...rest } = body as Record<string, Json>;
  return isJsonObject(metadata) ? { ...rest, metadata: withoutVersion(metadata) } : rest;
}

function withoutVersion(metadata: JsonObject): JsonObject {
  const { uid: _uid, resourceVersion: _version, ...rest } = metadata as Record<string, Json>;
  return rest;
}
