import type { ApiRequest, KubeObject, Transport } from '@kubewright/kube';
import { collectBody } from '../transport/response-body.ts';
import type { ResourceRef } from '../rest/resource-ref.ts';
import { parseWatchEvent } from '../watch/parse-watch-event.ts';
import { splitLines } from '../watch/split-lines.ts';
import type { WatchEvent } from '../watch/watch-event.ts';
import { DEFAULT_MAX_BODY_BYTES, errorOf } from '../call/read-response.ts';

/** Largest watch event that is accepted by default. */
const DEFAULT_MAX_EVENT_BYTES = 32 * 1024 * 1024;

type OpenWatchOptions = {
  readonly maxEventBytes?: number | undefined;
  readonly onOpen?: (() => void) | undefined;
};

/** The events of one watch call. Leaving the loop cancels the call. */
export async function* openWatch<T extends KubeObject>(
  transport: Transport,
  ref: ResourceRef<T>,
  request: ApiRequest,
  { maxEventBytes = DEFAULT_MAX_EVENT_BYTES, onOpen }: OpenWatchOptions = {},
): AsyncGenerator<WatchEvent<T>, void> {
  const response = await transport.request(request);
  if (response.status !== 200) {
    throw errorOf(request, response, await collectBody(response.body, DEFAULT_MAX_BODY_BYTES));
  }
  onOpen?.();
  for await (const line of splitLines(response.body, maxEventBytes)) {
    if (request.signal?.aborted === true) return;
    yield parseWatchEvent(ref, line);
  }
}
