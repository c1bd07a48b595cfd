import type { ApiRequest, JsonObject, Transport } from '@kubewright/kube';
import { DEFAULT_MAX_BODY_BYTES, readResponse } from './read-response.ts';
import { warningsOf } from './warnings-of.ts';

const JSON_TYPE = 'application/json';

type Headers = Readonly<Record<string, string>>;
type HeaderSet = 'read' | 'metadata' | 'metadataList' | 'write' | 'apply' | 'json' | 'merge' | 'strategic';

/** Shared by all calls, so that no call allocates its own. */
export const HEADERS: Readonly<Record<HeaderSet, Headers>> = {
  read: { accept: JSON_TYPE },
  metadata: { accept: `${JSON_TYPE};as=PartialObjectMetadata;g=meta.k8s.io;v=v1` },
  metadataList: { accept: `${JSON_TYPE};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1` },
  write: { accept: JSON_TYPE, 'content-type': JSON_TYPE },
  apply: { accept: JSON_TYPE, 'content-type': 'application/apply-patch+yaml' },
  json: { accept: JSON_TYPE, 'content-type': 'application/json-patch+json' },
  merge: { accept: JSON_TYPE, 'content-type': 'application/merge-patch+json' },
  strategic: { accept: JSON_TYPE, 'content-type': 'application/strategic-merge-patch+json' },
};

export type CallSettings = {
  readonly onWarning?: (text: string) => void;
  readonly maxBodyBytes?: number;
};

/** What a call sends besides method and path. */
type CallContent = {
  readonly headers: ApiRequest['headers'];
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
  /** Called with the first chunk of a successful response that arrives in several. */
  readonly onHead?: ((head: Uint8Array) => void) | undefined;
};

/** Sends a request and returns the JSON object of its response. Rejects with `ApiError`. */
export type Call = (method: ApiRequest['method'], path: string, content: CallContent) => Promise<JsonObject>;

export function createCall(transport: Transport, settings: CallSettings = {}): Call {
  const { onWarning, maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = settings;
  return async function call(method, path, { headers, body, signal, onHead }) {
    const request: ApiRequest = {
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    };
    const response = await transport.request(request);
    if (onWarning !== undefined) warningsOf(response).forEach((text) => onWarning(text));
    return readResponse(request, response, maxBodyBytes, onHead);
  };
}
