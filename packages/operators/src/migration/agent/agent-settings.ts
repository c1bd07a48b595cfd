import { defined } from '@kubewright/kube';
import type { Environment } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import type { AgentTlsFiles } from './agent-tls.ts';
import type { RegistryOptions } from './registry-image.ts';
import type { AgentAddress } from '../checkpoints/call-agent.ts';
import { isPrivate } from '../checkpoints/exchange.ts';

/** Environment variables of the agent besides `MS2M_AGENT_URL`, `MS2M_AGENT_TOKEN` and `MS2M_AGENT_CA`. */
export type AgentSettings = {
  readonly agents: AgentAddress;
  readonly host: string;
  readonly port: number;
  /** Absent: plain HTTP. */
  readonly tlsFiles?: AgentTlsFiles;
  readonly kubeletUrl: string;
  /** A file. */
  readonly kubeletCa: string;
  /** A file. */
  readonly kubeletToken: string;
  readonly folder: string;
  readonly registry: RegistryOptions;
  /** What comes before each command of the node. */
  readonly prefix: readonly string[];
};

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Throws `Usage` for what would send the token, or take requests, in clear text. */
export function readAgentSettings(env: Environment): AgentSettings {
  const text = (name: string, fallback = ''): string => env[name] ?? fallback;
  const host = text('MS2M_AGENT_HOST', '0.0.0.0');
  const tlsFiles = filesIn(text('MS2M_AGENT_CERT'), text('MS2M_AGENT_KEY'), text('MS2M_AGENT_CLIENT_CA'));
  if (tlsFiles === undefined && host !== '127.0.0.1')
    throw new OperatorError(
      'Usage',
      'set MS2M_AGENT_CERT and MS2M_AGENT_KEY, files with the certificate of this agent and its key',
    );
  return {
    agents: {
      ...addressIn(text('MS2M_AGENT_URL'), text('MS2M_AGENT_TOKEN'), text('MS2M_AGENT_CA')),
      ...(tlsFiles && { certificate: tlsFiles }),
    },
    host,
    port: Number(text('MS2M_AGENT_PORT', '9443')),
    ...defined({ tlsFiles }),
    kubeletUrl: text('MS2M_KUBELET_URL', 'https://127.0.0.1:10250'),
    kubeletCa: text('MS2M_KUBELET_CA', `${SERVICE_ACCOUNT}/ca.crt`),
    kubeletToken: text('MS2M_KUBELET_TOKEN', `${SERVICE_ACCOUNT}/token`),
    folder: text('MS2M_AGENT_FOLDER', '/var/lib/ms2m'),
    registry: defined({
      authFile: env['MS2M_REGISTRY_AUTH'] || undefined,
      caFile: env['MS2M_REGISTRY_CA'] || undefined,
    }),
    prefix: text('MS2M_NODE_PREFIX')
      .split(' ')
      .filter((word) => word !== ''),
  };
}

function addressIn(url: string, token: string, caFile: string): AgentAddress {
  if (url === '' || token === '')
    throw new OperatorError('Usage', 'set MS2M_AGENT_URL, as https://$(NODE):9443, and MS2M_AGENT_TOKEN');
  if (!isPrivate(new URL(url.replaceAll('$(NODE)', 'node'))))
    throw new OperatorError(
      'Usage',
      `MS2M_AGENT_URL ${url} would send the token in clear text: it must be https`,
    );
  return { url, token, ...(caFile !== '' && { caFile }) };
}

function filesIn(certFile: string, keyFile: string, clientCaFile: string): AgentTlsFiles | undefined {
  if (certFile === '' || keyFile === '') return undefined;
  return { certFile, keyFile, ...(clientCaFile !== '' && { clientCaFile }) };
}
