import { type ApiServerOptions, createApiServer } from '@kubewright/apiserver';
import { aborted } from '@kubewright/kube';
import type { ServeOptions } from '../command-options.ts';
import type { Terminal } from '../terminal.ts';
import { KubewrightError } from '../kubewright-error.ts';
import { writeKubeconfig } from './kubeconfig-file.ts';

/** An API that listens, and the file by which kubectl finds it. */
export type ServedApi = {
  readonly url: string;
  readonly kubeconfig: string;
  /** Ends it and removes the file. */
  readonly close: () => Promise<void>;
};

/** Starts the embedded API and writes its kubeconfig. Close it when done. */
export async function serveApi(
  { port, kubeconfigOut }: ServeOptions,
  terminal: Terminal,
  options: ApiServerOptions = {},
): Promise<ServedApi> {
  const server = createApiServer(options);
  try {
    const { url } = await listening(server.listen({ port }), port);
    const file = await writeKubeconfig(kubeconfigOut, server.kubeconfig(), terminal.cwd);
    const close = async (): Promise<void> => {
      await file.remove();
      await server.close();
    };
    return { url, kubeconfig: file.path, close };
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
    throw explainPort(error, `choose another with --port, 0 takes a free one`, port) ?? error;
  }
}

/** The error of a port that cannot be listened on, with what to do instead; undefined for any other error. */
export function explainPort(error: unknown, advice: string, port?: number): KubewrightError | undefined {
  const { code, port: taken = port } = error as NodeJS.ErrnoException & { readonly port?: number };
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return undefined;
  const what = code === 'EADDRINUSE' ? 'is taken' : 'is not allowed';
  return new KubewrightError('Port', `port ${taken} ${what}; ${advice}`, { cause: error });
}

/** Resolves when the terminal's signal is aborted. */
export function untilStopped({ signal }: Terminal): Promise<void> {
  return aborted(signal);
}
