import { collectBody } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';

const MAX_BYTES = 64 * 1024 * 1024;
const SERVED = /^apiserver_request_total\{[^}]*resource="deployments"[^}]*\} (\S+)$/gm;

/** How many requests for Deployments a kube-apiserver has served, from its metrics. */
export async function countedRequests(transport: Transport): Promise<number> {
  const { body } = await transport.request({ method: 'GET', path: '/metrics', headers: {} });
  const text = Buffer.from(await collectBody(body, MAX_BYTES)).toString();
  return [...text.matchAll(SERVED)].reduce((sum, [, count]) => sum + Number(count), 0);
}
