import { isJsonObject, parseJson, type Transport } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import type { CheckpointOrder } from './node-agents.ts';

type Container = Pick<CheckpointOrder, 'namespace' | 'pod' | 'container'>;

/**
 * Has a kubelet checkpoint a container; resolves with the path of the archive on its node. `transport` calls the kubelet
 * itself (a token for `nodes/checkpoint` is enough), or, with `node`, the API server, which passes it on.
 *
 * Rejects with `OperatorError`, each with a reason. Only those that may pass are retryable: a repeated call makes another
 * archive, and of one that timed out an archive may be left on the node.
 */
export async function kubeletCheckpoint(
  transport: Transport,
  { namespace, pod, container }: Container,
  { node, signal }: { readonly node?: string; readonly signal?: AbortSignal } = {},
): Promise<string> {
  const proxy = node === undefined ? '' : `/api/v1/nodes/${encodeURIComponent(node)}/proxy`;
  const path = `${proxy}/checkpoint/${[namespace, pod, container].map(encodeURIComponent).join('/')}`;
  const request = { method: 'POST', path, headers: {}, ...(signal && { signal }) } as const;
  const response = await transport.request(request).catch((cause: unknown) => {
    const message = `the kubelet did not respond in time; an archive of ${pod} may be left on its node`;
    throw new OperatorError('TimedOut', message, { cause, reason: 'CheckpointTimedOut' });
  });
  const text = await textOf(response.body);
  if (response.status !== 200) throw problem(response.status, text.slice(0, 500), container);
  const [archive] = itemsIn(text);
  if (archive !== undefined) return archive;
  throw new OperatorError('Failed', 'the kubelet responded with 200 and named no archive', {
    reason: 'NoArchive',
  });
}

function problem(status: number, text: string, container: string): OperatorError {
  if (status === 404 && !/not found|does not exist/i.test(text.replace(/^404 page not found/, '')))
    return new OperatorError(
      'Failed',
      'the kubelet has no checkpoint API: enable its feature gate ContainerCheckpoint',
      { reason: 'CheckpointDisabled' },
    );
  if (status === 404)
    return new OperatorError('NotFound', `the kubelet does not run container ${container}: ${text}`, {
      reason: 'ContainerNotFound',
    });
  if (status === 401 || status === 403)
    return new OperatorError(
      'Forbidden',
      `the kubelet rejects the token, which needs nodes/checkpoint: ${text}`,
      {
        reason: 'CheckpointForbidden',
      },
    );
  return new OperatorError('Unavailable', `the runtime made no checkpoint: ${status} ${text}`, {
    reason: 'RuntimeFailed',
  });
}

function itemsIn(text: string): readonly string[] {
  const parsed = parseJson(text);
  const items = isJsonObject(parsed) ? parsed['items'] : undefined;
  return Array.isArray(items) ? items.filter((one) => typeof one === 'string' && one !== '') : [];
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
