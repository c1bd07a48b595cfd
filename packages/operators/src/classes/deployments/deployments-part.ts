import type { Manager } from '@kubewright/runtime';
import type { Environment, OperatorPart } from '../../kit/operator.ts';
import { GROUP } from '../api.ts';
import { type DeploymentCalls, deploymentCalls } from './deployment-calls.ts';
import { type Listen, listenSettings } from './listen-settings.ts';

/** Serves calls until the signal. */
export type Serve = (
  calls: DeploymentCalls,
  listen: Listen,
  manager: Manager,
  signal: AbortSignal,
) => Promise<void>;

/** Replacements for tests and a simulation. */
export type DeploymentTools = {
  readonly listen?: Listen;
  readonly serve?: Serve;
};

/** The API for package managers. Every replica serves it: a call is one guarded write, whoever leads. */
export const deploymentsPart: OperatorPart = {
  account: 'class-deployments',
  rules: [
    {
      apiGroups: [GROUP],
      resources: ['classruntimes'],
      verbs: ['get', 'list', 'create', 'patch', 'delete'],
    },
    { apiGroups: [''], resources: ['nodes'], verbs: ['list'] },
  ],
  writesOnStandby: true,
  add: (manager, env) => addDeployments(manager, env),
};

/** Serves the API where HTTP_PORT says so. */
export function addDeployments(manager: Manager, env: Environment, tools: DeploymentTools = {}): void {
  const { listen = listenSettings(env), serve = serveGrpc } = tools;
  if (listen === undefined) return;
  const namespace = env['OPRC_CRM_K8S_NAMESPACE'] ?? 'default';
  const calls = deploymentCalls({
    client: manager.client,
    clock: manager.clock,
    namespace,
    availability: availabilityIn(env),
  });
  manager.add({ needLeaderElection: false, start: (signal) => serve(calls, listen, manager, signal) });
}

/** Its libraries are loaded where it is served. */
const serveGrpc: Serve = async (...call) => (await import('./serve-calls.ts')).serveCalls(...call);

function availabilityIn(env: Environment): number | undefined {
  const text = env['OPRC_MOCK_CLUSTER_AVAILABILITY'];
  const value = Number(text ?? Number.NaN);
  return text === undefined || text === '' || !Number.isFinite(value)
    ? undefined
    : Math.min(1, Math.max(0, value));
}
