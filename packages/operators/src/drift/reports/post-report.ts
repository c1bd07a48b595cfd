import { readFile } from 'node:fs/promises';
import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { getOwn, isJsonObject } from '@kubewright/kube';
import { jsonOf } from '../annotations/read-annotation.ts';
import { OperatorError } from '../../operator-error.ts';
import type { Backend } from './backends-of.ts';

/** The most that is read of a response. */
const LIMIT = 64 * 1024;

/** Posts a report once. Resolves when the backend has acknowledged it: `{"acknowledged": true}`. */
export async function postReport(backend: Backend, body: string, signal: AbortSignal): Promise<void> {
  const { status, text } = await post(backend, body, signal);
  if (status < 200 || status > 299)
    throw new OperatorError('Failed', `the backend responded with status ${status}`);
  const response = jsonOf(text);
  // As the original's: a backend that answers something else has received it.
  if (!isJsonObject(response) || getOwn(response, 'acknowledged') === true) return;
  throw new OperatorError('Failed', 'the backend did not acknowledge the report');
}

async function post(
  { url, caFile, timeoutMs }: Backend,
  body: string,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly text: string }> {
  const ca = caFile === undefined ? undefined : await readFile(caFile, 'utf8');
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const options = { method: 'POST', headers, signal, timeout: timeoutMs };
  return new Promise((resolve, reject) => {
    const sent =
      url.protocol === 'https:'
        ? overHttps(url, { ...options, ...(ca === undefined ? {} : { ca }), minVersion: 'TLSv1.2' })
        : overHttp(url, options);
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new OperatorError('TimedOut', 'the backend does not respond')));
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text = (text + chunk).slice(0, LIMIT)));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.end(body);
  });
}
