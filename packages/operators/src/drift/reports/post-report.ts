import { readFile } from 'node:fs/promises';
import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { getOwn, isJsonObject, systemClock } from '@kubewright/kube';
import { callWithin } from '@kubewright/runtime';
import { jsonOf } from '../annotations/read-annotation.ts';
import { OperatorError } from '../../operator-error.ts';
import type { Backend } from './report-settings-of.ts';
import { signatureHeaders } from './signature-headers.ts';

/** The most that is read of a response; its end is not waited for then. */
const LIMIT = 64 * 1024;

/** A report, encoded for a backend. */
export type Message = { readonly id: string; readonly at: Date; readonly body: string };

/** Posts a report once. Resolves when the backend has acknowledged it: `{"acknowledged": true}`. */
export async function postReport(backend: Backend, message: Message, signal: AbortSignal): Promise<void> {
  // In all: a backend that sends a byte now and then is not waited for without end either.
  const { status, text } = await callWithin(systemClock, backend.timeoutMs, signal, (ended) =>
    post(backend, message, ended),
  );
  if (status < 200 || status > 299) {
    const isPassing = status >= 500 || status === 408 || status === 429;
    throw new OperatorError(
      isPassing ? 'Unavailable' : 'Failed',
      `the backend responded with status ${status}`,
    );
  }
  const response = jsonOf(text);
  // As the original's: a backend that responds with something else has received it.
  if (!isJsonObject(response) || getOwn(response, 'acknowledged') === true) return;
  throw new OperatorError('Failed', 'the backend did not acknowledge the report');
}

async function post(
  { url, caFile, secretFile }: Backend,
  message: Message,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly text: string }> {
  // Read again each time: both may be renewed.
  const [ca, secret] = await Promise.all(
    [caFile, secretFile].map(async (file) => file && readFile(file, 'utf8')),
  );
  const { body } = message;
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(secret === undefined ? {} : signatureHeaders(message, secret)),
  };
  const options = { method: 'POST', headers, signal };
  return new Promise((resolve, reject) => {
    const sent =
      url.protocol === 'https:'
        ? overHttps(url, { ...options, ...(ca === undefined ? {} : { ca }), minVersion: 'TLSv1.2' })
        : overHttp(url, options);
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      const end = (): void => resolve({ status: response.statusCode ?? 0, text: text.slice(0, LIMIT) });
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length < LIMIT) return;
        end();
        sent.destroy();
      });
      response.on('error', reject);
      response.on('end', end);
    });
    sent.end(body);
  });
}
