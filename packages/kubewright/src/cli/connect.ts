import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError, createTransport, findContext, type ResolvedContext } from '@kubewright/client';
import { defined, type Transport } from '@kubewright/kube';
import { KubewrightError } from '../kubewright-error.ts';
import { DEFAULT_KUBECONFIG } from '../run/kubeconfig-file.ts';
import type { ClusterChoice } from '../command-options.ts';
import type { Terminal } from '../terminal.ts';

/** The cluster of a command. Close the transport when done. */
export type Connection = {
  /** Without retries: a user at a terminal wants to know at once that there is no cluster. */
  readonly transport: Transport;
  /** The namespace of the kubeconfig's context. */
  readonly namespace: string;
  readonly url: string;
};

/**
 * Connects like kubectl; without `--kubeconfig` and `KUBECONFIG`, a cluster started in this folder takes precedence
 * over the service account of a pod, and that over `~/.kube/config`.
 */
export async function connect(choice: ClusterChoice, terminal: Terminal): Promise<Connection> {
  const { name, namespace, options } = await resolve(choice, terminal);
  if (name === '')
    throw new KubewrightError(
      'File',
      'the kubeconfig has no current context; choose one with kubectl config use-context',
    );
  return { transport: createTransport(options), namespace, url: options.url };
}

async function resolve({ kubeconfig, context }: ClusterChoice, terminal: Terminal): Promise<ResolvedContext> {
  const local = join(terminal.cwd, DEFAULT_KUBECONFIG);
  const isLocal = (terminal.env['KUBECONFIG'] ?? '') === '' && existsSync(local);
  try {
    const named = kubeconfig ?? (isLocal ? local : undefined);
    return await findContext({
      env: terminal.env,
      signal: terminal.signal,
      ...defined({ kubeconfig: named, context }),
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const hint = 'name a cluster with --kubeconfig, or start one with "kubewright up"';
    throw new KubewrightError('File', `${error.message}; ${hint}`, { cause: error });
  }
}

/** Adds to a failed call what to do about it, in one line. */
export function explainApiError(error: unknown, url: string): unknown {
  if (!(error instanceof ApiError)) return error;
  if (error.code === 0 && error.reason === 'ConnectionFailed') {
    const why = error.message.replace(`cannot connect to ${url}: `, '');
    const message = `cannot reach ${url} (${why}); is the cluster running? "kubewright up" starts one`;
    return new KubewrightError('Unreachable', message, { cause: error });
  }
  if (error.code === 401) {
    const message = `${url} does not accept the kubeconfig's credentials; is it from an earlier run? Name another with --kubeconfig`;
    return new KubewrightError('Refused', message, { cause: error });
  }
  return error;
}
