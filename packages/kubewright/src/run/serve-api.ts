import { resolve } from 'node:path';
import { type ApiServer, type ApiServerOptions, createApiServer } from '@kubewright/apiserver';
import { aborted } from '@kubewright/kube';
import type { ServeOptions } from '../cli/program.ts';
import type { Terminal } from '../cli/terminal.ts';
import { writeKubeconfig } from '../cli/write-kubeconfig.ts';
import { KubewrightError } from '../kubewright-error.ts';

/** An API that listens, and the file by which kubectl finds it. */
export type ServedApi = { readonly server: ApiServer; readonly url: string; readonly kubeconfig: string };

/** Starts the embedded API and writes its kubeconfig. Close the server when done. */
export async function serveApi(
  { port, kubeconfigOut }: ServeOptions,
  terminal: Terminal,
  options: ApiServerOptions = {},
): Promise<ServedApi> {
  const server = createApiServer(options);
  try {
    const { url } = await listening(server.listen({ port }), port);
    const kubeconfig = resolve(terminal.cwd, kubeconfigOut);
    await writeKubeconfig(kubeconfig, server.kubeconfig());
    return { server, url, kubeconfig };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** What `begun` listens with on `port`; that it cannot is said in words that help. */
export async function listening<T>(begun: Promise<T>, port: number): Promise<T> {
  try {
    return await begun;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    const what = code === 'EADDRINUSE' ? 'is taken' : 'is not allowed';
    throw new KubewrightError(
      'Port',
      `port ${port} ${what}; choose another with --port, 0 takes a free one`,
      { cause: error },
    );
  }
}

/** Resolves when the terminal's signal is aborted. */
export function untilStopped({ signal }: Terminal): Promise<void> {
  return aborted(signal);
}
