import { quoteGo } from '@kubewright/kube/validation';
import type { WebhookReply } from './webhook-transport.ts';

/** The messages of Go's client for statuses. */
const MESSAGES: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};
/** Statuses of which the server's own text is quoted. */
const QUOTED = new Set([403, 406, 415]);
const LONGEST = 2048;

/** Why a response cannot be used; undefined when its body is to be read. */
export function replyFault({ status, contentType, body }: WebhookReply): string | undefined {
  if (status >= 200 && status <= 206) {
    if (body.length > 0) return undefined;
    const type = contentType === '' ? 'application/json' : contentType;
    return `0-length response with status code: ${status} and content type: ${type}`;
  }
  return messageOf(status, textOf(contentType, body));
}

function textOf(contentType: string, body: Uint8Array): string {
  if (contentType !== '' && !contentType.startsWith('text/')) return 'unknown';
  return Buffer.from(body.subarray(0, LONGEST)).toString().trim();
}

function messageOf(status: number, text: string): string {
  if (QUOTED.has(status)) return text;
  const known = MESSAGES[status];
  if (known !== undefined) return known;
  if (status >= 500)
    return `an error on the server (${quoteGo(text)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${status} but did not return more information`;
}
