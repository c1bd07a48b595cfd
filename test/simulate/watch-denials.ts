import { ApiError } from '@kubewright/client';
import type { ApiResponse, Status, Transport } from '@kubewright/kube';

/** What a server says for want of a right. */
const LACKS_RIGHT = / is forbidden: User "/;

/** Looks for responses that a service account is forbidden something. */
type Denials = {
  watch(transport: Transport): Transport;
  /** Rejects with the first one: an operator declares all that it needs. */
  readonly first: Promise<never>;
};

export function watchDenials(): Denials {
  let reject: (denial: ApiError) => void = () => undefined;
  const first = new Promise<never>((_resolve, end) => (reject = end));
  first.catch(() => undefined);
  const look = async (response: ApiResponse): Promise<ApiResponse> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const status = JSON.parse(Buffer.concat(chunks).toString()) as Status;
    if (LACKS_RIGHT.test(status.message ?? '')) reject(new ApiError(status));
    return { ...response, body: bodyOf(chunks) };
  };
  const watch = (transport: Transport): Transport => ({
    async request(request) {
      const response = await transport.request(request);
      return response.status === 403 ? look(response) : response;
    },
    close: () => transport.close(),
  });
  return { watch, first };
}

async function* bodyOf(chunks: readonly Uint8Array[]): AsyncIterableIterator<Uint8Array> {
  yield* chunks;
}
