import { collectBody } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';

const MAX_BYTES = 1024 * 1024;

/** The response to a GET, whatever its status is. */
export async function getText(
  path: string,
  transport: Transport,
): Promise<{ readonly status: number; readonly text: string }> {
  const { status, body } = await transport.request({ method: 'GET', path, headers: { accept: '*/*' } });
  return { status, text: Buffer.from(await collectBody(body, MAX_BYTES)).toString('utf8') };
}
