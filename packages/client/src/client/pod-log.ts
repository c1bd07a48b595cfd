import { type ApiRequest, corev1, type Transport } from '@kubewright/kube';
import { abortedError } from '../errors/api-error.ts';
import { errorOf } from '../call/read-response.ts';
import { objectPath, queryString } from '../rest/object-path.ts';
import { collectBody } from '../transport/response-body.ts';
import type { Client } from './client.ts';

/** The largest log that is read where the caller sets no limit, in bytes. */
const LIMIT_BYTES = 16 * 1024 * 1024;

/** `pods/NAME/log` as text, of the whole log or its beginning. */
export function podLogReader(transport: Transport): Client['podLog'] {
  return async (key, { container, limitBytes = LIMIT_BYTES, signal } = {}) => {
    const path = objectPath(corev1.pods, key, 'log') + queryString({ container, limitBytes });
    const headers = { accept: '*/*' };
    const request: ApiRequest = { method: 'GET', path, headers, ...(signal && { signal }) };
    const response = await transport.request(request);
    // A kubelet may send a little more than it is asked for, and an error may be longer than the log.
    const body = await collectBody(response.body, limitBytes + LIMIT_BYTES);
    if (response.status !== 200) throw errorOf(request, response, body);
    if (signal?.aborted === true) throw abortedError(signal);
    return Buffer.from(body).subarray(0, limitBytes).toString('utf8');
  };
}
