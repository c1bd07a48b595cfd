import type { Clock } from '@kubewright/client';
import { OperatorError } from '../../operator-error.ts';
import { checkpointPath, factsPath, imagePath } from './agent-paths.ts';
import { eachOf } from './each-of.ts';
import { type AgentAddress, type AgentCall, type AgentResponse, callAgent } from './call-agent.ts';
import { factsIn, stateIn } from './problem-in.ts';
import type { NodeAgents } from './node-agents.ts';

const TIMEOUT_MS = 10_000;

/** The agents of nodes over HTTP. */
export function httpNodeAgents(address: AgentAddress, clock: Clock): NodeAgents {
  const call = async (node: string, path: string, init: AgentCall): Promise<AgentResponse> => {
    const late = new AbortController();
    const error = new OperatorError('TimedOut', `no response within ${TIMEOUT_MS} ms`);
    const cancel = clock.after(TIMEOUT_MS, () => late.abort(error));
    return callAgent(address, node, path, { ...init, signal: late.signal }).finally(cancel);
  };
  return {
    async facts(node, image) {
      const response = await call(node, factsPath(image), { method: 'GET' });
      return response.status === 404 ? undefined : factsIn(response.text);
    },
    async begin(order) {
      await call(order.node, checkpointPath(order.id), { method: 'PUT', body: JSON.stringify(order) });
    },
    async get({ node, id }) {
      const response = await call(node, checkpointPath(id), { method: 'GET' });
      return response.status === 404 ? undefined : stateIn(response.text);
    },
    async remove({ node, targetNode, id, image, transfer }) {
      await eachOf([
        () => call(node, checkpointPath(id), { method: 'DELETE' }),
        // Who has pushed an image removes it.
        () => call(transfer === 'Direct' ? targetNode : node, imagePath(image), { method: 'DELETE' }),
      ]);
    },
  };
}
