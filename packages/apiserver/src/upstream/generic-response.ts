import { type ApiServerError, failure, badRequest, internalError } from '../api-server-error.ts';

/** An error response of another server: its status and the beginning of its body. */
export type ErrorResponse = { readonly status: number; readonly text: string };

/** Such a response as an error of this server on `pods/log`, as `errors.NewGenericServerResponse` makes it. */
export function genericResponse(
  { status, text }: ErrorResponse,
  resource: string,
  name: string,
): ApiServerError {
  if (status === 500) return internalError(text);
  if (status === 400) return badRequest(text);
  const [reason, sentence] = wordsFor(status, text);
  return failure(status, reason, `${sentence} ( ${resource} ${name})`, { name, kind: resource });
}

const NO_MORE = 'but did not return more information';

const MESSAGES: Readonly<Record<number, readonly [reason: string, sentence: string]>> = {
  401: ['Unauthorized', 'the server has asked for the client to provide credentials'],
  404: ['NotFound', 'the server could not find the requested resource'],
  405: ['MethodNotAllowed', 'the server does not allow this method on the requested resource'],
  409: ['Conflict', 'the server reported a conflict'],
  422: ['Invalid', 'the server rejected our request due to an error in our request'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: [
    'Timeout',
    'the server was unable to return a response in the time allotted, but may still be processing the request',
  ],
};

function wordsFor(status: number, text: string): readonly [string, string] {
  if (status === 403) return ['Forbidden', text];
  if (status === 415) return ['UnsupportedMediaType', text];
  const known = Object.hasOwn(MESSAGES, status) ? MESSAGES[status] : undefined;
  if (known !== undefined) return known;
  if (status < 500) return ['', `the server responded with the status code ${status} ${NO_MORE}`];
  return [
    'InternalError',
    `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`,
  ];
}
