import { readFile } from 'node:fs/promises';
import { defined, errorText } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import { exchange, type HttpCall, type HttpResponse, isPrivate } from './exchange.ts';
import { problemIn } from './problem-in.ts';

export type AgentAddress = {
  /** With `$(NODE)` where the name of the node belongs. */
  readonly url: string;
  /** Sent as a bearer token. */
  readonly token: string;
  /** A file with the CAs of the agents' certificates, PEM. Default: the CAs that Node.js trusts. */
  readonly caFile?: string;
  /** Files with the caller's own certificate and key, PEM, for agents that ask for one. Read at each call: they are renewed. */
  readonly certificate?: { readonly certFile: string; readonly keyFile: string };
};

export type AgentCall = Pick<HttpCall, 'headers' | 'body' | 'signal' | 'idleMs'> & {
  readonly method: 'GET' | 'PUT' | 'DELETE';
};
export type AgentResponse = Pick<HttpResponse, 'status' | 'text'>;

/**
 * Calls the agent of a node. Rejects with `OperatorError`, except for 404. The token is in no error, and leaves this machine
 * only over TLS to an agent whose certificate is verified.
 */
export async function callAgent(
  { url, token, caFile, certificate }: AgentAddress,
  node: string,
  path: string,
  call: AgentCall,
): Promise<AgentResponse> {
  const address = new URL(`${url.replaceAll('$(NODE)', node).replace(/\/+$/, '')}${path}`);
  if (!isPrivate(address))
    throw new OperatorError(
      'Forbidden',
      `${address.origin} is not https, so the token of agents is not sent`,
    );
  const [ca, cert, key] = await Promise.all(
    [caFile, certificate?.certFile, certificate?.keyFile].map((file) => contentOf(file)),
  );
  const headers = { ...call.headers, authorization: `Bearer ${token}` };
  const options = { ...call, headers, ...defined({ ca, cert, key }) };
  const response = await exchange(address, options).catch((error: unknown) => {
    throw new OperatorError('Unavailable', `the agent of node ${node}: ${errorText(error)}`);
  });
  const { status } = response;
  if ((status >= 200 && status < 300) || status === 404) return response;
  throw rejected(node, response);
}

async function contentOf(file: string | undefined): Promise<Buffer | undefined> {
  return file === undefined ? undefined : readFile(file);
}

function rejected(node: string, { status, text: whole }: AgentResponse): OperatorError {
  const { reason, message } = problemIn(whole.slice(0, 2000));
  const isForbidden = status === 401 || status === 403;
  const code = status >= 500 ? 'Unavailable' : isForbidden ? 'Forbidden' : 'Failed';
  return new OperatorError(code, `the agent of node ${node}: ${status} ${message}`, defined({ reason }));
}
