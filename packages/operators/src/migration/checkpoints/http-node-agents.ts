import type { Clock } from '@kubewright/client';
import { defined, errorText } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import { checkpointPath, FACTS_PATH, imagePath } from './agent-paths.ts';
import { factsIn, problemIn, stateIn } from './problem-in.ts';
import type { NodeAgents } from './node-agents.ts';

export type AgentAddress = {
  /** With `$(NODE)` where the name of the node belongs. */
  readonly url: string;
  /** Sent as a bearer token. */
  readonly token: string;
};

const TIMEOUT_MS = 10_000;

/** The agents of nodes over HTTP. */
export function httpNodeAgents(address: AgentAddress, clock: Clock): NodeAgents {
  const call = async (node: string, path: string, init: RequestInit): Promise<Response> => {
    const late = new AbortController();
    const error = new OperatorError('TimedOut', `no response within ${TIMEOUT_MS} ms`);
    const cancel = clock.after(TIMEOUT_MS, () => late.abort(error));
    return callAgent(address, node, path, { ...init, signal: late.signal }).finally(cancel);
  };
  return {
    async facts(node) {
      const response = await call(node, FACTS_PATH, { method: 'GET' });
      return response.status === 404 ? undefined : factsIn(await response.text());
    },
    async begin(order) {
      await call(order.node, checkpointPath(order.id), { method: 'PUT', body: JSON.stringify(order) });
    },
    async get({ node, id }) {
      const response = await call(node, checkpointPath(id), { method: 'GET' });
      return response.status === 404 ? undefined : stateIn(await response.text());
    },
    async remove({ node, targetNode, id, image, transfer }) {
      await call(node, checkpointPath(id), { method: 'DELETE' });
      if (transfer === 'Direct') await call(targetNode, imagePath(image), { method: 'DELETE' });
    },
  };
}

/** Rejects with `OperatorError`, except for 404. The token is in no error. */
export async function callAgent(
  { url, token }: AgentAddress,
  node: string,
  path: string,
  init: RequestInit,
): Promise<Response> {
  const address = `${url.replaceAll('$(NODE)', node).replace(/\/+$/, '')}${path}`;
  const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` };
  const response = await fetch(address, { ...init, headers }).catch((error: unknown) => {
    throw new OperatorError('Unavailable', `the agent of node ${node}: ${causeOf(error)}`);
  });
  if (response.ok || response.status === 404) return response;
  const { reason, message } = problemIn((await response.text()).slice(0, 2000));
  const isForbidden = response.status === 401 || response.status === 403;
  const code = response.status >= 500 ? 'Unavailable' : isForbidden ? 'Forbidden' : 'Failed';
  throw new OperatorError(
    code,
    `the agent of node ${node}: ${response.status} ${message}`,
    defined({ reason }),
  );
}

function causeOf(error: unknown): string {
  return errorText(error instanceof Error && error.cause !== undefined ? error.cause : error);
}
